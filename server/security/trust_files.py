"""Certificates and revocation lists from the files of a folder, whoever put them there.

A file that cannot be used is skipped, and told to `complain` with the reason: one bad file must
not lock out everybody else.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm

from twincell.server.security.certificate import Certificate, Unreadable, printable, read_content

ENDINGS = {".der", ".cer", ".crt", ".pem", ".crl"}
MOST_BYTES = 16 << 20  # of one file; chosen: the longest revocation lists have a few megabytes

Complain = Callable[[Path, str], None]
Content = TypeVar("Content")


def read_certificates(
    files: list[Path], complain: Complain
) -> Iterator[tuple[Path, list[Certificate]]]:
    """Each file with its certificates."""
    return _read(files, read_content, complain)


def read_lists(
    files: list[Path], complain: Complain
) -> Iterator[tuple[Path, x509.CertificateRevocationList]]:
    """Each file with its revocation list."""
    return _read(files, _list, complain)


def files_of(folder: Path, complain: Complain) -> list[Path]:
    """What lies in a folder, in order; hidden files are still being written."""
    try:
        return sorted(one for one in folder.iterdir() if not one.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        complain(folder, error.strerror or "cannot be read")
        return []


def _read(
    files: list[Path], parse: Callable[[bytes], Content], complain: Complain
) -> Iterator[tuple[Path, Content]]:
    for path in files:
        try:
            content = parse(_content(path))
        except Unreadable as error:
            complain(path, str(error))
        except OSError as error:
            complain(path, error.strerror or "cannot be read")
        else:
            yield path, content


def _content(path: Path) -> bytes:
    if path.suffix.lower() not in ENDINGS:
        raise Unreadable(f"does not end in {', '.join(sorted(ENDINGS))}")
    status = path.stat()
    if not path.is_file():
        raise Unreadable("is not a file")
    if status.st_size > MOST_BYTES:
        raise Unreadable(f"is longer than {MOST_BYTES >> 20} MiB")
    return path.read_bytes()


def _list(content: bytes) -> x509.CertificateRevocationList:
    is_text = b"-----BEGIN" in content
    load = x509.load_pem_x509_crl if is_text else x509.load_der_x509_crl
    try:
        found = load(content)
        # asked now, so that nothing that is asked later can fail
        _ = found.issuer, found.last_update_utc, found.next_update_utc, [*found]
        is_partial = any(one.critical for one in found.extensions)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise Unreadable(f"no revocation list: {printable(str(error))}") from error
    if is_partial:
        raise Unreadable("covers only a part of what its authority issued; a whole list is needed")
    return found

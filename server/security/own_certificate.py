"""Our own certificate and its key: made at first start, kept safely, renewed by command.

The order of writing leaves nothing that needs a person if it is cut short: the old certificate
goes first, the new one comes last. A key without a certificate is therefore half of the work,
and the next start does the other half.
"""

import logging
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from twincell.server.files.atomic import NotWritable
from twincell.server.security import private_file
from twincell.server.security.certificate import (
    Certificate,
    Unreadable,
    read_content,
    thumbprint_of,
)
from twincell.server.security.folder import OWNER, SecurityFolder, blocked
from twincell.server.security.own_files import alone, certificate_file, key_file
from twincell.server.security.own_making import make_certificate, make_key

log = logging.getLogger("twincell.security")

WARN_BEFORE = timedelta(days=30)  # chosen: time enough to visit every client with the new one


class UnusableCertificate(Exception):
    """Our certificate or key cannot be used; the text names file, problem and remedy."""

    def __init__(self, path: Path, problem: str, remedy: str) -> None:
        super().__init__(f"{path}: {problem}\n  hint: {remedy}")


@dataclass(frozen=True)
class OwnCertificate:
    """Our certificate, and the key that proves it is ours."""

    certificate: x509.Certificate
    der: bytes
    key: RSAPrivateKey
    application_uri: str  # as the certificate says: whoever uses it has to go by this name
    facts: Certificate  # names, dates and thumbprint, to be shown


def load_or_make(
    folder: SecurityFolder, application_uri: str, host_names: Iterable[str]
) -> OwnCertificate:
    """Our certificate, made now if there is none; it is in force, or UnusableCertificate is raised.

    The two names are for one that is made. One that is there keeps its own.
    """
    wanted = list(host_names)
    with _alone(folder):
        if not is_made(folder):
            _make(folder, application_uri, wanted)
        own = load(folder)
    _check_dates(own, folder)
    missing = sorted(set(wanted) - set(own.facts.hosts))
    if missing:
        log.warning(
            "%s: does not name %s: clients that connect by it may refuse us; %s",
            certificate_file(folder),
            ", ".join(missing),
            _renew(folder, *missing),
        )
    return own


def load(folder: SecurityFolder) -> OwnCertificate:
    """Our certificate as it is, be it out of date."""
    facts = _load_certificate(folder)
    key = _load_key(folder)
    if key.public_key() != facts.key:
        problem = f"is not the key of {certificate_file(folder).name}"
        remedy = f"restore the right one, or {_renew(folder)}"
        raise UnusableCertificate(key_file(folder), problem, remedy)
    return OwnCertificate(facts.parsed, facts.der, key, facts.uris[0], facts)


def renew(
    folder: SecurityFolder, application_uri: str, host_names: Iterable[str]
) -> OwnCertificate:
    """A new key and certificate; the old ones stay beside them under a name with the date."""
    with _alone(folder):
        _keep_old(folder)
        certificate_file(folder).unlink(missing_ok=True)
        key_file(folder).unlink(missing_ok=True)
        _make(folder, application_uri, list(host_names))
        return load(folder)


def is_made(folder: SecurityFolder) -> bool:
    """Whether there is a certificate, good or bad."""
    try:
        certificate_file(folder).stat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UnusableCertificate(*blocked(folder.own, error), OWNER) from error
    return True


def known(folder: SecurityFolder) -> Certificate | None:
    """What the certificate that is there says, if it can be read."""
    try:
        return _load_certificate(folder)
    except UnusableCertificate:
        return None


def _renew(folder: SecurityFolder, *hosts: str) -> str:
    """What to type for a new certificate, which names these hosts as well."""
    options = [word for host in hosts for word in ("--host", host)]
    return f"run: {folder.command('certificate', 'renew', *options)}"


def _make(folder: SecurityFolder, application_uri: str, host_names: list[str]) -> None:
    path = key_file(folder)
    if path.exists():
        key = _load_key(folder)
    else:
        key = make_key()
        content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        private_file.write(path, content, durable=True)
    made = make_certificate(key, application_uri, host_names)
    der = made.public_bytes(Encoding.DER)
    private_file.write(certificate_file(folder), der, durable=True)
    log.info("%s: made, thumbprint %s", certificate_file(folder), thumbprint_of(der))


def _keep_old(folder: SecurityFolder) -> None:
    """Give the pair second names, which tell the day and the certificate."""
    old = certificate_file(folder)
    mark = thumbprint_of(old.read_bytes())[:8] if old.exists() else "without_certificate"
    for path in (old, key_file(folder)):
        if path.exists():
            dated = path.with_stem(f"{path.stem}_{datetime.now(UTC):%Y-%m-%d}_{mark}")
            dated.unlink(missing_ok=True)
            os.link(path, dated)


def _load_certificate(folder: SecurityFolder) -> Certificate:
    path, renewing = certificate_file(folder), _renew(folder)
    try:
        found = read_content(path.read_bytes())[0]
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise UnusableCertificate(path, problem, f"restore it, or {renewing}") from error
    except Unreadable as error:
        raise UnusableCertificate(
            path, f"is damaged: {error}", f"restore it, or {renewing}"
        ) from error
    if not found.uris:
        raise UnusableCertificate(path, "names no application URI", renewing)
    return found


def _load_key(folder: SecurityFolder) -> RSAPrivateKey:
    path, renewing = key_file(folder), _renew(folder)
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            problem = "this private key is open to other users of this machine"
            raise UnusableCertificate(path, problem, f"run: chmod 600 {path}")
        key = load_pem_private_key(path.read_bytes(), password=None)
    except FileNotFoundError as error:
        problem = "there is a certificate, but not its key"
        raise UnusableCertificate(path, problem, f"restore it, or {renewing}") from error
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise UnusableCertificate(path, problem, "let the user who runs twincell own it") from error
    except TypeError as error:
        problem = "is locked by a password, which nobody could type at each start"
        raise UnusableCertificate(path, problem, f"store it without, or {renewing}") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UnusableCertificate(path, "is damaged", f"restore it, or {renewing}") from error
    if not isinstance(key, RSAPrivateKey):
        raise UnusableCertificate(path, "is not an RSA key", f"use one, or {renewing}")
    return key


def _check_dates(own: OwnCertificate, folder: SecurityFolder) -> None:
    """Refuse now what every client would refuse later, without saying why."""
    path, renewing = certificate_file(folder), _renew(folder)
    now = datetime.now(UTC)
    begins, ends = own.facts.begins, own.facts.ends
    if now > ends:
        problem = f"expired on {ends:%Y-%m-%d}, clients would refuse it"
        raise UnusableCertificate(
            path, problem, f"{renewing}, and let the clients trust the new one"
        )
    if now < begins:
        problem = f"is valid only from {begins:%Y-%m-%d %H:%M} UTC on, clients would refuse it"
        raise UnusableCertificate(path, problem, f"set the clock of this machine, or {renewing}")
    if now > ends - WARN_BEFORE:
        text = "%s: expires on %s: clients will refuse us from then on; %s"
        log.warning(text, path, f"{ends:%Y-%m-%d}", renewing)


@contextmanager
def _alone(folder: SecurityFolder) -> Iterator[None]:
    """Take our turn in the folder; what goes wrong there is told in one way."""
    try:
        private_file.make_folder(folder.own)
        with alone(folder):
            yield
    except (NotWritable, OSError) as error:
        raise UnusableCertificate(folder.own, f"cannot be used: {error}", OWNER) from error

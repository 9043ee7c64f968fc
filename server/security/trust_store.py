"""What the trust folder holds, read again whenever a file in it has changed."""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509

from twincell.server.security.certificate import Certificate
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.own_files import certificate_file
from twincell.server.security.trust_files import Complain, files_of, read_certificates, read_lists

log = logging.getLogger("twincell.security")

# name, time of change, size and number of a file: one of them differs after a change
Stamp = tuple[str, int, int, int]


@dataclass(frozen=True)
class Known:
    """Certificates and revocation lists of the folder, as of one reading."""

    trusted: tuple[Certificate, ...] = ()
    issuers: tuple[Certificate, ...] = ()
    lists: tuple[x509.CertificateRevocationList, ...] = ()
    # lists that an authority signed, by its certificate; filled when first asked for
    lists_of: dict[bytes, list[x509.CertificateRevocationList]] = field(default_factory=dict)

    def trusts_one_of(self, certificates: Sequence[Certificate]) -> bool:
        """Whether one of them lies among the trusted, byte for byte."""
        return any(one.der == trusted.der for one in certificates for trusted in self.trusted)


class TrustStore:
    """The folder; looking at it costs little as long as nothing changes."""

    def __init__(self, folder: SecurityFolder) -> None:
        self._folder = folder
        self._stamps: list[list[Stamp]] = []  # of each folder
        self._known = Known()
        self._told: set[tuple[Path, Stamp, str]] = set()

    def known(self) -> Known:
        """What the folder holds now."""
        folder = self._folder
        stamps = [_stamps(one) for one in (folder.trusted, folder.issuers, folder.revoked)]
        stamps.append([_stamp(certificate_file(folder))])
        if stamps != self._stamps:
            # noted before reading: a file that changes meanwhile is read once more
            self._stamps = stamps
            self._known = self._read()
        return self._known

    def _read(self) -> Known:
        skipped: set[tuple[Path, Stamp, str]] = set()

        def complain(path: Path, why: str) -> None:
            skipped.add((path, _stamp(path), why))

        folder = self._folder
        known = Known(
            trusted=(*_certificates(folder.trusted, complain), *_own(folder, complain)),
            issuers=_certificates(folder.issuers, complain),
            lists=tuple(one for _, one in read_lists(files_of(folder.revoked, complain), complain)),
        )
        for path, _, why in sorted(skipped - self._told):
            log.warning("%s: is left out: %s", path, why)
        self._told = skipped
        return known


def _certificates(folder: Path, complain: Complain) -> tuple[Certificate, ...]:
    found = read_certificates(files_of(folder, complain), complain)
    return tuple(one for _, certificates in found for one in certificates)


def _own(folder: SecurityFolder, complain: Complain) -> list[Certificate]:
    """Our own certificate, which needs no entry: who has its key has all of this folder."""
    own = certificate_file(folder)
    found = read_certificates([own] if own.exists() else [], complain)
    return [certificates[0] for _, certificates in found]


def _stamps(folder: Path) -> list[Stamp]:
    try:
        with os.scandir(folder) as found:
            return sorted(_stamp(one) for one in found if not one.name.startswith("."))
    except OSError:  # not there, or not for us: reading it says which
        return [_stamp(folder)]


def _stamp(path: Path | os.DirEntry[str]) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return (path.name, 0, 0, 0)
    return (path.name, status.st_mtime_ns, status.st_size, status.st_ino)

"""The decisions of whoever runs the server: which certificates are trusted, which are not."""

import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from twincell.server.files.atomic import blamed
from twincell.server.security import private_file
from twincell.server.security.certificate import Certificate
from twincell.server.security.folder import OWNER, SecurityFolder, blocked
from twincell.server.security.rejected import file_name
from twincell.server.security.trust_files import files_of, read_certificates

log = logging.getLogger("twincell.security")

LEAST_DIGITS = 6  # of a thumbprint; chosen: enough to tell the machines of a plant apart

State = Literal["trusted", "issuer", "rejected"]


class CannotDecide(Exception):
    """Which certificate is meant is not clear, or it cannot be moved; the hint says what helps."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.hint = hint


@dataclass(frozen=True)
class Entry:
    """A certificate in the folder, and what we think of it."""

    state: State
    path: Path
    certificate: Certificate
    has_company: bool  # whether its file holds other certificates as well


def entries(folder: SecurityFolder) -> list[Entry]:
    """All certificates of the folder, except our own; CannotDecide if it cannot be read."""
    for one in (folder.trusted, folder.issuers, folder.rejected):
        _check_readable(one)
    return [
        *_entries(folder.trusted, "trusted"),
        *_entries(folder.issuers, "issuer"),
        *_entries(folder.rejected, "rejected"),
    ]


def move(folder: SecurityFolder, thumbprint: str, to: Literal["trusted", "rejected"]) -> Entry:
    """Move a certificate from the one folder to the other, with all copies of it."""
    meant = _find(folder, thumbprint)
    to_move = [one for one in meant if one.state != to]
    for entry in to_move:
        if entry.has_company:
            problem = f"{entry.path}: holds more than one certificate"
            raise CannotDecide(problem, "split it, or move the file by hand")
    target_folder = folder.trusted if to == "trusted" else folder.rejected
    private_file.make_folder(target_folder)
    moved = meant[0]
    for entry in to_move:
        target = target_folder / file_name(entry.certificate, entry.path.suffix.lower())
        with blamed(target):
            os.replace(entry.path, target)
        moved = Entry(to, target, entry.certificate, has_company=False)
    return moved


def _find(folder: SecurityFolder, thumbprint: str) -> list[Entry]:
    """The certificate that is meant; it may lie there more than once."""
    prefix = re.sub(r"[\s:]", "", thumbprint).upper()
    if not re.fullmatch(rf"[0-9A-F]{{{LEAST_DIGITS},40}}", prefix):
        problem = f"{thumbprint}: is not the beginning of a thumbprint"
        raise CannotDecide(problem, f"give {LEAST_DIGITS} to 40 of the digits 0-9 and A-F")
    meant = [
        one
        for one in entries(folder)
        if one.state != "issuer" and one.certificate.thumbprint.startswith(prefix)
    ]
    if not meant:
        problem = f"{thumbprint}: there is no such certificate in {folder.pki}"
        raise CannotDecide(problem, f"see them with: {folder.command('trust', 'list')}")
    if len({one.certificate.thumbprint for one in meant}) > 1:
        problem = f"{thumbprint}: is the beginning of more than one thumbprint"
        raise CannotDecide(problem, "give more digits")
    return meant


def _check_readable(folder: Path) -> None:
    """Nothing found must not look like nothing there."""
    try:
        with os.scandir(folder):
            pass
    except FileNotFoundError:
        pass
    except OSError as error:
        path, problem = blocked(folder, error)
        raise CannotDecide(f"{path}: {problem}", OWNER) from error


def _entries(folder: Path, state: State) -> list[Entry]:
    return [
        Entry(state, path, one, has_company=len(certificates) > 1)
        for path, certificates in read_certificates(files_of(folder, _complain), _complain)
        for one in certificates
    ]


def _complain(path: Path, why: str) -> None:
    log.warning("%s: is left out: %s", path, why)

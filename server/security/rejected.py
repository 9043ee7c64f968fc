"""The folder of rejected certificates: what tried to connect, for somebody to decide about.

Strangers fill it, so it is bounded, and nothing of a file's name is theirs but plain letters.
"""

import logging
import os
import re

from server.security import private_file
from server.security.certificate import Certificate, Unreadable, read_chain
from server.security.folder import SecurityFolder
from server.security.trust_files import files_of
from server.whole_file import NotWritable

log = logging.getLogger("twincell.security")

MOST_FILES = 100  # chosen: more than the machines of a plant that are connected on one day
LONGEST_NAME = 64  # characters; as long as X.509 lets a common name be
MOST_BYTES = 16 << 10  # of a certificate; chosen: usual ones have 1 to 2 KiB


def file_name(certificate: Certificate, ending: str = ".der") -> str:
    """A name for its file: its common name as far as it is harmless, and its thumbprint."""
    harmless = re.sub(r"[^A-Za-z0-9_-]+", "_", certificate.name).strip("_-")[:LONGEST_NAME]
    return f"{harmless or 'unnamed'}_{certificate.thumbprint[:16]}{ending}"


def keep(folder: SecurityFolder, der_chain: bytes) -> None:
    """Put the sender's certificate into the folder; the oldest leave when it gets full."""
    try:
        certificate = read_chain(der_chain)[0]
    except Unreadable:
        return  # nobody could ever accept it
    if len(certificate.der) > MOST_BYTES:
        return
    file = folder.rejected / file_name(certificate)
    try:
        if file.exists():
            os.utime(file)  # it tries again: not the oldest any more
            return
        _make_room(folder)
        private_file.write(file, certificate.der)
    except (NotWritable, OSError) as error:
        log.warning("%s: was not kept: %s", certificate.name, error)


def _make_room(folder: SecurityFolder) -> None:
    kept = sorted(files_of(folder.rejected, _ignore), key=os.path.getmtime)
    for oldest in kept[: max(0, len(kept) - MOST_FILES + 1)]:
        oldest.unlink(missing_ok=True)


def _ignore(*_: object) -> None:
    """Writing there says what is wrong."""

"""The folder of rejected certificates: what tried to connect, for somebody to decide about.

Strangers fill it, so it is bounded, in all and for each address; and nothing of a file's name is
theirs but plain letters.
"""

import logging
import os
import re
from collections import Counter

from twincell.server.files.atomic import NotWritable
from twincell.server.security import private_file
from twincell.server.security.certificate import Certificate, Unreadable, read_chain
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.trust_files import files_of

log = logging.getLogger("twincell.security")

MOST_FILES = 100  # chosen: more than the machines of a plant that are connected on one day
MOST_OF_AN_ADDRESS = 10  # chosen: more than the clients of one machine, or of a few behind one
LONGEST_NAME = 64  # characters; as long as X.509 lets a common name be
MOST_BYTES = 16 << 10  # of a certificate; chosen: usual ones have 1 to 2 KiB


def file_name(certificate: Certificate, ending: str = ".der") -> str:
    """A name for its file: its common name as far as it is harmless, and its thumbprint."""
    harmless = re.sub(r"[^A-Za-z0-9_-]+", "_", certificate.name).strip("_-")[:LONGEST_NAME]
    return f"{harmless or 'unnamed'}_{certificate.thumbprint[:16]}{ending}"


class Rejected:
    """The folder, and from where what lies there came, as far as this process has seen it."""

    def __init__(self, folder: SecurityFolder) -> None:
        self._folder = folder.rejected
        self._address_of: dict[str, str] = {}  # of files, by name

    def keep(self, der_chain: bytes, address: str = "") -> None:
        """Put the sender's certificate into the folder; others leave when it gets full.

        One without an address is what we met ourselves, as a client.
        """
        try:
            certificate = read_chain(der_chain)[0]
        except Unreadable:
            return  # nobody could ever accept it
        if len(certificate.der) > MOST_BYTES:
            return
        file = self._folder / file_name(certificate)
        try:
            if file.exists():
                os.utime(file)  # it tries again: not the oldest any more
                return
            self._make_room(address)
            private_file.write(file, certificate.der)
            self._address_of[file.name] = address
        except (NotWritable, OSError) as error:
            log.warning("%s: was not kept: %s", certificate.name, error)

    def _make_room(self, address: str) -> None:
        """Let the oldest leave: of those from the same address, or else from where most came.

        So whoever makes up certificates pushes out its own, not the one that somebody waits for.
        """
        kept = sorted(files_of(self._folder, _ignore), key=os.path.getmtime)
        known = self._address_of
        self._address_of = {one.name: known[one.name] for one in kept if one.name in known}
        mine = [one for one in kept if address and known.get(one.name) == address]
        is_full = len(kept) >= MOST_FILES
        if mine and (is_full or len(mine) >= MOST_OF_AN_ADDRESS):
            mine[0].unlink(missing_ok=True)
        elif is_full:
            counts = Counter(known.get(one.name, "") for one in kept)
            ((crowded, _),) = counts.most_common(1)
            oldest = next(one for one in kept if known.get(one.name, "") == crowded)
            oldest.unlink(missing_ok=True)


def _ignore(*_: object) -> None:
    """Writing there says what is wrong."""

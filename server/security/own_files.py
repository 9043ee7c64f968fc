"""Where our own certificate and its key lie, and how processes take turns there.

The folder itself is what they lock, so that one that must not be written, such as a mounted
secret, can still be read.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from twincell.server.security.folder import SecurityFolder


def certificate_file(folder: SecurityFolder) -> Path:
    """The certificate, which everybody may have."""
    return folder.own / "certificate.der"


def key_file(folder: SecurityFolder) -> Path:
    """The private key, which nobody else may have."""
    return folder.own / "private_key.pem"


@contextmanager
def alone(folder: SecurityFolder) -> Iterator[None]:
    """Only one process at a time is inside; the lock ends with the process at the latest."""
    handle = os.open(folder.own, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

"""Files and folders that only their owner may read."""

import os
from pathlib import Path

from twincell.server.files.atomic import NotWritable, blamed, whole_file


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, closed to everybody else."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        for one in reversed(missing):
            one.mkdir(mode=0o700, exist_ok=True)  # another process may be as fast
    except OSError as error:
        raise NotWritable(f"{folder}: cannot make this folder: {error.strerror}") from error


def write(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a whole file that was never readable by others, not even empty.

    A durable one survives a power failure right after; that can take a disk many milliseconds.
    """
    make_folder(path.parent)
    with whole_file(path) as hidden, blamed(path):
        # made anew: a file that somebody opened while it was empty would show them what follows
        hidden.unlink()
        with open(os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())

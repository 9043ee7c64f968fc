"""Where machine code is kept: one file a subject, named after its fingerprint.

A file holds its own SHA-256 before the object code: one that was cut short or changed is as good as
none. It is written beside its place and moved there, so that nobody ever reads half of one, and two
first starts at the same time do not disturb each other.
"""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

DIGEST_BYTES = 32
FORGET_AFTER_S = 30 * 24 * 3600  # a file that nobody has used for a month; chosen


def cache_folder() -> Path | None:
    """The user's cache folder, or a temporary one if that is closed; None if both are."""
    chosen = os.environ.get("TWINCELL_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    home = Path(chosen or os.path.expanduser("~/.cache"))
    for root in (home, Path(tempfile.gettempdir()) / f"cache-of-user-{os.getuid()}"):
        folder = root / "twincell"
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # machine code is run as it is found: it must be our own
            if folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK):
                return folder
    return None


def is_kept(name: str) -> bool:
    """Whether there is a file of this name, whole or not."""
    folder = cache_folder()
    return folder is not None and (folder / name).exists()


def read(name: str) -> bytes | None:
    """The object code of this name, or None if there is none that is whole."""
    folder = cache_folder()
    if folder is None:
        return None
    file = folder / name
    try:
        content = file.read_bytes()
        os.utime(file)  # in use: see _forget_old
    except OSError:
        return None
    digest, code = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    return code if hashlib.sha256(code).digest() == digest else None


def write(name: str, code: bytes) -> None:
    """Keep object code for the next start; a folder that is closed or full is no harm."""
    folder = cache_folder()
    if folder is None:
        return
    with contextlib.suppress(OSError):
        handle, beside = tempfile.mkstemp(dir=folder, prefix=f"{name}.", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            os.replace(beside, folder / name)
        except OSError:
            os.unlink(beside)
            return
        _forget_old(folder, folder / name)


def _forget_old(folder: Path, newest: Path) -> None:
    """Remove what nobody has used for a month, and what was left half-written."""
    now = newest.stat().st_mtime
    for file in folder.iterdir():
        with contextlib.suppress(OSError):
            if file.is_file() and now - file.stat().st_mtime > FORGET_AFTER_S:
                file.unlink()

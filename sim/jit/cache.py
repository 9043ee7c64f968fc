"""Where machine code is kept: one file a subject, named after its fingerprint.

A file holds its own SHA-256 before the object code: one that was cut short or changed is as good as
none. It is written beside its place and moved there, so that nobody ever reads half of one, and two
first starts at the same time do not disturb each other.

Machine code is run as it is found, so it must be our own: folder and file belong to whoever runs
this, and nobody else may write there.
"""

import contextlib
import hashlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

DIGEST_BYTES = 32
FORGET_AFTER_S = 30 * 24 * 3600  # what nobody has used for a month; chosen
# ours, of this version and of those before: object files, what was left half-written, folders
OURS = re.compile(r".+\.o(\..+\.part)?|numba-[0-9a-f]+|[0-9a-f]{16}")


def cache_folder() -> Path | None:
    """The user's cache folder, or a temporary one if that is closed; None if both are."""
    chosen = os.environ.get("TWINCELL_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    home = Path(chosen or os.path.expanduser("~/.cache"))
    temporary = Path(tempfile.gettempdir()) / f"cache-of-user-{os.getuid()}"
    for root in (home, temporary):
        folder = root / "twincell"
        with contextlib.suppress(OSError):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            # a folder for all, such as /tmp, lets others exchange what lies in it: not ours
            own = [folder, root] if root == temporary else [folder]
            if all(_is_ours(place.lstat()) for place in own) and os.access(folder, os.W_OK):
                return folder
    return None


def _is_ours(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to us, and nobody else can write it."""
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def read(name: str) -> bytes | None:
    """The object code of this name, or None if there is none that is whole and ours."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        with open(folder / name, "rb") as file:
            content = file.read() if _is_ours(os.fstat(file.fileno())) else b""
        os.utime(folder / name)  # in use: see _forget_old
    except OSError:
        return None
    digest, code = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    return code if code and hashlib.sha256(code).digest() == digest else None


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
    """Remove what nobody has used for a month."""
    now = newest.stat().st_mtime
    for found in folder.iterdir():
        with contextlib.suppress(OSError):
            if OURS.fullmatch(found.name) and now - found.stat().st_mtime > FORGET_AFTER_S:
                shutil.rmtree(found) if found.is_dir() else found.unlink()

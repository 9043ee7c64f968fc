"""The only place with compiler settings: how kernels become machine code, and where it is kept.

Only entries, which Python calls, are cached on disk, with all kernels they call. The cache folder
is named after a hash of all of `sim/`: numba's own check sees only the file of the entry and would
go on running old code after an edit in another file.

fastmath stays off: the same model, commands and start must give the same bits. numba's runtime
(`_nrt`) is off too: a kernel that allocates does not compile, and nobody counts references.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

HASH_DIGITS = 16
COMPILER: dict[str, Any] = {
    "nogil": True,
    "fastmath": False,
    "error_model": "numpy",
    "_nrt": False,
}


def source_hash() -> str:
    """Fingerprint of everything that decides the machine code."""
    folder = Path(__file__).resolve().parent
    digest = hashlib.sha256(f"{numba.__version__} {folder}".encode())  # numba asks for the path too
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.relative_to(folder).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:HASH_DIGITS]


def cache_folder() -> Path:
    """Where machine code is kept: the user's cache folder, or a temporary one if that is closed."""
    chosen = os.environ.get("TWINCELL_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    home = Path(chosen or os.path.expanduser("~/.cache"))
    for root in (home, Path(tempfile.gettempdir()) / f"cache-of-user-{os.getuid()}"):
        folder = root / "twincell" / source_hash()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.touch()  # in use: see _forget_old_versions
            # machine code is run as it is found: it must be our own
            if folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK):
                _forget_old_versions(folder)
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="twincell-"))


def _forget_old_versions(folder: Path) -> None:
    """Remove machine code of other versions of `sim/` that nobody has used for a month."""
    for other in folder.parent.glob("[0-9a-f]" * HASH_DIGITS):
        with contextlib.suppress(OSError):
            if folder.stat().st_mtime - other.stat().st_mtime > 30 * 24 * 3600:
                shutil.rmtree(other)


CACHE = cache_folder()
numba.config.CACHE_DIR = str(CACHE)  # type: ignore[attr-defined]


def kernel(function: Function) -> Function:
    """Compile a part of the tick."""
    compiled: Function = numba.njit(**COMPILER)(function)
    return compiled


def formula(function: Function) -> Function:
    """Compile a few lines of arithmetic into whatever uses them, so that they cost no call."""
    compiled: Function = numba.njit(**COMPILER, forceinline=True)(function)
    return compiled


def entry(function: Function) -> Function:
    """Compile a function that Python calls, and keep its machine code for the next start."""
    compiled: Function = numba.njit(**COMPILER, cache=True)(function)
    return compiled


def is_compiled() -> bool:
    """Whether a start finds its machine code ready (or needs none)."""
    return bool(numba.config.DISABLE_JIT) or any(CACHE.rglob("step.run-*.nbc"))  # type: ignore[attr-defined]

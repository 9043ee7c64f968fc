"""Plain numba: everything that Python calls is compiled with all that it calls, and kept by numba.

The judge of what is compiled apart, and the way out for versions of numba that are not tried yet:
the same bits, after a first start of minutes. numba's cache sees only the file of an entry, so the
folder is named after all sources.
"""

import hashlib
from pathlib import Path
from typing import Any

import numba

from twincell.sim.jit.cache import cache_folder
from twincell.sim.jit.settings import COMPILER

DIGITS = 32


def plain_entry(function: Any) -> Any:
    """Compile a function that Python calls, and keep it if there is a place for it."""
    folder = cache_folder()
    if folder is None:
        return numba.njit(**COMPILER)(function)
    numba.config.CACHE_DIR = str(folder / f"numba-{_sources()}")  # type: ignore[attr-defined]
    return numba.njit(**COMPILER, cache=True)(function)


def _sources() -> str:
    """Fingerprint of everything that decides the machine code."""
    folder = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(f"{numba.__version__} {folder}".encode())  # numba asks for the path too
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.relative_to(folder).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:DIGITS]

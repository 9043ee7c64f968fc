"""Compiler settings, the same for all kernels, and which compiler makes the machine code.

fastmath stays off: the same model, commands and start must give the same bits. numba's runtime
(`_nrt`) is off too: a kernel that allocates does not compile, and nobody counts references.

    apart    each subject of the tick is linked and optimised once, and kept on disk    the rule
    numba    plain numba compiles everything into one entry: TWINCELL_COMPILER=numba    the judge
    python   nothing is compiled, for debuggers and coverage: NUMBA_DISABLE_JIT=1

All three run the same kernels; the first two give the same bits.
"""

import os
from typing import Any

import numba

COMPILER: dict[str, Any] = {
    "nogil": True,
    "fastmath": False,
    "error_model": "numpy",
    "_nrt": False,
}

APART, NUMBA, PYTHON = "apart", "numba", "python"


TRIED = ("0.68.",)  # versions of numba whose inner parts lowering.py knows


def _chosen() -> str:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return PYTHON
    chosen = os.environ.get("TWINCELL_COMPILER") or APART
    if chosen not in (APART, NUMBA):
        raise ValueError(f"TWINCELL_COMPILER is {chosen!r}: it can be {APART} or {NUMBA}")
    return chosen if numba.__version__.startswith(TRIED) else NUMBA


CHOSEN = _chosen()

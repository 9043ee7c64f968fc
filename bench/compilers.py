"""Both compilers, the same bits: `python -m bench.compilers` runs all shipped cells with each.

The cells run in two fresh processes: kernels compiled apart, subject by subject, and compiled by
plain numba into one piece. State and rows are compared bit by bit. Plain numba needs minutes.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console

from bench.shipped_cells import cell_files
from twincell.sim.cell import Cell
from twincell.sim.jit.settings import APART, NUMBA

TICKS = 3000


def main() -> int:
    """Compare; 1 if any cell differs."""
    if sys.argv[1:] == ["--tell"]:
        sys.stdout.write(json.dumps({file.stem: _fingerprint(file) for file in cell_files()}))
        return 0
    apart, plain = (_told(compiler) for compiler in (APART, NUMBA))
    differing = [name for name in apart if apart[name] != plain[name]]
    for name in differing:
        Console().print(f"{name}: other bits")
    Console().print(f"{len(apart) - len(differing)} of {len(apart)} cells are equal bit for bit")
    return 1 if differing else 0


def _told(compiler: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.compilers", "--tell"],
        env=os.environ | {"TWINCELL_COMPILER": compiler},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    told: dict[str, str] = json.loads(done.stdout)
    return told


def _fingerprint(file: Path) -> str:
    cell = Cell.load(file)
    rows = cell.run(TICKS)
    return cell.state_hash() + hashlib.sha256(rows.tobytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())

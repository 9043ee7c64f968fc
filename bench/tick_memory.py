"""What a tick allocates, measured in a fresh process: `python -m bench.tick_memory` prints JSON.

Three witnesses, from weak to strong:

    the heap           what malloc has handed out, before and after 100 000 ticks (mallinfo2)
    Python             the peak of what Python and numpy allocated meanwhile (tracemalloc)
    the machine code   which outside functions it can call at all, and do their names allocate

Fresh, so that nothing else allocates meanwhile. Kernels are compiled without numba's
runtime: an array made in one would not even compile.
"""

import ctypes
import json
import sys
import tracemalloc

import llvmlite.binding as llvm
import numpy as np

from bench.shipped_cells import cell_file
from twincell.sim.cell import Cell
from twincell.sim.jit import cache
from twincell.sim.machine_code import object_files, used_by

TICKS = 100_000
ROWS = 1_000  # written again and again


class _MallInfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def main() -> None:
    """Simulate the tool change cell, and long past its end, and watch the memory."""
    cell = Cell.load(cell_file("tool_change_multi"))
    rows = np.zeros((ROWS, len(cell.signals)))
    cell.run_into(rows)

    heap_before = _heap_bytes()
    for _ in range(TICKS // ROWS):
        cell.run_into(rows)
    heap = max(_heap_bytes() - heap_before, 0)

    # apart from the above: tracing itself allocates
    tracemalloc.start()
    python_before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    for _ in range(TICKS // ROWS):
        cell.run_into(rows)
    python = tracemalloc.get_traced_memory()[1] - python_before
    tracemalloc.stop()

    found = {"ticks": TICKS, "heap": heap, "python": python, "calls": _outside_functions(cell)}
    sys.stdout.write(json.dumps(found) + "\n")


def _heap_bytes() -> int:
    """What malloc has handed out; 0 where the C library cannot tell."""
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo2 is None:
        return 0
    mallinfo2.restype = _MallInfo2
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


def _outside_functions(cell: Cell) -> list[str]:
    """What the machine code of the tick takes from outside."""
    names: set[bytes] = set()
    for file in object_files(cell._packs, used_by(cell.model)):
        code = cache.read(file.file_name)
        if code is None:
            raise RuntimeError(f"no machine code of {file.name} in the cache")
        for section in llvm.ObjectFileRef.from_data(code).sections():
            if section.name() == b".strtab":
                names.update(section.data().split(b"\0"))
        names -= {export.symbol.encode() for export in file.exports}
    # names that begin with _ZN are our own kernels, those with a dot are constants
    ours = (b"_ZN", b".", b"<")
    return sorted(name.decode() for name in names if name and not name.startswith(ours))


if __name__ == "__main__":
    main()

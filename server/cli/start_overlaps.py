"""Say which surfaces overlap at the start of a cell: they jump apart, which surprises everybody.

It is a warning and no mistake: a pin through a plate without a hole may be meant.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from twincell.server.cli.warm_up import warm_up

if TYPE_CHECKING:
    from twincell.sim.cell import Cell
    from twincell.sim.overlaps import Overlap

MOST_TOLD = 10  # chosen: more than a person mends before looking again


def tell_overlaps(cell: Cell) -> None:
    """Write a warning for each pair of surfaces that overlap at the start."""
    if len(cell.spec.surface) < 2:
        return  # and no kernel is needed

    from twincell.sim.overlaps import overlaps_at_start

    warm_up(cell)
    found = overlaps_at_start(cell)
    for overlap in found[:MOST_TOLD]:
        print(_warning(cell, overlap), file=sys.stderr)
    if len(found) > MOST_TOLD:
        print(f"... and {len(found) - MOST_TOLD} more pairs overlap", file=sys.stderr)


def _warning(cell: Cell, overlap: Overlap) -> str:
    key = f"surface.{overlap.surface}"
    line = cell.spec.source.line_of(key)
    place = cell.spec.source.file + (f":{line}" if line else "")
    depth = f"{overlap.depth_m * 1e3:.3g} mm"
    if math.isinf(overlap.layer_m):
        what = f"overlaps {overlap.other} by {depth} at the start: it is pushed out"
    else:
        what = (
            f"reaches {depth} behind the front of {overlap.other} at the start, deeper than its"
            f" layer of {overlap.layer_m * 1e3:.3g} mm: it is not held there"
        )
    way = ", ".join(f"{component:.3g}" for component in (c + 0.0 for c in overlap.way_out))
    carrier = cell.spec.surface[overlap.surface].on
    return (
        f"warning: {place}: {key}: {what}\n"
        f"  hint: start {carrier} {depth} further along [{way}], or let one surface ignore the"
        " other's group"
    )

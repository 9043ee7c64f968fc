"""Surfaces that overlap before the first tick: nothing has pressed them together, yet they push.

The first tick of the cell is tried on a copy of its start, so that whatever does not touch in it
(what a joint or a holder connects, groups that ignore each other) does not overlap either.
Rectangles and discs are thick in that trial: what reaches far behind their front is found as well.

Two surfaces overlap if they push more than twice as hard as the lighter one weighs, and could throw
it with more than 0.1 m/s:

    Σ s c pⁿ > 2 m g          Σ s c pⁿ⁺¹/(n+1) > ½ m v²          s: share of a point, p: its depth

So what stands where its weight would press it, however soft it is, does not overlap.
"""

import math
from typing import NamedTuple

import numpy as np

from twincell.sim.arrays import allocate, copy_arrays
from twincell.sim.cell import Cell
from twincell.sim.fault import NO_FAULT
from twincell.sim.geometry.shape_facts import RIMMED, THIN
from twincell.sim.model import HALF_SPACE, Floats, Ints
from twincell.sim.pack import pack
from twincell.sim.state import Feedback
from twincell.sim.step import run

THICK = 1.0e3  # [m]: chosen, more than any overlap
SOFT = 1.0e-9  # [N/mⁿ]: chosen, moves nothing
FIRM = 2.0  # of a weight: chosen
FAST = 0.1  # [m/s]: chosen, a fall of half a millimetre


class Overlap(NamedTuple):
    """Two surfaces that overlap at the start."""

    surface: str  # one that forces can move
    other: str
    depth_m: float
    way_out: tuple[float, float, float]  # of the first, in the world
    layer_m: (
        float  # of the thin surface that it has passed, so that nothing holds it; otherwise inf
    )


def overlaps_at_start(cell: Cell) -> list[Overlap]:
    """Pairs of surfaces that overlap at the start, the deepest first."""
    if len(cell.spec.surface) < 2:
        return []
    _try_first_tick(cell)
    surface = cell.scratch.contacts.surface[: int(cell.scratch.contacts.n[0])]
    pairs, pair_of = np.unique(surface, axis=0, return_inverse=True)
    found = [
        _overlap(cell, int(a), int(b), np.flatnonzero(pair_of == k))
        for k, (a, b) in enumerate(pairs)
    ]
    return sorted((one for one in found if one), key=lambda one: -one.depth_m)


def _try_first_tick(cell: Cell) -> None:
    """Find the contacts of the first tick; they are left in the scratch.

    Soft and weightless, as only the places of the contacts are asked for: forces cost time.
    """
    cell.warm_up()  # the model must know where the machine code is
    laws, start = cell.model.laws, cell.compiled
    model = cell.model._replace(
        gravity=(0.0, 0.0, 0.0),
        laws=laws._replace(
            layer=_frozen(np.full_like(laws.layer, THICK)),
            stiffness=_frozen(np.full_like(laws.stiffness, SOFT)),
            damping=_frozen(np.zeros_like(laws.damping)),
        ),
    )
    feedback = allocate(Feedback, {})
    feedback.fault[:] = NO_FAULT
    run(
        pack(model),
        pack(start.timeline),
        pack(copy_arrays(start.commands)),
        pack(copy_arrays(start.state)),
        pack(cell.scratch),
        pack(feedback),
        np.empty((1, len(cell.signals))),
    )


def _frozen(array: Floats) -> Floats:
    """An array that cannot be written, as all of a model are."""
    array.flags.writeable = False
    return array


def _overlap(cell: Cell, a: int, b: int, points: Ints) -> Overlap | None:
    """How two surfaces overlap at these contact points, if they do."""
    surfaces, laws, found = cell.model.surfaces, cell.model.laws, cell.scratch.points
    law = laws.of[surfaces.material[a], surfaces.material[b]]
    deepest = points[np.argmax(found.depth[points])]
    depth = float(found.depth[deepest])
    n_W = found.n_W[deepest]  # from b into a
    moving, other, way = (a, b, n_W) if surfaces.moves[a] else (b, a, -n_W)
    layer = math.inf
    for thin, solid in ((a, b), (b, a)):
        if surfaces.shape[thin] in THIN and depth > laws.layer[law]:
            if depth >= _extent(cell, solid, n_W):  # all of it is behind, where nothing touches it
                return None
            layer = float(laws.layer[law])
    if math.isinf(layer) and not _pushes(cell, a, b, np.maximum(found.depth[points], 0.0), points):
        return None
    names = list(cell.spec.surface)
    return Overlap(names[moving], names[other], depth, (way[0], way[1], way[2]), layer)


def _pushes(cell: Cell, a: int, b: int, depth: Floats, points: Ints) -> bool:
    """Whether two surfaces push each other far harder than weight would."""
    surfaces, laws = cell.model.surfaces, cell.model.laws
    law = laws.of[surfaces.material[a], surfaces.material[b]]
    c, n = laws.stiffness[law] * cell.scratch.points.share[points], laws.exponent[law]
    mass = min(cell.model.bodies.mass[surfaces.body[k]] for k in (a, b) if surfaces.moves[k])
    force = float(np.sum(c * depth**n))
    energy = float(np.sum(c * depth ** (n + 1) / (n + 1)))
    weight = mass * math.hypot(*cell.model.gravity)
    return bool(force > FIRM * weight and energy > mass * FAST**2 / 2)


def _extent(cell: Cell, this: int, n_W: Floats) -> float:
    """How far a surface reaches along a direction, from its one end to its other: 2 h(n)."""
    surfaces = cell.model.surfaces
    if surfaces.shape[this] == HALF_SPACE:
        return math.inf
    n = cell.scratch.broad_phase.R_W[this].reshape(3, 3).T @ n_W
    is_rim = surfaces.shape[this] in RIMMED
    round_part = surfaces.radius[this] * (math.hypot(n[0], n[1]) if is_rim else 1.0)
    return 2.0 * float(np.abs(n) @ surfaces.half[this] + round_part)

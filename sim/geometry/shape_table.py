"""Tables with one entry a shape: one that leaves a shape out is not imported.

What differs from shape to shape stands in such a table, right below the kernels that it names.
`choose` makes of it one kernel that takes the number of the shape first. Shapes with the same entry
share a branch, and a table with one entry for all of them costs nothing:

    extent(solid, n) = {SPHERE: f, BOX: f, HULL: g, ...}[solid.shape](solid, n)
"""

from collections.abc import Mapping
from typing import TypeVar

from twincell.sim.compose import Kernel, by_number
from twincell.sim.model import (
    BOX,
    CAPSULE,
    CYLINDER,
    DISC,
    HALF_SPACE,
    RECTANGLE,
    SHAPES,
    SPHERE,
)

OfShape = TypeVar("OfShape")  # what a table says of a shape: a kernel, a fact, a form

SHAPE_NAMES = {  # as files have them
    SPHERE: "sphere",
    RECTANGLE: "rectangle",
    DISC: "disc",
    CYLINDER: "cylinder",
    CAPSULE: "capsule",
    BOX: "box",
    HALF_SPACE: "half_space",
}


def complete(what: str, entries: Mapping[int, OfShape]) -> dict[int, OfShape]:
    """The same table, if it has an entry for every shape."""
    missing = [SHAPE_NAMES.get(shape, str(shape)) for shape in SHAPES if shape not in entries]
    if missing:
        raise TypeError(f"the table of {what} has no entry for {', '.join(missing)}")
    return dict(entries)


def choose(what: str, entries: Mapping[int, Kernel]) -> Kernel:
    """A kernel that passes what follows the number of a shape on to the entry of that shape."""
    *_, last = dict.fromkeys(complete(what, entries).values())
    return by_number(entries, otherwise=last)  # no shape is left for it but its own

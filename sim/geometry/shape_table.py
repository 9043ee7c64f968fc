"""Tables with one entry a shape: one that leaves a shape out is not imported.

What differs from shape to shape stands in such a table, right below the kernels that it names.
`choose` makes of it one kernel that takes the number of the shape first. Shapes with the same entry
share a branch, and a table with one entry for all of them costs nothing:

    extent(solid, n) = {SPHERE: f, BOX: f, HULL: g, ...}[solid.shape](solid, n)
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from twincell.sim.jit import formula
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

Entry = TypeVar("Entry")

SHAPE_NAMES = {  # as files have them
    SPHERE: "sphere",
    RECTANGLE: "rectangle",
    DISC: "disc",
    CYLINDER: "cylinder",
    CAPSULE: "capsule",
    BOX: "box",
    HALF_SPACE: "half_space",
}


def complete(what: str, entries: Mapping[int, Entry]) -> dict[int, Entry]:
    """The same table, if it has an entry for every shape."""
    missing = [SHAPE_NAMES.get(shape, str(shape)) for shape in SHAPES if shape not in entries]
    if missing:
        raise TypeError(f"the table of {what} has no entry for {', '.join(missing)}")
    return dict(entries)


def choose(what: str, entries: Mapping[int, Callable[..., Any]]) -> Callable[..., Any]:
    """A kernel that passes what follows the number of a shape on to the entry of that shape."""
    shapes_of: dict[Callable[..., Any], tuple[int, ...]] = {}
    for shape, entry in complete(what, entries).items():
        shapes_of[entry] = (*shapes_of.get(entry, ()), shape)
    *others, last = shapes_of

    @formula
    def chosen(_shape, *arguments):
        return last(*arguments)

    for entry in reversed(others):
        chosen = _either(shapes_of[entry], entry, chosen)
    return chosen


def _either(
    shapes: tuple[int, ...], entry: Callable[..., Any], otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """The entry for these shapes, and something else for all others."""

    @formula
    def either(shape, *arguments):
        if shape in shapes:
            return entry(*arguments)
        return otherwise(shape, *arguments)

    return either

"""Shapes of surfaces and of collision objects as numbers."""

import math
from collections.abc import Callable
from typing import Any

from twincell.sim.geometry.shape_table import SHAPE_NAMES, complete
from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE
from twincell.sim.spec.cell import CollisionObject
from twincell.sim.spec.contact import Surface
from twincell.sim.spec.table import given_shape

Sizes = tuple[tuple[float, float, float], float, float]  # half extents, radius, ball around it
Shape = tuple[int, tuple[float, float, float], float, float]  # kind, half, radius, size

NOTHING = (0.0, 0.0, 0.0)
SHAPE_NUMBERS = {name: shape for shape, name in SHAPE_NAMES.items()}


def _round(given: Any) -> Sizes:
    return NOTHING, given.radius_m, given.radius_m


def _rectangle(given: Any) -> Sizes:
    x, y = given.length_m / 2, given.width_m / 2
    return (x, y, 0.0), 0.0, math.hypot(x, y)


def _cylinder(given: Any) -> Sizes:
    r, z = given.radius_m, given.length_m / 2
    return (0.0, 0.0, z), r, math.hypot(r, z)


def _capsule(given: Any) -> Sizes:
    r, z = given.radius_m, given.length_m / 2
    return (0.0, 0.0, z), r, r + z


def _box(given: Any) -> Sizes:
    x, y, z = (edge / 2 for edge in given.size_m)
    return (x, y, z), 0.0, math.hypot(x, y, z)


def _half_space(_given: Any) -> Sizes:
    return NOTHING, 0.0, math.inf


SIZES: dict[int, Callable[[Any], Sizes]] = complete(
    "sizes",
    {
        SPHERE: _round,
        RECTANGLE: _rectangle,
        DISC: _round,
        CYLINDER: _cylinder,
        CAPSULE: _capsule,
        BOX: _box,
        HALF_SPACE: _half_space,
    },
)


def shape_numbers(item: Surface | CollisionObject) -> Shape:
    """Number of the shape, half extents, radius, and radius of the ball around it."""
    name, given = given_shape(item)
    shape = SHAPE_NUMBERS[name]
    return shape, *SIZES[shape](given)

"""Shapes of surfaces and of collision objects as numbers."""

import math

from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE
from twincell.sim.spec.cell import CollisionObject
from twincell.sim.spec.contact import Surface

Shape = tuple[int, tuple[float, float, float], float, float]  # kind, half, radius, size


def shape_numbers(item: Surface | CollisionObject) -> Shape:
    """Number of the shape, half extents, radius, and radius of the ball around it."""
    nothing = (0.0, 0.0, 0.0)
    if item.sphere:
        r = item.sphere.radius_m
        return SPHERE, nothing, r, r
    if item.rectangle:
        x, y = item.rectangle.length_m / 2, item.rectangle.width_m / 2
        return RECTANGLE, (x, y, 0.0), 0.0, math.hypot(x, y)
    if item.disc:
        r = item.disc.radius_m
        return DISC, nothing, r, r
    if item.cylinder:
        r, z = item.cylinder.radius_m, item.cylinder.length_m / 2
        return CYLINDER, (0.0, 0.0, z), r, math.hypot(r, z)
    if item.capsule:
        r, z = item.capsule.radius_m, item.capsule.length_m / 2
        return CAPSULE, (0.0, 0.0, z), r, r + z
    if item.box:
        x, y, z = (edge / 2 for edge in item.box.size_m)
        return BOX, (x, y, z), 0.0, math.hypot(x, y, z)
    return HALF_SPACE, nothing, 0.0, math.inf

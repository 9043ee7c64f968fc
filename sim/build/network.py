"""Collision and constrained objects as arrays, and the grid of the broad phase."""

from collections.abc import Mapping

import numpy as np

from sim.build.bodies import floats, ints
from sim.model import (
    CONTROL,
    NONE,
    PASSIVE,
    RECTANGLE,
    SPHERE,
    CollisionObjects,
    ConstrainedObjects,
)
from sim.spec.cell import CellSpec, CollisionObject

LARGE = 4.0  # times the median reach: an object that would make the grid too coarse; chosen


def build_collision(spec: CellSpec, port: Mapping[str, int]) -> tuple[CollisionObjects, float, int]:
    """Collision objects, and the cell size and mask of the grid that finds them."""
    objects = list(spec.collision_object.values())
    command = {name: k for k, name in enumerate(commanded(spec))}
    changer = {c.flange: k for k, c in enumerate(spec.tool_changer.values())}
    stand = {s.holder: k for k, s in enumerate(spec.tool_stand.values())}
    half = floats([_half(o) for o in objects], 3)
    radius = floats([o.sphere.radius_m if o.sphere else 0 for o in objects])

    # how far from its origin an object can touch anything
    widest = max((o.radius_m for o in spec.constrained_object.values()), default=0.0)
    reach = np.where(radius > 0, radius + widest, np.hypot(np.hypot(*half.T[:2]), widest))
    large = reach > LARGE * np.median(reach) if len(objects) else np.zeros(0, dtype=bool)
    cell = 2 * float(reach[~large].max()) if len(objects) else 1.0
    n_bucket = 1 << max(1, 2 * len(objects) - 1).bit_length()
    return (
        CollisionObjects(
            port=ints([port[o.on] for o in objects]),
            mode=ints([CONTROL if o.mode == "control" else PASSIVE for o in objects]),
            command=ints([command.get(name, NONE) for name in spec.collision_object]),
            changer=ints([changer.get(name, NONE) for name in spec.collision_object]),
            shape=ints([SPHERE if o.sphere else RECTANGLE for o in objects]),
            radius=radius,
            half=half,
            large=ints(large.tolist()),
            stand=ints([stand.get(name, NONE) for name in spec.collision_object]),
        ),
        cell,
        n_bucket - 1,
    )


def commanded(spec: CellSpec) -> list[str]:
    """Control objects that a controller opens and closes itself, without a tool changer."""
    driven = {changer.flange for changer in spec.tool_changer.values()}
    return [
        name
        for name, o in spec.collision_object.items()
        if o.mode == "control" and name not in driven
    ]


def _half(o: CollisionObject) -> tuple[float, float, float]:
    if o.rectangle is None:
        return (0.0, 0.0, 0.0)
    return (o.rectangle.length_m / 2, o.rectangle.width_m / 2, 0.0)


def build_constrained(spec: CellSpec, port: Mapping[str, int]) -> ConstrainedObjects:
    """Constrained objects; a grip as stiff in turning as a ring of its radius."""
    objects = list(spec.constrained_object.values())
    return ConstrainedObjects(
        port=ints([port[o.on] for o in objects]),
        radius=floats([o.radius_m for o in objects]),
        eta=floats([o.eta for o in objects]),
        transition=floats([o.transition_s if o.transition else 0 for o in objects]),
        offset=ints([int(o.offset) for o in objects]),
        release_factor=floats([o.release_factor for o in objects]),
        grip=floats(
            [
                [o.eta**2 / o.grip_stiffness_n_m, o.eta**2 / (o.grip_stiffness_n_m * o.radius_m**2)]
                for o in objects
            ],
            2,
        ),
    )

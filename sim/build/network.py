"""Collision and constrained objects as arrays, and the grid of the broad phase."""

from collections.abc import Mapping

import numpy as np

from twincell.sim.build.bodies import floats, ints
from twincell.sim.build.shapes import shape_numbers
from twincell.sim.devices import DEVICES, modules
from twincell.sim.model import (
    CONTROL,
    NONE,
    PASSIVE,
    Bodies,
    CollisionObjects,
    ConstrainedObjects,
    Ports,
)
from twincell.sim.spec.cell import CellSpec

# of the inverse mass that it holds, what a grip gives way at least; chosen: with six digits to
# spare, grips that share a load are still told from rigid ones
LEAST_GRIP = 1e-10
LARGE = 4.0  # times the median reach: an object that would make the grid too coarse; chosen


def build_collision(spec: CellSpec, port: Mapping[str, int]) -> tuple[CollisionObjects, float, int]:
    """Collision objects, and the cell size and mask of the grid that finds them."""
    objects = list(spec.collision_object.values())
    command = {name: k for k, name in enumerate(commanded(spec))}
    held = held_by_devices(spec)
    obeys = [held.get(name, (NONE, 0)) for name in spec.collision_object]
    shapes = [shape_numbers(o) for o in objects]

    # how far from its origin an object can touch anything
    widest = max((o.radius_m for o in spec.constrained_object.values()), default=0.0)
    reach = floats([size for _, _, _, size in shapes]) + widest
    large = reach > LARGE * np.median(reach) if len(objects) else np.zeros(0, dtype=bool)
    cell = 2 * float(reach[~large].max()) if len(objects) else 1.0
    n_bucket = 1 << max(1, 2 * len(objects) - 1).bit_length()
    return (
        CollisionObjects(
            port=ints([port[o.on] for o in objects]),
            mode=ints([CONTROL if o.mode == "control" else PASSIVE for o in objects]),
            command=ints([command.get(name, NONE) for name in spec.collision_object]),
            device=ints([device for device, _ in obeys]),
            item=ints([item for _, item in obeys]),
            shape=ints([shape for shape, _, _, _ in shapes]),
            radius=floats([radius for _, _, radius, _ in shapes]),
            half=floats([half for _, half, _, _ in shapes], 3),
            large=ints(large.tolist()),
        ),
        cell,
        n_bucket - 1,
    )


def commanded(spec: CellSpec) -> list[str]:
    """Control objects that a controller opens and closes itself: no device does."""
    held = held_by_devices(spec)
    return [
        name
        for name, o in spec.collision_object.items()
        if o.mode == "control" and name not in held
    ]


def held_by_devices(spec: CellSpec) -> dict[str, tuple[int, int]]:
    """Collision objects that obey a device: the number of its kind, and theirs."""
    return {
        name: (DEVICES.index(device), holder.item)
        for device, module in modules("spec").items()
        if hasattr(module, "holders")
        for name, holder in module.holders(spec).items()
    }


def build_constrained(
    spec: CellSpec, port: Mapping[str, int], ports: Ports, bodies: Bodies
) -> ConstrainedObjects:
    """Constrained objects; a grip as stiff in turning as a ring of its radius."""
    objects = list(spec.constrained_object.values())
    on = ints([port[o.on] for o in objects])
    radius = floats([o.radius_m for o in objects])
    eta = floats([o.eta for o in objects])

    # m η²/k ≥ LEAST_GRIP, m the mass of the tree that is held
    mass = np.bincount(bodies.tree, bodies.mass)[bodies.tree[ports.body[on]]]
    grip = np.maximum(eta**2 / floats([o.grip_stiffness_n_m for o in objects]), LEAST_GRIP / mass)
    return ConstrainedObjects(
        port=on,
        radius=radius,
        eta=eta,
        transition=floats([o.transition_s if o.transition else 0 for o in objects]),
        offset=ints([int(o.offset) for o in objects]),
        release_factor=floats([o.release_factor for o in objects]),
        grip=np.ascontiguousarray(np.column_stack([grip, grip / radius**2])),
    )

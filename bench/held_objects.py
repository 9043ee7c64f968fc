"""The same job for everybody: n rigid bodies, each held by a weld in its own place.

Each body starts some millimetres and degrees away from where its holder wants it, and is pulled
there with ξ̈ + 2η ξ̇ + η² ξ = 0. Half of the holders are passive, half are grippers that are closed,
so that in every tick the held objects also look for a gripper that could take them over.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bench.own_cell import contestant
from bench.rounds import Contestant
from twincell.sim.cell import Cell
from twincell.sim.spec.cell import Body, CellSpec, CollisionObject, ConstrainedObject, Frame, Sphere
from twincell.sim.spec.table import Vector

ETA = 50.0  # [1/s]
STEP_S = 0.001
MASS_KG = 1.0
INERTIA_KG_M2 = (0.010, 0.012, 0.015)
AWAY_M = (0.005, -0.003, 0.004)
AWAY_DEG = (2.0, -1.0, 1.5)
TICKS = 100  # of a round: from the start to e⁻⁵ of the displacement, both moving and at rest
HERE_M = (0.31, 0.17, 0.53)  # of the first holder: not at 0, where errors would become denormal
Integrator = Literal["rk4", "semi_implicit"]


def places(n: int) -> list[Vector]:
    """Where the holders stand: a cubic grid, 0.5 m apart."""
    side = math.ceil(round(n ** (1 / 3), 9))
    return [
        (
            HERE_M[0] + 0.5 * (k % side),
            HERE_M[1] + 0.5 * (k // side % side),
            HERE_M[2] + 0.5 * (k // side**2),
        )
        for k in range(n)
    ]


def plus(a: Vector, b: Vector) -> Vector:
    """Sum of two positions."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def held_objects(n: int, integrator: Integrator = "rk4") -> CellSpec:
    """A cell in which n objects are held."""
    where = places(n)
    return CellSpec(
        name=f"{n} held objects",
        step_s=STEP_S,
        integrator=integrator,
        frame={f"Place{k}": Frame(position_m=p) for k, p in enumerate(where)},
        body={
            f"Body{k}": Body(
                mass_kg=MASS_KG,
                inertia_kg_m2=INERTIA_KG_M2,
                position_m=plus(p, AWAY_M),
                orientation_deg=AWAY_DEG,
            )
            for k, p in enumerate(where)
        },
        collision_object={
            f"Holder{k}": CollisionObject(
                on=f"Place{k}",
                sphere=Sphere(radius_m=0.05),
                mode="control" if k % 2 else "passive",
                closed=bool(k % 2),
            )
            for k in range(n)
        },
        constrained_object={
            f"Tool{k}": ConstrainedObject(on=f"Body{k}", radius_m=0.05, eta=ETA) for k in range(n)
        },
    )


def start_quaternion() -> NDArray[np.float64]:
    """Orientation (w, x, y, z) in which every body starts."""
    cell = Cell(held_objects(1))
    return np.array(cell.state.q_WB[0])


def ours(n: int, ticks: int = TICKS, integrator: Integrator = "rk4") -> Contestant:
    """Our cell with n held objects, from its start for some ticks."""
    return contestant(Cell(held_objects(n, integrator)), ticks)

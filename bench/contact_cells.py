"""Things that touch: boxes that rest on a table, a tower of them, a pile of spheres in a bin.

The pile is let fall, layer over layer, each sphere a little off its place, and settles within half
a second. The parameters are those of a rubber ball on a hard floor.
"""

import math
from typing import Literal

from twincell.sim.spec.cell import Body, CellSpec, Frame
from twincell.sim.spec.contact import (
    BoxSurface,
    HalfSpaceSurface,
    Material,
    RectangleSurface,
    SphereSurface,
    Surface,
)
from twincell.sim.spec.table import Vector

STEP_S = 0.001
EDGE_M = 0.05  # of a box
BOX_KG = 0.2
RADIUS_M = 0.03
SPHERE_KG = 0.1
SPHERE_KG_M2 = 0.4 * SPHERE_KG * RADIUS_M**2
BIN_M = 0.13  # from the middle to a wall: four spheres abreast
FRICTION = 0.5
STIFFNESS = 2e4  # a sphere's weight presses it in by 50 µm
Integrator = Literal["rk4", "semi_implicit"]

MATERIAL = Material(
    stiffness=STIFFNESS,
    exponent=1.0,
    damping=40.0,
    damping_exponent=0.0,
    static_friction=FRICTION,
    stick_speed_m_s=1e-3,
)
WALLS = {  # of the bin: where, and turned so that z points inwards
    "Floor": ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "Left": ((-BIN_M, 0.0, 0.0), (0.0, 90.0, 0.0)),
    "Right": ((BIN_M, 0.0, 0.0), (0.0, -90.0, 0.0)),
    "Front": ((0.0, -BIN_M, 0.0), (-90.0, 0.0, 0.0)),
    "Back": ((0.0, BIN_M, 0.0), (90.0, 0.0, 0.0)),
}


def resting_boxes(n: int, integrator: Integrator = "rk4") -> CellSpec:
    """n boxes on one table, each as deep in it as its weight presses it."""
    side = math.ceil(math.sqrt(n))
    inertia = BOX_KG * EDGE_M**2 / 6
    sunk = BOX_KG * 9.81 / (4 * STIFFNESS)  # shared by four corners
    places = [(2 * EDGE_M * (k % side), 2 * EDGE_M * (k // side)) for k in range(n)]
    box = BoxSurface(size_m=(EDGE_M, EDGE_M, EDGE_M))
    length = 4 * EDGE_M * side
    table = RectangleSurface(length_m=length, width_m=length)
    return CellSpec(
        name=f"{n} boxes on a table",
        step_s=STEP_S,
        integrator=integrator,
        frame={"Table": Frame(position_m=(EDGE_M * side, EDGE_M * side, 0.0))},
        body={
            f"Box{k}": Body(
                mass_kg=BOX_KG,
                inertia_kg_m2=(inertia, inertia, inertia),
                position_m=(x, y, EDGE_M / 2 - sunk),
            )
            for k, (x, y) in enumerate(places)
        },
        material={"Rubber": MATERIAL},
        surface={
            "TableTop": Surface(on="Table", material="Rubber", rectangle=table),
            **{f"Skin{k}": Surface(on=f"Box{k}", material="Rubber", box=box) for k in range(n)},
        },
    )


def tower(n: int) -> CellSpec:
    """n boxes on each other, each as deep in the one below as what it bears presses it."""
    inertia = BOX_KG * EDGE_M**2 / 6
    box = BoxSurface(size_m=(EDGE_M, EDGE_M, EDGE_M))
    sunk = [BOX_KG * 9.81 * (n - k) / (4 * STIFFNESS) for k in range(n)]
    return CellSpec(
        name=f"a tower of {n} boxes",
        step_s=STEP_S,
        frame={"Ground": Frame()},
        body={
            f"Box{k}": Body(
                mass_kg=BOX_KG,
                inertia_kg_m2=(inertia, inertia, inertia),
                position_m=(0.0, 0.0, EDGE_M * (k + 0.5) - sum(sunk[: k + 1])),
            )
            for k in range(n)
        },
        material={"Rubber": MATERIAL},
        surface={
            "Floor": Surface(on="Ground", material="Rubber", half_space=HalfSpaceSurface()),
            **{f"Skin{k}": Surface(on=f"Box{k}", material="Rubber", box=box) for k in range(n)},
        },
    )


def pile_places(n: int) -> list[Vector]:
    """Where the spheres start: layers of four by four, each a little off its place."""
    pitch = 2.1 * RADIUS_M
    return [
        (
            pitch * (k % 4 - 1.5) + 0.002 * math.sin(1.0 + 7.0 * k),
            pitch * (k // 4 % 4 - 1.5) + 0.002 * math.sin(2.0 + 11.0 * k),
            RADIUS_M + 0.005 + 2.3 * RADIUS_M * (k // 16),
        )
        for k in range(n)
    ]


def pile(n: int, integrator: Integrator = "rk4", tolerance: float = 1e-7) -> CellSpec:
    """n spheres that fall into a bin."""
    inertia = (SPHERE_KG_M2, SPHERE_KG_M2, SPHERE_KG_M2)
    ball = SphereSurface(radius_m=RADIUS_M)
    return CellSpec(
        name=f"a pile of {n} spheres",
        step_s=STEP_S,
        integrator=integrator,
        contact_tolerance=tolerance,
        frame={
            name: Frame(position_m=at, orientation_deg=turned)
            for name, (at, turned) in WALLS.items()
        },
        body={
            f"Ball{k}": Body(mass_kg=SPHERE_KG, inertia_kg_m2=inertia, position_m=at)
            for k, at in enumerate(pile_places(n))
        },
        material={"Rubber": MATERIAL},
        surface={
            **{
                f"{name}Side": Surface(on=name, material="Rubber", half_space=HalfSpaceSurface())
                for name in WALLS
            },
            **{
                f"Skin{k}": Surface(on=f"Ball{k}", material="Rubber", sphere=ball) for k in range(n)
            },
        },
    )

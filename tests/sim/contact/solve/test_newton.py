"""Forces and motion of a tick belong together, however many bodies press on each other."""

import math

import numpy as np
import pytest

from twincell.sim.cell import Cell
from twincell.sim.contact.solve.groups import FEW_ISLANDS
from twincell.sim.spec.cell import Body, CellSpec, Frame
from twincell.sim.spec.contact import HalfSpaceSurface, Material, SphereSurface, Surface
from twincell.sim.spec.joint import PrismaticJoint

SOFT = Material(
    stiffness=2e4, exponent=1.0, damping=40.0, damping_exponent=0.0,
    static_friction=0.5, rolling_m=1e-4,
)  # fmt: skip


def heap(n: int, clamp: bool = False) -> Cell:
    """Balls that lie on each other, and two jaws on top whose springs press them together."""
    balls = {
        f"Ball{k}": Body(
            mass_kg=0.1 + 0.05 * k,
            inertia_kg_m2=(4e-5, 4e-5, 4e-5),
            position_m=(
                0.059 * (k % 3) + 0.029 * (k // 3),
                0.004 * (k % 2),
                0.0299 + 0.0515 * (k // 3),
            ),
        )
        for k in range(n)
    }
    jaws = {"Left": -0.0296, "Right": 0.0296} if clamp else {}
    small = (4e-5, 4e-5, 4e-5)
    base = {"Base": Body(mass_kg=0.3, inertia_kg_m2=small, position_m=(0.059, 0.002, 0.2))}
    skin = SphereSurface(radius_m=0.03)
    return Cell(
        CellSpec(
            name="heap",
            integrator="semi_implicit",  # after a tick places are still those of its contacts
            frame={"Ground": Frame()},
            body={
                **balls,
                **(base if clamp else {}),
                **{name: Body(mass_kg=0.2, inertia_kg_m2=small) for name in jaws},
            },
            joint={
                f"{name}Slide": PrismaticJoint(
                    type="prismatic",
                    parent="Base",
                    child=name,
                    position_m=(x, 0.0, -0.118),
                    axis=(-math.copysign(1.0, x), 0.0, 0.0),
                    stiffness_n_m=500.0,
                    rest_m=0.01,
                )
                for name, x in jaws.items()
            },
            material={"Soft": SOFT},
            surface={
                "Floor": Surface(on="Ground", material="Soft", half_space=HalfSpaceSurface()),
                **{f"Skin{k}": Surface(on=k, material="Soft", sphere=skin) for k in balls | jaws},
            },
        )
    )


def group_size(cell: Cell) -> int:
    """Bodies of the largest group that contacts joined in this tick."""
    leader = cell.scratch.contacts.leader
    heads = []
    for head in range(cell.model.n_driven, len(cell.model.bodies.mass)):
        while leader[head] != head:
            head = leader[head]
        heads.append(int(head))
    return max(heads.count(head) for head in heads)


def error_of_momentum(cell: Cell) -> float:
    """What the velocities gained in the sub-steps lack of the impulses, as a share of these.

    Island by island: what its joints pass on stays within it.
    """
    contacts, bodies = cell.scratch.contacts, cell.model.bodies
    root, c_W = cell.scratch.islands.root, cell.scratch.placed.c_W
    n = int(contacts.n[0])
    lacking = np.zeros((len(bodies.mass), 3))
    for point in range(n):
        touching = cell.model.surfaces.body[contacts.surface[point]]
        for body, sign in zip(touching, (1.0, -1.0), strict=True):
            if body >= cell.model.n_driven:
                lacking[root[body]] += sign * contacts.impulse[point, :3]
    for body in range(cell.model.n_driven, len(bodies.mass)):
        linear, angular = contacts.velocity_gain[body, :3], contacts.velocity_gain[body, 3:]
        gained = linear + np.cross(angular, c_W[body] - c_W[root[body]])
        lacking[root[body]] -= bodies.mass[body] * gained
    given = np.linalg.norm(contacts.impulse[:n, :3], axis=1).sum()
    return float(np.linalg.norm(lacking, axis=1).sum() / given)


# forces are settled in each sub-step to 1e-10 of their sum, in a crowd to 1e-7
@pytest.mark.parametrize(("n", "bound"), [(FEW_ISLANDS, 1e-9), (FEW_ISLANDS + 2, 1e-6)])
def test_velocities_gained_are_those_of_the_impulses_given(n, bound):
    cell = heap(n)
    largest = 0
    for _ in range(100):
        cell.run(1)
        largest = max(largest, group_size(cell))
        if cell.scratch.contacts.impulse[: cell.scratch.contacts.n[0]].any():
            assert error_of_momentum(cell) < bound
    assert largest == n


def test_links_of_one_island_that_touch_each_other_settle_as_well():
    cell = heap(3, clamp=True)
    pressed = 0
    for _ in range(100):
        cell.run(1)
        contacts = cell.scratch.contacts
        n = int(contacts.n[0])
        if contacts.impulse[:n].any():
            assert error_of_momentum(cell) < 1e-9
        ends = cell.scratch.islands.root[cell.model.surfaces.body[contacts.surface[:n]]]
        within = (ends[:, 0] == ends[:, 1]) & contacts.impulse[:n, :3].any(axis=1)
        pressed += bool(within.any())
    assert pressed > 50
    assert not cell.fault

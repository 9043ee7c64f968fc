"""Forces and motion of a tick belong together, however many bodies press on each other."""

import numpy as np
import pytest

from sim.cell import Cell
from sim.contact.groups import FEW_ISLANDS
from sim.spec.cell import Body, CellSpec, Frame
from sim.spec.contact import HalfSpaceSurface, Material, SphereSurface, Surface


def heap(n: int) -> Cell:
    """Balls that lie on each other."""
    soft = Material(
        stiffness=2e4, exponent=1.0, damping=40.0, damping_exponent=0.0,
        static_friction=0.5, rolling_m=1e-4,
    )  # fmt: skip
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
    skin = SphereSurface(radius_m=0.03)
    return Cell(
        CellSpec(
            name="heap",
            frame={"Ground": Frame()},
            body=balls,
            material={"Soft": soft},
            surface={
                "Floor": Surface(on="Ground", material="Soft", half_space=HalfSpaceSurface()),
                **{f"Skin{k}": Surface(on=k, material="Soft", sphere=skin) for k in balls},
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
    """What the velocities gained in the sub-steps lack of the impulses, as a share of these."""
    contacts, bodies = cell.scratch.contacts, cell.model.bodies
    n = int(contacts.n[0])
    given = np.zeros((len(bodies.mass), 3))
    for point in range(n):
        touching = cell.model.surfaces.body[contacts.surface[point]]
        for body, sign in zip(touching, (1.0, -1.0), strict=True):
            given[body] += sign * contacts.impulse[point, :3]
    lacking = 0.0
    for body in range(cell.model.n_driven, len(bodies.mass)):
        taken = bodies.mass[body] * contacts.twist[body, :3]
        lacking += float(np.linalg.norm(given[body] - taken))
    return lacking / float(np.linalg.norm(contacts.impulse[:n, :3], axis=1).sum())


# forces are settled in each sub-step to 1e-10 of their sum, in a crowd to 2e-5
@pytest.mark.parametrize(("n", "bound"), [(FEW_ISLANDS, 1e-9), (FEW_ISLANDS + 2, 1e-4)])
def test_velocities_gained_are_those_of_the_impulses_given(n, bound):
    cell = heap(n)
    largest = 0
    for _ in range(100):
        cell.run(1)
        largest = max(largest, group_size(cell))
        if cell.scratch.contacts.impulse[: cell.scratch.contacts.n[0]].any():
            assert error_of_momentum(cell) < bound
    assert largest == n

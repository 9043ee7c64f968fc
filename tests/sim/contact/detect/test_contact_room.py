"""A cell with less room than it needs goes on, and counts what it leaves out."""

import numpy as np
import pytest

from twincell.sim import sizes
from twincell.sim.cell import Cell
from twincell.sim.spec.cell import Body, CellSpec, Frame
from twincell.sim.spec.contact import BoxSurface, HalfSpaceSurface, Material, SphereSurface, Surface

EDGE = 0.05
SOFT = Material(
    stiffness=2e4, exponent=1.0, damping=40.0, damping_exponent=0.0, static_friction=0.5
)


def heap(n: int, round_ones: bool = False, backwards: bool = False) -> Cell:
    """Boxes or balls in layers of nine over a floor."""
    names = list(range(n))[:: -1 if backwards else 1]
    skin = (
        {"sphere": SphereSurface(radius_m=EDGE / 2)}
        if round_ones
        else {"box": BoxSurface(size_m=(EDGE,) * 3)}
    )
    return Cell(
        CellSpec(
            name="heap",
            frame={"Ground": Frame()},
            body={
                f"B{k}": Body(
                    mass_kg=0.2,
                    inertia_kg_m2=(8e-5,) * 3,
                    position_m=(
                        1.02 * EDGE * (k % 3) + 1e-3 * (k % 5),
                        1.02 * EDGE * (k // 3 % 3) + 1e-3 * (k % 7),
                        EDGE * (0.5 + 1.01 * (k // 9)) + 1e-5 * k,
                    ),
                )
                for k in names
            },
            material={"Soft": SOFT},
            surface={
                "Floor": Surface(on="Ground", material="Soft", half_space=HalfSpaceSurface()),
                **{f"S{k}": Surface(on=f"B{k}", material="Soft", **skin) for k in names},
            },
        )
    )


def test_a_heap_in_enough_room_leaves_nothing_out():
    cell = heap(18)
    cell.run(200)
    assert cell.scratch.points.left_out[0] == 0


@pytest.mark.parametrize("crowd", [1, 2])
@pytest.mark.parametrize("round_ones", [False, True], ids=["boxes", "balls"])
def test_a_heap_in_too_little_room_goes_on_and_stays_on_the_floor(monkeypatch, crowd, round_ones):
    monkeypatch.setattr(sizes, "CROWD", crowd)
    cell = heap(18, round_ones)
    left_out = 0
    for _ in range(300):
        cell.run(1)
        left_out += int(cell.scratch.points.left_out[0])
        assert cell.scratch.contacts.n[0] <= crowd * 19
    assert cell.fault is None
    assert left_out > 0 or round_ones  # few balls touch more than two others
    lowest = min(cell[f"B{k}.Pose.Z"] for k in range(18))
    assert lowest > 0.4 * EDGE  # soft, and on fewer points than it has: some sink in deeper


def kept(cell: Cell) -> set[tuple[str, ...]]:
    """Whose points were kept, and where they are."""
    n = int(cell.scratch.contacts.n[0])
    names = list(cell.spec.surface)
    surfaces = cell.scratch.contacts.surface[:n]
    return {
        (*sorted(names[s] for s in pair), *(f"{x:.9f}" for x in p))
        for pair, p in zip(surfaces, cell.scratch.points.p_W[:n], strict=True)
    }


def test_which_points_are_kept_does_not_depend_on_the_order_of_bodies(monkeypatch):
    monkeypatch.setattr(sizes, "CROWD", 3)
    one, two = heap(27), heap(27, backwards=True)
    rng = np.random.default_rng(4)
    sunk = 1e-4 * rng.random((27, 3))  # no two corners are as deep
    turned = 1e-3 * rng.standard_normal((27, 3))
    for cell, order in ((one, slice(None)), (two, slice(None, None, -1))):
        cell.state.p_WB[:] -= sunk[order]
        cell.state.q_WB[:, 1:] += turned[order]
        cell.state.q_WB[:] /= np.linalg.norm(cell.state.q_WB, axis=1)[:, None]
        cell.run(1)
        assert cell.scratch.points.left_out[0] > 0
    assert kept(one) == kept(two)


def test_the_deepest_point_of_two_surfaces_is_the_last_to_go(monkeypatch):
    monkeypatch.setattr(sizes, "CROWD", 1)
    cell = heap(9)
    cell.state.p_WB[:, 2] -= 1e-4
    cell.run(1)
    assert cell.scratch.contacts.n[0] == 10
    floors = cell.scratch.contacts.surface[:10]
    assert set(floors[floors[:, 0] == 0][:, 1].tolist()) == set(range(1, 10))

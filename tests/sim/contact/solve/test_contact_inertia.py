"""What earlier bodies give way: the whole factorisation where contacts make no circle."""

import numpy as np
import pytest

from twincell.sim.cell import Cell
from twincell.sim.contact.solve.contact_inertia import prepare
from twincell.sim.contact.solve.contact_system import solve_group
from twincell.sim.spec.cell import Body, CellSpec, Frame
from twincell.sim.spec.contact import HalfSpaceSurface, Material, SphereSurface, Surface

BALLS = 6
RADIUS_M = 0.03
SUNK_M = 1e-4
WOOD = Material(stiffness=1e6, exponent=1.5, static_friction=0.4)


def column(aside_m: float) -> Cell:
    """Balls on each other, so many that they are a crowd; every other one stands aside."""
    pitch = 2 * RADIUS_M - SUNK_M
    return Cell(
        CellSpec(
            name="column",
            frame={"Ground": Frame()},
            body={
                f"Ball{k}": Body(
                    mass_kg=0.1 + 0.02 * k,
                    inertia_kg_m2=(4e-5, 4e-5, 4e-5),
                    position_m=(aside_m * (k % 2), 0.0, RADIUS_M - SUNK_M + pitch * k),
                )
                for k in range(BALLS)
            },
            material={"Wood": WOOD},
            surface={
                "Floor": Surface(on="Ground", material="Wood", half_space=HalfSpaceSurface()),
                **{
                    f"Skin{k}": Surface(
                        on=f"Ball{k}", material="Wood", sphere=SphereSurface(radius_m=RADIUS_M)
                    )
                    for k in range(BALLS)
                },
            },
        )
    )


@pytest.mark.parametrize("aside_m", [0.0, 5e-4])
def test_a_column_is_answered_by_one_iteration(aside_m):
    cell = column(aside_m)
    cell.run(1)
    model, _, _, state, scratch, feedback = cell._packs
    contacts = cell.scratch.contacts
    head = next(b for b in range(cell.model.n_driven, BALLS + 1) if contacts.leader[b] == b)
    contacts.r[:] = np.random.default_rng(1).normal(size=contacts.r.shape)
    prepare(model, scratch, head, BALLS, cell.step_s)
    assert contacts.slope[: contacts.n[0]].any(axis=1).sum() == BALLS  # all of them push
    # half of the energy may be left: it ends after the first iteration that leads there
    whole, left = solve_group(
        model, state, scratch, feedback, head, BALLS, BALLS, cell.step_s, 0.5, 0.0
    )
    assert 0.0 <= left < 1e-15 * whole  # rounding, squared

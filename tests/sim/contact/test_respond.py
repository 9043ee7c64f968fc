"""How a group answers to forces, against a dense solution of (M + δ Jᵀ G J) a = f."""

import numpy as np
import pytest

from sim.cell import Cell
from sim.contact.groups import list_blocks, list_members
from sim.contact.respond import ENOUGH, gather_residual, prepare, solve_group
from sim.spec.cell import Body, CellSpec, Frame
from sim.spec.contact import HalfSpaceSurface, Material, SphereSurface, Surface

BALLS = 6
STEP = 1e-3


def heap() -> Cell:
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
        for k in range(BALLS)
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


def across(r):
    """[r x]."""
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def symmetric(a):
    return np.array([[a[0], a[3], a[4]], [a[3], a[1], a[5]], [a[4], a[5], a[2]]])


def dense(cell: Cell, members: list[int]):
    """M and M + δ Jᵀ G J, written out."""
    contacts, points = cell.scratch.contacts, cell.scratch.points
    place = {body: 6 * k for k, body in enumerate(members)}
    mass = np.zeros((6 * len(members), 6 * len(members)))
    for body, at in place.items():
        a = contacts.alone[body]
        h = a[6:15].reshape(3, 3)
        mass[at : at + 6, at : at + 6] = np.block([[symmetric(a[:6]), h], [h.T, symmetric(a[15:])]])
    whole = mass.copy()
    for point in range(contacts.n[0]):
        jacobian = np.zeros((6, len(mass)))
        for side, sign in ((0, 1.0), (1, -1.0)):
            if contacts.body[point, side] in place:
                at = place[contacts.body[point, side]]
                r = contacts.lever[point, 3 * side : 3 * side + 3]
                rate = np.block([[np.eye(3), -across(r)], [np.zeros((3, 3)), np.eye(3)]])
                jacobian[:, at : at + 6] = sign * rate
        n, slope = points.n_W[point], contacts.slope[point]
        turning = slope[6] * (np.eye(3) - np.outer(n, n))
        slopes = np.block([[symmetric(slope), np.zeros((3, 3))], [np.zeros((3, 3)), turning]])
        whole += STEP * jacobian.T @ slopes @ jacobian
    return mass, whole


@pytest.mark.parametrize("guessed", [False, True])
def test_the_answer_is_that_of_a_dense_solution(guessed):
    cell = heap()
    cell.run(2)
    scratch = cell.scratch
    contacts = scratch.contacts
    head = int(cell.model.n_driven)
    n = list_members(scratch, head)
    members = [int(body) for body in contacts.member[:n]]
    assert n == BALLS and contacts.n[0] > BALLS  # one heap, with balls that touch balls
    mass, whole = dense(cell, members)

    random = np.random.default_rng(1)
    contacts.wanted[:] = random.normal(size=contacts.wanted.shape)
    guess = random.normal(size=6 * n)
    contacts.gain[members] = guess.reshape(n, 6)
    contacts.weight[members] = (mass @ guess).reshape(n, 6)
    gather_residual(cell.model, scratch, head, n)
    force = contacts.residual[members].ravel()
    n_block = list_blocks(cell.model, scratch, head, n)
    prepare(cell.model, scratch, head, n, STEP)
    solve_group(
        cell.model, cell.state, scratch, cell.feedback, head, n, n_block, STEP, guessed, 0.0
    )
    exact = np.linalg.solve(whole, force)
    error = contacts.gain[members].ravel() - exact
    # a share of the energy may be left, measured with the preconditioner instead of the matrix
    assert error @ whole @ error <= 10 * ENOUGH * (exact @ whole @ exact)

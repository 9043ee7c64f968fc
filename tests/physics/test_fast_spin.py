"""What turns too fast for a tick keeps its moment of momentum, and gains no energy."""

import numpy as np
import pytest
from contact_scenes import solid_box
from pytest import approx
from scenes import cell_of
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

SIZE = (0.02, 0.05, 0.1)
MASS = 0.2
J = np.diag([MASS / 12 * (SIZE[1] ** 2 + SIZE[2] ** 2), MASS / 12 * (SIZE[0] ** 2 + SIZE[2] ** 2),
             MASS / 12 * (SIZE[0] ** 2 + SIZE[1] ** 2)])  # fmt: skip


def tumbling(w_rad_s, **keys):
    body = solid_box(MASS, SIZE, angular_velocity_deg_s=np.degrees(w_rad_s).tolist())
    return cell_of(body={"B": body}, gravity_m_s2=[0, 0, 0], **keys)


def momentum_and_energy(cell):
    w, x, y, z = cell.state.q_WB[0]
    R = Rotation.from_quat([x, y, z, w]).as_matrix()
    L = R @ J @ R.T @ cell.state.w_WB[0]
    return L, 0.5 * L @ cell.state.w_WB[0]


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
@pytest.mark.parametrize("speed", [600.0, 1e3, 3e3, 1e4, 1e5, 1e6])
def test_a_box_that_tumbles_fast_keeps_momentum_and_gains_no_energy(speed, integrator):
    cell = tumbling(speed * np.array([0.6, 0.64, 0.48]), integrator=integrator)
    L, energy = momentum_and_energy(cell)
    cell.run(300)
    assert not cell.fault
    L_after, energy_after = momentum_and_energy(cell)
    assert L_after == approx(L, rel=1e-9)
    # turns of a twentieth of a radian follow the motion up to 20 rad in a tick; beyond, the least
    # moment of inertia is the bound
    bound = 1.01 * energy if speed <= 1e4 else 0.5 * L @ L / J.diagonal().min()
    assert energy_after <= bound * (1 + 1e-9)


def test_a_box_that_tumbles_fast_turns_as_eulers_equations_say():
    w = np.array([300.0, 500.0, 200.0])

    def slopes(_, y):
        q, w_B = y[:4], y[4:]
        quaternion = np.array([q[1], q[2], q[3], q[0]])
        R = Rotation.from_quat(quaternion / np.linalg.norm(quaternion))
        w_W = R.apply(w_B)
        dq = 0.5 * np.array([-w_W @ q[1:], *(w_W * q[0] + np.cross(w_W, q[1:]))])
        return [*dq, *(np.linalg.solve(J, -np.cross(w_B, J @ w_B)))]

    exact = solve_ivp(slopes, (0, 0.05), [1, 0, 0, 0, *w], rtol=1e-10, atol=1e-10).y[:4, -1]
    cell = tumbling(w)
    cell.run(50)
    # 31 rad in 600 turns of 0.05 rad, each wrong by 0.05³/24
    assert abs(cell.state.q_WB[0] @ exact) == approx(1.0, abs=2e-3)

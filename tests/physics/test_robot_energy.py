"""Energy of arms: kept when nothing drives them, and else changed by what drives and friction do.

E(t) - E(0) = ∫ (effort - losses) · q̇ dt          E: kinetic, with gears, and potential
"""

import numpy as np
import pytest
from pytest import approx
from robots import random_robot, servo_gains, signal_of_axes, twin_of, write_model
from scenes import cell_of

from twincell.sim.spec.robot_files import load_model


def free_arm(folder):
    """A hinge, a slide on it and two more hinges, one of them on a branch: without friction."""
    hinge = {"type": "revolute", "speed_deg_s": 1e4, "torque_nm": 1e6}
    slide = {"type": "prismatic", "speed_m_s": 1e3, "force_n": 1e6, "gear_mass_kg": 0.5}
    link = {"mass_kg": 2.0, "inertia_kg_m2": [0.05, 0.04, 0.03, 0.01, 0.0, -0.005]}
    return write_model(
        folder / "free.toml",
        link={
            "base": {},
            "boom": {**link, "center_of_mass_m": [0.3, 0.05, 0]},
            "ram": {**link, "center_of_mass_m": [0.2, 0, 0.1]},
            "hand": {**link, "center_of_mass_m": [0.1, 0.1, 0]},
            "flap": {**link, "center_of_mass_m": [0, 0.2, 0.1]},
        },
        joint={
            "one": {
                **hinge,
                "parent": "base",
                "child": "boom",
                "axis": [0, 1, 0.2],
                "gear_inertia_kg_m2": 0.3,
            },
            "two": {**slide, "parent": "boom", "child": "ram", "axis": [0.1, 1, 0]},
            "three": {
                **hinge,
                "parent": "ram",
                "child": "hand",
                "position_m": [0.4, 0, 0],
                "axis": [1, 0, 0],
                "gear_inertia_kg_m2": 0.05,
            },
            "four": {**hinge, "parent": "boom", "child": "flap", "axis": [1, 1, 0]},
        },
    )


def energies(table, seconds, step_s):
    """Energy of an arm at the start, and how far it gets away from that."""
    cell = cell_of(step_s=step_s, robot={"R": table})
    twin, joints = twin_of(table), cell.model.axes.joint
    cell.state.qd[joints] = [0.5, 0.2, 3.0, -2.0]
    first = twin.energy(cell.state.q[joints], cell.state.qd[joints])
    swing = 0.0
    worst = 0.0
    for _ in range(20):
        cell.run(round(seconds / step_s) // 20)
        assert cell.fault is None
        q, qd = cell.state.q[joints], cell.state.qd[joints]
        worst = max(worst, abs(twin.energy(q, qd) - first))
        swing = max(swing, 0.5 * qd @ twin.mass_matrix(q) @ qd)
    return worst, swing


@pytest.fixture
def undriven(tmp_path):
    """A servo without strength: 1e-12 Nm/rad is nothing beside the weight."""
    nothing = {"stiffness_nm_rad": [1e-12] * 3, "damping_nms_rad": [0.0] * 3}
    nothing |= {"stiffness_n_m": [1e-12], "damping_ns_m": [0.0], "feed_forward": False}
    return {
        "model": free_arm(tmp_path),
        "tip": "hand",
        "start_deg": [40, 10, -30],
        "servo": nothing,
    }


def test_free_arm_keeps_its_energy(undriven):
    worst, swing = energies(undriven, 4.0, 1e-3)
    assert swing > 100.0
    # rk4 errs by about (ω h)⁵ a step; the fastest link turns with ω ≈ 6 rad/s: 4000 · 1e-11 at most
    assert worst < 4e-8 * swing


def test_energy_of_a_free_arm_drifts_with_the_order_of_the_integrator(undriven):
    coarse, fine = (energies(undriven, 2.0, h)[0] for h in (0.008, 0.004))
    # fourth order at least: energy errors of rk4 fall by 2⁴, or by 2⁵ where they are dissipation
    assert 12 < coarse / fine < 45


@pytest.mark.parametrize("seed", range(4))
def test_energy_of_a_driven_arm_changes_by_the_work_of_drives_and_friction(tmp_path, seed):
    rng = np.random.default_rng(seed)
    table = random_robot(rng, tmp_path, n_axis=5)
    n = len(load_model(table["model"]).axes)
    twin = twin_of(table)
    servo = servo_gains(twin, np.full(n, 200.0), np.full(n, 2.0))
    table["servo"] = {**servo, "feed_forward": False}
    cell = cell_of(step_s=1e-4, robot={"R": table})
    joints = cell.model.axes.joint
    first = twin.energy(cell.state.q[joints], cell.state.qd[joints])
    assert not signal_of_axes(cell, "R.JointTorque").any()
    rows = cell.run(5001)
    assert cell.fault is None
    effort, qd = (
        rows[:, [cell.signals[f"R.{name}.{k + 1}"].column for k in range(n)]]
        for name in ("JointTorque", "JointVelocity")
    )
    power = ((effort - np.array([twin.losses(row) for row in qd])) * qd).sum(axis=1)
    q_end = signal_of_axes(cell, "R.JointPosition")
    change = twin.energy(q_end, qd[-1]) - first
    work = simpson(power, 1e-4)
    assert work == approx(change, abs=1e-9 * np.abs(power).max())  # of rk4 and Simpson at 0.1 ms


def simpson(y, h):
    """Integral over an even number of steps."""
    return h / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())

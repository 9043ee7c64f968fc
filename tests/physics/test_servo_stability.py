"""Servos that the step cannot carry are refused, those that it can are stable: by a second model.

A hinge with a servo, I q̈ = -K q - D q̇ + z, stepped here in a few lines of its own; z, the
integral part, changes once a tick. Growth is the largest eigenvalue of what a step does.
"""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from pytest import approx
from robots import ARM6_POSE, FRICTION_SPEED, arm6, servo_gains, twin_of, write_model
from scenes import cell_of, column
from scipy.optimize import brentq

from twincell.sim.cell import Cell
from twincell.sim.spec import SpecError, load_text

INERTIA, GEAR, STEP = 0.5, 0.3, 1e-3
TOTAL = INERTIA + GEAR


def one_step(q, v, z, k, d, k_i, h, rk4):
    """A tick of the hinge."""

    def rates(q, v):
        return np.array([v, (-k * q - d * v + z) / TOTAL])

    x = np.array([q, v])
    if rk4:
        k1 = rates(*x)
        k2 = rates(*(x + h / 2 * k1))
        k3 = rates(*(x + h / 2 * k2))
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rates(*(x + h * k3)))
    else:
        v = v + h * rates(*x)[1]
        x = np.array([q + h * v, v])
    return np.array([*x, z - h * k_i * q])


def growth(k, d, k_i, rk4, h=STEP):
    """Largest factor by which a tick multiplies a disturbance."""
    columns = np.column_stack([one_step(*unit, k, d, k_i, h, rk4) for unit in np.eye(3)])
    part = columns if k_i > 0 else columns[:2, :2]
    return np.abs(np.linalg.eigvals(part)).max()


def gains(bandwidth_hz, ratio, integral_s):
    rate = 2 * np.pi * bandwidth_hz
    k = rate**2 * TOTAL
    return k, 2 * ratio * rate * TOTAL, k / integral_s if integral_s else 0.0


def fastest(ratio, integral_s, rk4):
    """The bandwidth at which a disturbance begins to grow."""
    tried = np.geomspace(20, 2000, 200)
    excess = [growth(*gains(f, ratio, integral_s), rk4) - 1 - 1e-6 for f in tried]
    low, high = next(
        (a, b) for (a, x), (b, y) in pairwise(zip(tried, excess, strict=True)) if x < 0 < y
    )
    return brentq(lambda f: growth(*gains(f, ratio, integral_s), rk4) - 1 - 1e-6, low, high)


def hinge_cell(folder, integrator, **servo):
    """A disc on a hinge, without weight."""
    hinge = {"type": "revolute", "parent": "base", "child": "disc", "gear_inertia_kg_m2": GEAR}
    model = write_model(
        folder / "hinge.toml",
        link={"base": {}, "disc": {"mass_kg": 1.0, "inertia_kg_m2": [INERTIA] * 3}},
        joint={"turn": {**hinge, "speed_deg_s": 1e5, "torque_nm": 1e9}},
    )
    robot = {"Disc": {"model": model, "servo": servo}}
    return cell_of(gravity_m_s2=[0, 0, 0], step_s=STEP, integrator=integrator, robot=robot)


CASES = pytest.mark.parametrize(
    ("ratio", "integral_s"), [(1.0, None), (0.3, None), (1.0, 0.05), (2.0, 0.02)]
)
INTEGRATORS = pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])


@CASES
@INTEGRATORS
def test_gains_just_below_the_limit_settle(tmp_path, integrator, ratio, integral_s):
    limit = fastest(ratio, integral_s, integrator == "rk4")
    servo = {"bandwidth_hz": 0.98 * limit, "damping_ratio": ratio}
    cell = hinge_cell(tmp_path, integrator, **servo, **_integral(integral_s))
    cell.state.q[0] = 0.1
    rows = cell.run(2000)
    angle = column(cell, rows, "Disc.JointPosition.1")
    decay = growth(*gains(0.98 * limit, ratio, integral_s), integrator == "rk4")
    assert cell.fault is None
    assert decay < 1
    assert np.abs(angle[-100:]).max() < 10 * 0.1 * decay**1900 + 1e-12


@CASES
@INTEGRATORS
def test_gains_just_above_the_limit_are_refused(tmp_path, integrator, ratio, integral_s):
    limit = 1.02 * fastest(ratio, integral_s, integrator == "rk4")
    servo = {"bandwidth_hz": limit, "damping_ratio": ratio, **_integral(integral_s)}
    with pytest.raises(SpecError, match=r"robot\.Disc\.servo: .*turn is too stiff") as refused:
        hinge_cell(tmp_path, integrator, **servo)
    told = float(re.search(r"by (\d+\.\d+)\)", str(refused.value))[1])
    wanted = growth(*gains(limit, ratio, integral_s), integrator == "rk4")
    assert told == approx(wanted, abs=0.005)  # printed with two digits
    assert wanted > 1


def _integral(integral_s):
    return {} if integral_s is None else {"integral_s": integral_s}


@INTEGRATORS
def test_engine_steps_as_the_second_model_does(tmp_path, integrator):
    """A slope of the second model: the same motion tick by tick, so its eigenvalues count."""
    cell = hinge_cell(tmp_path, integrator, bandwidth_hz=40.0, integral_s=0.1)
    cell.state.q[0] = 0.1
    angle = column(cell, cell.run(300), "Disc.JointPosition.1")
    x = np.array([0.1, 0.0, 0.0])
    for found in angle:
        assert found == approx(x[0], abs=1e-13)  # round-off of 300 ticks
        x = one_step(*x, *gains(40.0, 1.0, 0.1), STEP, integrator == "rk4")


@pytest.mark.parametrize(("integrator", "most"), [("rk4", 8.0), ("semi_implicit", 4.0)])
def test_spring_without_a_damper_is_carried_up_to_the_known_limit(tmp_path, integrator, most):
    """(h ω)² ≤ 8 for rk4, ≤ 4 for semi-implicit: as books have it."""
    limit = most / STEP**2 * TOTAL
    servo = {"damping_nms_rad": [0.0]}
    cell = hinge_cell(tmp_path, integrator, stiffness_nm_rad=[0.99 * limit], **servo)
    cell.state.q[0] = 0.1
    angle = column(cell, cell.run(2000), "Disc.JointPosition.1")
    assert np.abs(angle).max() < 0.1 * 11  # near its limit semi-implicit swings wider, by 1/√0.01
    with pytest.raises(SpecError, match=r"robot\.Disc\.servo"):
        hinge_cell(tmp_path, integrator, stiffness_nm_rad=[1.01 * limit], **servo)


def test_integral_part_faster_than_the_damping_is_refused_however_small_the_step(tmp_path):
    """Routh: 1/T < D/I, or the integral part pumps."""
    _, d, _ = gains(5.0, 0.1, None)
    servo = {"bandwidth_hz": 5.0, "damping_ratio": 0.1}
    hinge_cell(tmp_path, "rk4", **servo, integral_s=1.1 * TOTAL / d)
    with pytest.raises(SpecError, match=r"robot\.Disc\.servo"):
        hinge_cell(tmp_path, "rk4", **servo, integral_s=0.9 * TOTAL / d)


# ---------------------------------------------------------------- a whole arm


@INTEGRATORS
def test_arm_with_gains_of_our_choice_settles_from_a_disturbed_start(integrator):
    cell = cell_of(integrator=integrator, robot={"R": arm6()})
    rng = np.random.default_rng(1)
    q = cell.state.q.copy()
    cell.state.q[:] += rng.uniform(-0.01, 0.01, 6)
    cell.state.qd[:] += rng.uniform(-0.1, 0.1, 6)
    cell.run(2000)
    assert cell.fault is None
    assert cell.state.q == approx(q, abs=1e-9)  # 8 Hz, critically damped: e^-100 after 2 s


def test_arm_is_refused_when_a_mode_grows_in_some_pose():
    """As a whole: gains, friction at rest and all stops, in poses other than the engine's own."""
    table = arm6()
    cell, twin = cell_of(integrator="semi_implicit", robot={"R": table}), twin_of(table)
    lower, upper = twin.limits()
    rng = np.random.default_rng(2)
    inside = lower + rng.uniform(0, 1, (200, 6)) * (upper - lower)
    poses = np.vstack([inside, lower, upper, 0 * lower, np.radians(ARM6_POSE)])
    joints, axes = cell.model.joints, cell.model.axes
    slope = [a.damping + a.friction / FRICTION_SPEED for a in twin.model.axes]
    others = joints.stop_stiffness, joints.stop_damping + slope

    def excess(factor):
        k, d = others[0] + factor * axes.stiffness, others[1] + factor * axes.damping
        return max(arm_growth(twin.mass_matrix(q), k, d) for q in poses) - 1

    most = brentq(excess, 1, 1000, rtol=1e-3)
    # neither has looked into every pose, so there is some room between them
    lesser, greater = (
        servo_gains(twin, x * most * axes.stiffness, x * most * axes.damping) for x in (0.9, 1.1)
    )
    with pytest.raises(SpecError, match=r"robot\.R\.servo"):
        cell_of(integrator="semi_implicit", robot={"R": {**table, "servo": greater}})
    cell = cell_of(integrator="semi_implicit", robot={"R": {**table, "servo": lesser}})
    cell.state.q[:] += 1e-4
    cell.run(2000)
    assert cell.fault is None
    assert cell.state.q == approx(np.radians(ARM6_POSE), abs=1e-9)


def arm_growth(mass, k, d):
    """Growth of a semi-implicit step of springs and dampers at all joints."""
    response, eye = np.linalg.inv(mass), np.eye(len(k))
    v = np.hstack([-STEP * response * k, eye - STEP * response * d])
    x = np.vstack([np.hstack([eye, 0 * eye]) + STEP * v, v])
    return np.abs(np.linalg.eigvals(x)).max()


@pytest.mark.parametrize(("integral_s", "swings"), [(0.002, True), (0.008, True), (0.05, False)])
def test_an_integral_part_that_only_stops_and_friction_would_hold_is_refused(integral_s, swings):
    model = Path(__file__).parents[2] / "config" / "robots" / "arm6.urdf"
    text = f'name = "x"\n[robot.R]\nmodel = "{model}"\nservo = {{ integral_s = {integral_s} }}'
    if not swings:
        Cell(load_text(text))
        return
    with pytest.raises(SpecError) as caught:
        Cell(load_text(text))
    (problem,) = caught.value.problems
    assert problem.key == "robot.R.servo.integral_s" and "swing" in problem.text


def test_the_integral_part_does_not_wind_up_while_the_drive_is_at_its_limit():
    model = Path(__file__).parents[2] / "config" / "robots" / "gantry.toml"
    text = f"""
    name = "x"
    [robot.R]
    model = "{model}"
    start_m = [1.0, 0.7, 0.2]
    servo = {{ integral_s = 0.1 }}
    [body.Load]
    mass_kg = 200
    inertia_kg_m2 = [10, 10, 10]
    position_m = [1.0, 0.7, 1.5]
    [collision_object.Grip]
    on = "R"
    mode = "control"
    closed = true
    sphere = {{ radius_m = 3.0 }}
    [constrained_object.Heavy]
    on = "Load"
    radius_m = 3.0
    eta = 30
    offset = true
    """
    cell = Cell(load_text(text))
    cell.run(300)
    assert cell["R.Overload.3"] == 1.0 and cell.text("Heavy.Partner") == "Grip"
    before = cell.state.robots.integral[2]
    cell.run(100)
    # it sinks on and the error grows, but what cannot be done is not asked for ever more
    assert cell["R.Overload.3"] == 1.0
    assert cell.state.robots.integral[2] == before
    assert abs(before) <= cell.model.axes.effort[2]

"""A screw: closed forms, what no motion may change, and Pinocchio's helical joint as a judge.

A nut of mass m and inertia J about the axis feels J + m h² in its coordinate, h = pitch / 2π.
Kinematics, drives and feed-forward of robots with screws stand in `test_robot_dynamics.py`.
"""

import math

import numpy as np
import pytest
from comparison import assert_same, close_loops, engine_and_oracle, hang_at_random
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from robots import servo_gains, twin_of
from scenes import ball, cell_of, random_forest
from scipy.spatial.transform import Rotation
from screws import screw_robot, with_screws

MASS, INERTIA, G = 2.0, 0.003, 9.81
EVERY_INTEGRATOR = pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])


def nut(pitch_m, integrator="rk4", **keys):
    """A nut on an upright screw, with its centre of mass on the axis."""
    screw = {"type": "screw", "parent": "Post", "child": "Nut", "pitch_m": pitch_m, **keys}
    return cell_of(
        integrator=integrator,
        frame={"Post": {}},
        body={"Nut": ball(MASS, INERTIA)},
        joint={"Screw": screw},
    )


def felt(pitch_m):
    """Advance a radian, and inertia in the coordinate."""
    h = pitch_m / (2 * math.pi)
    return h, INERTIA + MASS * h**2


# ---------------------------------------------------------------- closed forms


@pytest.mark.parametrize("pitch_m", [0.005, 0.1, -0.1, 2.0])
def test_nut_falls_down_its_screw_as_fast_as_its_inertia_lets_it(pitch_m):
    cell = nut(pitch_m)
    cell.run(501)  # the last row is that of 0.5 s
    h, inertia = felt(pitch_m)
    angle = -0.5 * MASS * G * h / inertia * 0.5**2
    assert cell["Screw.Position"] == approx(angle, rel=1e-12)  # rk4 is exact for a parabola
    assert cell["Screw.Velocity"] == approx(angle * 4, rel=1e-12)
    assert cell["Nut.Pose.Z"] == approx(h * angle, rel=1e-12)
    assert cell["Nut.Velocity.Z"] == approx(h * angle * 4, rel=1e-12)
    assert cell["Nut.AngularVelocity.Z"] == approx(angle * 4, rel=1e-12)
    assert cell["Nut.Pose.X"] == cell["Nut.Pose.Y"] == 0


def test_nut_starts_where_its_turn_has_brought_it():
    cell = nut(0.01, start_deg=900.0, start_velocity_deg_s=360.0)
    cell.run(1)
    assert cell["Nut.Pose.Z"] == approx(0.025, rel=1e-12)  # two and a half turns
    assert cell["Nut.Velocity.Z"] == approx(0.01, rel=1e-12)  # a turn a second
    assert abs(cell["Nut.Pose.C"]) == approx(math.pi, rel=1e-12)


def test_nut_on_a_torsion_spring_swings_with_its_own_period():
    cell = nut(0.2, stiffness_nm_rad=0.5, start_deg=40.0)
    h, inertia = felt(0.2)
    rate, rest = math.sqrt(0.5 / inertia), -MASS * G * h / 0.5
    cell.run(1001)
    angle = rest + (math.radians(40) - rest) * math.cos(rate * 1.0)
    assert cell["Screw.Position"] == approx(angle, abs=1e-7)  # rk4: (ω h)⁴ / 120 a radian


@EVERY_INTEGRATOR
def test_weight_rests_on_a_stop_with_the_torque_that_its_thread_makes_of_it(integrator):
    cell = nut(0.05, integrator, lower_deg=-90.0, damping_nms_rad=0.02)
    cell.run(3000)
    h, _ = felt(0.05)
    assert cell["Screw.Velocity"] == approx(0.0, abs=1e-9)
    assert cell["Screw.Torque"] == approx(MASS * G * h, rel=1e-6)
    assert cell["Screw.Position"] < -math.pi / 2  # a little beyond: stops are springs


def test_a_very_fine_thread_is_a_hinge_and_a_very_steep_one_a_slide():
    fine, steep = nut(1e-9, stiffness_nm_rad=1.0, start_deg=30.0), nut(1e6)
    hinge = cell_of(
        frame={"Post": {}},
        body={"Nut": ball(MASS, INERTIA)},
        joint={"Screw": {"type": "revolute", "parent": "Post", "child": "Nut",
                         "stiffness_nm_rad": 1.0, "start_deg": 30.0}},
    )  # fmt: skip
    for cell in (fine, steep, hinge):
        cell.run(501)
    assert fine["Screw.Position"] == approx(hinge["Screw.Position"], abs=1e-8)
    assert steep["Nut.Pose.Z"] == approx(-0.5 * G * 0.5**2, rel=1e-9)


# ---------------------------------------------------------------- what no motion may change


def momentum_of(cell):
    """Momentum of all bodies and its moment about the world's origin, from their signals."""
    linear, angular = np.zeros(3), np.zeros(3)
    for name, body in cell.spec.body.items():
        p, v, w = ([cell[f"{name}.{what}.{x}"] for x in "XYZ"]
                   for what in ("Pose", "Velocity", "AngularVelocity"))  # fmt: skip
        R = Rotation.from_quat([cell[f"{name}.Quaternion.{x}"] for x in "XYZW"]).as_matrix()
        arm = R @ body.center_of_mass_m
        push = body.mass_kg * (v + np.cross(w, arm))
        linear += push
        angular += np.cross(p + arm, push) + R @ np.diag(body.inertia_kg_m2) @ R.T @ w
    return linear, angular


@given(
    pitch_m=st.floats(0.05, 3.0) | st.floats(-3.0, -0.05),
    axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda u: math.hypot(*u) > 0.1),
    spin_deg_s=st.tuples(*[st.floats(-90, 90)] * 3),
    rate_deg_s=st.floats(-360, 360),
)
@settings(max_examples=30, deadline=None)
def test_two_bodies_on_a_screw_in_open_space_keep_their_momentum(
    pitch_m, axis, spin_deg_s, rate_deg_s
):
    cell = cell_of(
        gravity_m_s2=[0, 0, 0],
        body={
            "Bolt": {**ball(3.0, 0.02), "angular_velocity_deg_s": spin_deg_s},
            "Nut": {
                "mass_kg": 1.0,
                "inertia_kg_m2": [0.01, 0.02, 0.025],
                "center_of_mass_m": [0.1, -0.05, 0.2],
            },
        },
        joint={
            "Screw": {
                "type": "screw",
                "parent": "Bolt",
                "child": "Nut",
                "pitch_m": pitch_m,
                "axis": axis,
                "position_m": [0.1, 0.2, 0.05],
                "start_velocity_deg_s": rate_deg_s,
                "stiffness_nm_rad": 0.2,
            }
        },
    )
    cell.run(1)
    push, turn = momentum_of(cell)
    cell.run(300)
    now = momentum_of(cell)
    # the nut is where the joint puts it, so both are kept as well as rk4 follows the joint:
    # (ω h)⁴ / 120 a radian at up to 10 rad/s, of about 1 kg m/s and 1 kg m²/s
    assert now[0] == approx(push, abs=1e-9)
    assert now[1] == approx(turn, abs=1e-9)


@given(
    seed=st.integers(0, 10_000),
    kinds=st.text("hst", min_size=1, max_size=4).filter(lambda text: "t" in text),
)
@settings(max_examples=25, deadline=None)
def test_arm_of_screws_hinges_and_slides_that_nothing_drives_keeps_its_energy(
    tmp_path_factory, seed, kinds
):
    rng = np.random.default_rng(seed)
    table = screw_robot(rng, tmp_path_factory.mktemp("arm"), kinds, loss=0.0)
    twin = twin_of(table)
    nothing = np.full(twin.n, 1e-12)
    table["servo"] = {**servo_gains(twin, nothing, 0 * nothing), "feed_forward": False}
    cell = cell_of(step_s=5e-4, robot={"R": table})
    joints, state = cell.model.axes.joint, cell.state
    state.qd[joints] = rng.uniform(-2, 2, twin.n)
    before = twin.energy(state.q[joints], state.qd[joints])
    cell.run(200)
    # rk4 of 0.5 ms; some kg fall some cm and turn at some rad/s: about ten joules change their kind
    assert twin.energy(state.q[joints], state.qd[joints]) == approx(before, abs=1e-8)


# ---------------------------------------------------------------- Pinocchio


@pytest.mark.parametrize("seed", range(12))
def test_forest_with_screws_accelerates_as_pinocchio_says(seed):
    rng = np.random.default_rng(7000 + seed)
    scene = random_forest(rng, n_body=int(rng.integers(4, 12)))
    with_screws(rng, scene)
    assert_same(*engine_and_oracle(rng, scene))


@pytest.mark.parametrize("seed", range(15))
def test_forest_with_screws_and_held_trees_equals_the_dense_system(seed):
    rng = np.random.default_rng(7100 + seed)
    scene = random_forest(rng, n_body=int(rng.integers(5, 12)))
    with_screws(rng, scene)
    hang_at_random(rng, scene, n_pair=int(rng.integers(1, 5)), ages=[None, 60])
    if seed % 3 == 0:
        close_loops(rng, scene, n_pair=2, ages=[None])
    assert_same(*engine_and_oracle(rng, scene))


# ---------------------------------------------------------------- held by the network


def test_table_on_a_lead_screw_falls_as_fast_as_the_spindle_lets_it():
    """The nut is gripped by a table on a rail, which keeps it from turning: a closed loop."""
    pitch, spindle = 0.2, 0.01
    h, mass = pitch / (2 * math.pi), 7.0
    stiff = {"grip_stiffness_n_m": 1e8}  # 70 N and 1.3 Nm bend it by about 1e-6 m and rad
    cell = cell_of(
        frame={"Post": {}},
        body={
            "Spindle": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, spindle]},
            "Nut": ball(2.0, 0.004),
            "Table": ball(mass - 2.0, 0.05),
        },
        joint={
            "Bearing": {"type": "revolute", "parent": "Post", "child": "Spindle"},
            "Thread": {"type": "screw", "parent": "Spindle", "child": "Nut", "pitch_m": pitch},
            "Rail": {"type": "prismatic", "parent": "Post", "child": "Table"},
        },
        collision_object={"Seat": {"on": "Table", "sphere": {"radius_m": 0.1}}},
        constrained_object={"Flange": {"on": "Nut", "radius_m": 0.1, "eta": 50.0, **stiff}},
    )
    cell.run(301)
    fall = -0.5 * G * mass * h**2 / (spindle + mass * h**2) * 0.3**2
    assert cell.text("Flange.Partner") == "Seat"
    assert cell["Rail.Position"] == approx(fall, rel=1e-5)
    assert cell["Thread.Position"] * h == approx(fall, rel=1e-5)
    assert cell["Bearing.Position"] == approx(-cell["Thread.Position"], rel=1e-5)

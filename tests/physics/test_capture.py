"""How a caught object comes to rest at its partner: the decay law, its forces, the transition."""

import math

import numpy as np
import pytest
from oracles import decay, share
from scenes import ball, cell_of, column, vectors
from scipy.spatial.transform import Rotation

ETA, MASS, STEP = 40.0, 2.0, 0.001
TIME = np.arange(501) * STEP
# rk4 follows a decay of rate η to (ηh)⁴/120 ≈ 2e-8 of its size in each of the 25 ticks of 1/η
AS_RK4 = 1e-6


def caught_ball(body=None, partner=None, **keys):
    """A ball without weight, caught from the start by a large sphere at the origin."""
    holder = {"on": "Middle", "sphere": {"radius_m": 1.0}, **(partner or {})}
    return cell_of(
        gravity_m_s2=[0, 0, 0],
        frame={"Middle": {}},
        body={"Ball": ball(MASS, **(body or {}))},
        collision_object={"Holder": holder},
        constrained_object={
            "Tool": {"on": "Ball", "radius_m": 0.1, "eta": ETA, "release_factor": 100, **keys}
        },
    )


def test_position_error_decays_as_the_closed_form_says():
    p, v = np.array([0.1, -0.05, 0.2]), np.array([1.0, 2.0, -3.0])
    cell = caught_ball({"position_m": p, "velocity_m_s": v})
    found = vectors(cell, cell.run(len(TIME)), "Ball.Pose")
    assert found == pytest.approx(decay(p, v, ETA, TIME[:, None]), abs=AS_RK4 * 0.2)


def test_turn_about_one_axis_decays_as_the_closed_form_says():
    axis = np.array([2.0, -1.0, 2.0]) / 3
    angle, rate = 1.2, 5.0
    c, b, a = Rotation.from_rotvec(angle * axis).as_euler("ZYX", degrees=True)
    spin = np.degrees(rate * axis)
    cell = caught_ball({"orientation_deg": [a, b, c], "angular_velocity_deg_s": spin})
    rows = cell.run(len(TIME))
    # the deviation is a length: it has no sign
    found = column(cell, rows, "Tool.AngularDeviation")
    assert found == pytest.approx(abs(decay(angle, rate, ETA, TIME)), abs=AS_RK4 * 1.2)


def test_error_decays_in_the_axes_of_a_partner_that_swings_and_turns():
    swing = {"direction": [1, 2, 2], "amplitude_m": 0.3, "amplitude_deg": 50, "frequency_hz": 1}
    cell = cell_of(
        mover={"Robot": {"position_m": [0, 0, 1], "sine": swing}},
        body={"Part": ball(MASS, position_m=[0.1, 0, 1.05])},
        collision_object={"Flange": {"on": "Robot", "sphere": {"radius_m": 1.0}}},
        constrained_object={"Tool": {"on": "Part", "radius_m": 0.1, "eta": ETA}},
    )
    rows = cell.run(len(TIME))
    quaternions = np.column_stack(
        [column(cell, rows, f"Robot.Quaternion.{x}") for x in ("X", "Y", "Z", "W")]
    )
    apart = vectors(cell, rows, "Part.Pose") - vectors(cell, rows, "Robot.Pose")
    spin = vectors(cell, rows, "Robot.AngularVelocity")[0]
    v = vectors(cell, rows, "Robot.Velocity")[0]
    seen = Rotation.from_quat(quaternions).inv().apply(apart)
    # the part starts at rest: the partner sees it go the other way
    rate = -v - np.cross(spin, apart[0])
    assert seen == pytest.approx(decay(seen[0], rate, ETA, TIME[:, None]), abs=AS_RK4 * 0.2)


def test_free_partner_sees_the_same_decay_and_gets_the_same_push():
    p, v = np.array([0.1, 0, 0]), np.array([1.0, 0, 0])
    cell = cell_of(
        gravity_m_s2=[0, 0, 0],
        body={"Ball": ball(MASS, position_m=p, velocity_m_s=v), "Base": ball(5.0)},
        collision_object={"Holder": {"on": "Base", "sphere": {"radius_m": 1.0}}},
        constrained_object={"Tool": {"on": "Ball", "radius_m": 0.1, "eta": ETA}},
    )
    rows = cell.run(len(TIME))
    apart = vectors(cell, rows, "Ball.Pose") - vectors(cell, rows, "Base.Pose")
    assert apart == pytest.approx(decay(p, v, ETA, TIME[:, None]), abs=AS_RK4 * 0.2)
    reduced = 1 / (1 / MASS + 1 / 5.0)  # along the line of centres nobody turns
    force = -reduced * (ETA**2 * p + 2 * ETA * v)
    assert cell_force(cell, rows)[0] == pytest.approx(force, rel=1e-12)
    assert vectors(cell, rows, "Holder.Force")[0] == pytest.approx(-force, rel=1e-12)


def cell_force(cell, rows):
    return vectors(cell, rows, "Tool.Force")


def test_capture_with_offset_overshoots_by_v_over_eta_e_after_one_time_constant():
    cell = caught_ball({"position_m": [0.3, 0, 0], "velocity_m_s": [0, 2.0, 0]}, offset=True)
    rows = cell.run(len(TIME))
    off = column(cell, rows, "Tool.Deviation")
    assert off == pytest.approx(2.0 * TIME * np.exp(-ETA * TIME), abs=AS_RK4 * 0.1)
    assert off.max() == pytest.approx(2.0 / (ETA * math.e), rel=1e-6)  # 1/η falls on a tick
    assert TIME[off.argmax()] == pytest.approx(1 / ETA)
    assert cell_force(cell, rows)[0] == pytest.approx([0, -2 * ETA * MASS * 2.0, 0], rel=1e-12)


def test_capture_without_offset_first_pulls_with_both_error_and_speed():
    p, v = np.array([0.3, -0.1, 0]), np.array([0, 2.0, 1.0])
    cell = caught_ball({"position_m": p, "velocity_m_s": v})
    force = cell_force(cell, cell.run(1))[0]
    assert force == pytest.approx(-MASS * (ETA**2 * p + 2 * ETA * v), rel=1e-12)


def test_force_of_a_fresh_pair_grows_as_sine_squared_of_the_full_force():
    duration, closes = 0.1, 50
    cell = caught_ball(
        {"position_m": [0.2, 0.1, 0]},
        {"mode": "control"},
        transition=True,
        transition_s=duration,
    )
    before = cell.run(closes)
    assert not column(cell, before, "Tool.Constrained").any()
    cell["Holder.Closed"] = True
    rows = cell.run(200)
    age = np.arange(200) * STEP
    xi, rate = -vectors(cell, rows, "Ball.Pose"), -vectors(cell, rows, "Ball.Velocity")
    full = MASS * (ETA**2 * xi + 2 * ETA * rate)
    s = share(age, duration)
    assert s[50] == pytest.approx(0.5)
    # age is a difference of two times near 0.1 s: known to 1e-16 / h of s at its flat start
    assert cell_force(cell, rows) == pytest.approx(s[:, None] * full, abs=1e-9 * abs(full).max())


def test_what_touches_at_the_start_has_no_transition():
    cell = caught_ball({"position_m": [0.2, 0, 0]}, transition=True, transition_s=0.1)
    force = cell_force(cell, cell.run(1))[0]
    assert force == pytest.approx([-MASS * ETA**2 * 0.2, 0, 0], rel=1e-12)


@pytest.mark.parametrize("degrees", [170.0, 179.0, 179.999, -179.0, 181.0, 190.0, 359.0])
def test_turned_object_is_pulled_the_short_way(degrees):
    cell = caught_ball({"orientation_deg": [0, 0, degrees]})
    rows = cell.run(len(TIME))
    short = (degrees + 180) % 360 - 180
    spin = column(cell, rows, "Ball.AngularVelocity.Z")
    assert np.sign(spin[1]) == -np.sign(short)
    # it never turns back, and all it turned is the short way
    assert (spin * -np.sign(short) >= -1e-9).all()
    turned = spin.sum() * STEP
    # a sum for an integral misses h²/12 of the first acceleration: (ηh)²/12 = 1.3e-4
    assert turned == pytest.approx(-math.radians(short), rel=2e-4)


def test_object_caught_with_offset_turns_with_its_partner():
    swing = {"direction": [1, 2, 2], "amplitude_m": 0.3, "amplitude_deg": 50, "frequency_hz": 1}
    cell = cell_of(
        gravity_m_s2=[0, 0, 0],
        frame={
            "Tip": {"on": "Robot", "position_m": [0.1, 0, 0.2], "orientation_deg": [30, 40, 50]},
            "Grasp": {"on": "Part", "position_m": [0, 0.1, 0], "orientation_deg": [-60, 20, 10]},
        },
        mover={"Robot": {"position_m": [0, 0, 1], "orientation_deg": [70, 10, 20], "sine": swing}},
        body={"Part": {**ball(MASS), "position_m": [0.1, 0, 1], "center_of_mass_m": [0, 0, 0.1]}},
        collision_object={"Jaw": {"on": "Tip", "mode": "control", "sphere": {"radius_m": 2.0}}},
        constrained_object={"Tool": {"on": "Grasp", "radius_m": 0.1, "eta": ETA, "offset": True}},
        timeline=[{"at_s": 0.1, "set": {"Jaw.Closed": True}}],
    )

    def seen(rows):
        """Where the tool is, and how it is turned, seen from the jaw."""
        turns = [
            Rotation.from_quat(
                np.column_stack([column(cell, rows, f"{n}.Quaternion.{x}") for x in "XYZW"])
            )
            for n in ("Jaw", "Tool")
        ]
        apart = vectors(cell, rows, "Tool.Pose") - vectors(cell, rows, "Jaw.Pose")
        return turns[0].inv().apply(apart), turns[0].inv() * turns[1]

    cell.run(100)
    rows = cell.run(1000)
    assert column(cell, rows, "Tool.Deviation")[0] == pytest.approx(0, abs=1e-15)
    assert column(cell, rows, "Tool.AngularDeviation")[0] == pytest.approx(0, abs=1e-15)
    place, turn = seen(rows)
    # settled: e^-40; rk4 at 1 ms leaves it 2e-10 behind (measured)
    assert place[-1] == pytest.approx(place[0], abs=1e-9)
    assert (turn[0].inv() * turn[-1]).magnitude() == pytest.approx(0, abs=1e-9)

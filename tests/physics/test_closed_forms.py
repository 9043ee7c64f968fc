"""Motions that have a closed form, or that others have published, against the tick."""

import math

import numpy as np
import pytest
from oracles import (
    modelica_double_pendulum,
    modelica_pendulum,
    oscillator,
    sliding_speed,
    spin_of_symmetric_body,
)
from scenes import ball, cell_of, column
from scipy.spatial.transform import Rotation

# printed digits; rk4 at 1 ms is better: (ωh)⁴ ≈ 1e-10 a radian for ω ≈ 3 rad/s
PRINTED = 2e-8
# the Modelica results were made by a solver with a tolerance of its own: their last digits are
# not those of the exact solution, which oracles.py has to 1e-12
PUBLISHED = 5e-6


def hinged(body, gravity=9.81, **joint):
    """A body on a hinge about z, in a world whose down is -y."""
    return cell_of(
        gravity_m_s2=[0, -gravity, 0],
        frame={"Base": {}},
        body={"Rod": body},
        joint={"Hinge": {"type": "revolute", "parent": "Base", "child": "Rod", **joint}},
    )


def test_pendulum_of_the_iftomm_benchmark_is_where_it_should_be_after_ten_seconds():
    point = ball(1.0, inertia=1e-12, center_of_mass_m=[-1, 0, 0])  # a point mass but for 1e-12
    cell = hinged(point)
    angle = column(cell, cell.run(10_001), "Hinge.Position")
    end = -math.cos(angle[-1]), -math.sin(angle[-1])
    assert end == pytest.approx((-0.275087463, -0.961419205), abs=PRINTED)


def test_pendulum_of_the_iftomm_benchmark_has_its_period():
    cell = hinged(ball(1.0, inertia=1e-12, center_of_mass_m=[-1, 0, 0]))
    speed = column(cell, cell.run(6000), "Hinge.Velocity")
    back = [k for k in range(1, 5999) if speed[k] * speed[k + 1] < 0][1]
    period = 1e-3 * (back + speed[back] / (speed[back] - speed[back + 1]))
    # between two ticks the speed bends by h³/8 of its third derivative, here about g²: 1e-8 s
    assert period == pytest.approx(2.3678419476, abs=2e-8)


def test_modelica_pendulum_has_the_published_angle():
    rod = {"mass_kg": 1.0, "inertia_kg_m2": [0.001] * 3, "center_of_mass_m": [0.5, 0, 0]}
    cell = hinged(rod, gravity=9.80665, damping_nms_rad=0.1)
    angle = column(cell, cell.run(5001), "Hinge.Position")[-1]
    assert angle == pytest.approx(modelica_pendulum(5.0), abs=1e-9)  # rk4 at 1 ms
    assert angle == pytest.approx(-1.67963464, abs=PUBLISHED)


def test_modelica_double_pendulum_has_the_published_angles():
    length, width = 0.5, 0.06
    mass = 7700 * length * width**2
    thin, wide = mass / 12 * (2 * width**2), mass / 12 * (length**2 + width**2)
    box = {
        "mass_kg": mass,
        "center_of_mass_m": [length / 2, 0, 0],
        "inertia_kg_m2": [thin, wide, wide],
    }
    hinge = {"type": "revolute"}
    cell = cell_of(
        gravity_m_s2=[0, -9.80665, 0],
        frame={"Base": {}},
        body={"Upper": box, "Lower": box},
        joint={
            "One": {**hinge, "parent": "Base", "child": "Upper", "damping_nms_rad": 0.1},
            "Two": {**hinge, "parent": "Upper", "child": "Lower", "position_m": [length, 0, 0]},
        },
    )
    rows = cell.run(3001)
    found = [column(cell, rows, f"{name}.Position")[-1] for name in ("One", "Two")]
    # a double pendulum multiplies small errors, ours and theirs
    assert found == pytest.approx(modelica_double_pendulum(3.0), abs=1e-7)
    assert found == pytest.approx([-2.31792856, -1.73649167], abs=10 * PUBLISHED)


def test_torque_free_body_turns_as_euler_says():
    cell = cell_of(
        gravity_m_s2=[0, 0, 0],
        body={
            "Top": {
                "mass_kg": 3.0,
                "inertia_kg_m2": [0.04, 0.04, 0.02],
                "angular_velocity_deg_s": np.degrees([2.0, -1.0, 3.0]),
            }
        },
    )
    cell.run(1000)
    R = Rotation.from_quat(np.roll(cell.state.q_WB[0], -1))
    spin = R.inv().apply(cell.state.w_WB[0])
    # rk4 at 1 ms: (3 rad/s · 1 ms)⁴ ≈ 1e-10
    assert spin == pytest.approx(spin_of_symmetric_body([2, -1, 3], 0.04, 0.02, 1.0), abs=1e-9)
    assert spin == pytest.approx([-0.85602058, -2.06572717, 3], abs=PRINTED)


def slide(gravity=0.0, **joint):
    """A block of 2 kg on a slide along z, that may hang on it."""
    return cell_of(
        gravity_m_s2=[0, 0, -gravity],
        frame={"Base": {}},
        body={"Block": ball(2.0)},
        joint={"Slide": {"type": "prismatic", "parent": "Base", "child": "Block", **joint}},
    )


def test_block_on_spring_and_damper_swings_as_the_closed_form_says():
    rest = 0.3
    cell = slide(
        start_m=0.5, start_velocity_m_s=-1.0, rest_m=rest, stiffness_n_m=800, damping_ns_m=6
    )
    found = column(cell, cell.run(2001), "Slide.Position")
    t = np.arange(2001) * cell.step_s
    # rk4 with ωh = 0.02 loses (ωh)⁴/120 a radian, over 40 radians
    assert found == pytest.approx(rest + oscillator(0.2, -1.0, 2.0, 800, 6, t), abs=1e-8)


def test_sliding_block_is_stopped_by_dry_friction():
    cell = slide(start_velocity_m_s=1.0, friction_n=4.0, friction_speed_m_s=0.02)
    found = column(cell, cell.run(1001), "Slide.Velocity")
    t = np.arange(1001) * cell.step_s
    # stiff only near rest: rate f/(m v_f) = 100 1/s, (0.1)⁴/120 of v_f
    assert found == pytest.approx(sliding_speed(1.0, 2.0, 4.0, 0.02, t), abs=1e-7)
    assert found[-1] < 1e-20  # dead still: e^(-100 t) since 0.5 s


def test_dry_friction_holds_a_block_but_for_a_creep():
    cell = slide(gravity=1.0, friction_n=4.0, friction_speed_m_s=0.02)
    found = column(cell, cell.run(1001), "Slide.Velocity")[-1]
    assert found == pytest.approx(-0.02 * math.atanh(2.0 / 4.0), rel=1e-9)  # f tanh(v/v_f) = m g


@pytest.mark.parametrize("side", ["lower_m", "upper_m"])
def test_joint_stop_holds_and_never_pulls(side):
    down = 1 if side == "lower_m" else -1
    cell = slide(gravity=9.81 * down, start_m=0.2 * down, **{side: 0.0})
    rows = cell.run(3000)
    position = column(cell, rows, "Slide.Position") * down
    effort = column(cell, rows, "Slide.Force") * down
    assert (effort >= 0).all()
    assert (effort[position >= 0] == 0).all()
    assert position.min() > -0.02  # it gives way a little when hit with 2 m/s
    k = cell.model.joints.stop_stiffness[0]
    assert position[-1] == pytest.approx(-2.0 * 9.81 / k, rel=1e-6)  # settled on its spring
    assert effort[-1] == pytest.approx(2.0 * 9.81, rel=1e-6)


def test_thrown_body_flies_a_parabola_about_its_centre_of_mass():
    cell = cell_of(
        gravity_m_s2=[1.0, 0, -9.81],
        body={
            "Stone": {
                "mass_kg": 2.0,
                "inertia_kg_m2": [0.1, 0.2, 0.15, 0.01, 0.02, -0.03],
                "center_of_mass_m": [0.1, 0.2, -0.1],
                "velocity_m_s": [1, 2, 3],
                "angular_velocity_deg_s": [200, -100, 300],
            }
        },
    )
    p, v = cell.state.p_WB[0].copy(), cell.state.v_WB[0].copy()
    cell.run(1000)
    fallen = p + v + 0.5 * np.array([1.0, 0, -9.81])
    assert cell.state.p_WB[0] == pytest.approx(fallen, abs=1e-12)  # exact for rk4


def full_cell(integrator, step):
    """Everything that varies within a tick: a swinging mover, an arm, a catch with transition."""
    swing = {"direction": [1, 2, 2], "amplitude_m": 0.1, "amplitude_deg": 40, "frequency_hz": 1}
    part = {
        "mass_kg": 1.0,
        "inertia_kg_m2": [0.05, 0.06, 0.04, 0.01, 0, 0.005],
        "center_of_mass_m": [0.05, 0.1, 0],
    }
    return cell_of(
        integrator=integrator,
        step_s=step,
        mover={"Robot": {"sine": swing}},
        body={"Part": {**part, "angular_velocity_deg_s": [30, 60, -40]}, "Flap": part},
        joint={
            "Hinge": {
                "type": "revolute",
                "parent": "Part",
                "child": "Flap",
                "axis": [0, 1, 1],
                "position_m": [0, 0.2, 0],
                "stiffness_nm_rad": 2.0,
                "damping_nms_rad": 0.05,
                "start_deg": 20,
            }
        },
        collision_object={
            "Flange": {"on": "Robot", "mode": "control", "sphere": {"radius_m": 1.0}}
        },
        constrained_object={
            "Tool": {
                "on": "Part",
                "radius_m": 0.1,
                "eta": 10.0,
                "transition": True,
                "transition_s": 0.16,
                "release_factor": 10,
            }
        },
        timeline=[{"at_s": 0.08, "set": {"Flange.Closed": True}}],
    )


@pytest.mark.parametrize(("integrator", "order"), [("rk4", 4), ("semi_implicit", 1)])
def test_smaller_steps_converge_with_the_order_of_the_integrator(integrator, order):
    def end(step):
        cell = full_cell(integrator, step)
        cell.run(round(0.48 / step))
        return np.concatenate([cell.state.p_WB[0], cell.state.w_WB[0], cell.state.q])

    coarse, middle, fine = (end(step) for step in (0.004, 0.002, 0.001))
    found = math.log2(np.linalg.norm(coarse - middle) / np.linalg.norm(middle - fine))
    assert found == pytest.approx(order, abs=0.3)  # the next order's term is still there

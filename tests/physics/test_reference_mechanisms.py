"""Mechanisms that others have published, as robots whose drives do nothing.

    IFToMM library of multibody benchmarks, A01: pendulum
    Modelica Standard Library, MultiBody examples: Pendulum, DoublePendulum
    Euler's equations of a symmetric body without torque, a parabola

`test_closed_forms.py` has them as bodies, free or on passive joints; here they go through a model
file, the expansion of robots and their drives, and a free body is one on three hinges or slides.
"""

import math

import numpy as np
import pytest
from oracles import modelica_double_pendulum, modelica_pendulum, spin_of_symmetric_body
from pytest import approx
from robots import write_model
from scenes import cell_of, column
from scipy.spatial.transform import Rotation

# the Modelica results were made by a solver with a tolerance of its own: their last digits are
# not those of the exact solution, which oracles.py has to 1e-12
PUBLISHED = 5e-6
PRINTED = 2e-8  # digits of the IFToMM library; rk4 at 1 ms is better
NOTHING = 1e-12  # a drive must have some stiffness [Nm/rad, N/m]: beside these weights it is none

HINGE = {"type": "revolute", "speed_deg_s": 1e6, "torque_nm": 1e6}
SLIDE = {"type": "prismatic", "speed_m_s": 1e6, "force_n": 1e6}


def undriven(folder, links, joints, **cell):
    """A robot R whose drives do nothing."""
    hinges = sum(joint["type"] == "revolute" for joint in joints.values())
    slides = len(joints) - hinges
    servo = {"feed_forward": False}
    if hinges:
        servo |= {"stiffness_nm_rad": [NOTHING] * hinges, "damping_nms_rad": [0.0] * hinges}
    if slides:
        servo |= {"stiffness_n_m": [NOTHING] * slides, "damping_ns_m": [0.0] * slides}
    model = write_model(folder / "model.toml", link={"base": {}, **links}, joint=joints)
    return cell_of(robot={"R": {"model": model, "servo": servo}}, **cell)


def pendulum(folder, gravity, link, **joint):
    """A link on a hinge about z, in a world whose down is -y."""
    joints = {"hinge": {**HINGE, "parent": "base", "child": "rod", **joint}}
    return undriven(folder, {"rod": link}, joints, gravity_m_s2=[0, -gravity, 0])


def point(inertia=1e-12):
    return {"mass_kg": 1.0, "inertia_kg_m2": [inertia] * 3, "center_of_mass_m": [-1, 0, 0]}


def test_pendulum_of_the_iftomm_library_is_where_it_should_be_after_ten_seconds(tmp_path):
    cell = pendulum(tmp_path, 9.81, point())
    cell.run(10_001)
    angle = cell["R.JointPosition.1"]
    assert (-math.cos(angle), -math.sin(angle)) == approx((-0.275087463, -0.961419205), abs=PRINTED)


def test_pendulum_of_the_iftomm_library_has_its_period(tmp_path):
    cell = pendulum(tmp_path, 9.81, point())
    speed = column(cell, cell.run(6000), "R.JointVelocity.1")
    back = [k for k in range(1, 5999) if speed[k] * speed[k + 1] < 0][1]
    period = 1e-3 * (back + speed[back] / (speed[back] - speed[back + 1]))
    # between two ticks the speed bends by h³/8 of its third derivative, here about g²: 1e-8 s
    assert period == approx(2.3678419476, abs=2e-8)


def test_gear_slows_the_pendulum_as_so_much_inertia_does(tmp_path):
    """A gear of 1 kg m² on the hinge is a point mass that weighs nothing: twice the inertia."""
    geared = pendulum(tmp_path, 9.81, point(), gear_inertia_kg_m2=1.0)
    slow = pendulum(tmp_path, 9.81 / 2, point())
    a, b = (column(cell, cell.run(5000), "R.JointPosition.1") for cell in (geared, slow))
    assert a == approx(b, abs=1e-10)  # the same equation, rounded differently


def test_modelica_pendulum_has_the_published_angle(tmp_path):
    rod = {"mass_kg": 1.0, "inertia_kg_m2": [0.001] * 3, "center_of_mass_m": [0.5, 0, 0]}
    cell = pendulum(tmp_path, 9.80665, rod, damping_nms_rad=0.1)
    cell.run(5001)
    assert cell["R.JointPosition.1"] == approx(modelica_pendulum(5.0), abs=1e-9)  # rk4 at 1 ms
    assert cell["R.JointPosition.1"] == approx(-1.67963464, abs=PUBLISHED)


def test_modelica_double_pendulum_has_the_published_angles(tmp_path):
    length, width = 0.5, 0.06
    mass = 7700 * length * width**2
    thin, wide = mass / 12 * (2 * width**2), mass / 12 * (length**2 + width**2)
    box = {
        "mass_kg": mass,
        "center_of_mass_m": [length / 2, 0, 0],
        "inertia_kg_m2": [thin, wide, wide],
    }
    second = {"parent": "upper", "child": "lower", "position_m": [length, 0, 0]}
    cell = undriven(
        tmp_path,
        {"upper": box, "lower": box},
        {
            "one": {**HINGE, "parent": "base", "child": "upper", "damping_nms_rad": 0.1},
            "two": {**HINGE, **second},
        },
        gravity_m_s2=[0, -9.80665, 0],
    )
    cell.run(3001)
    found = [cell["R.JointPosition.1"], cell["R.JointPosition.2"]]
    # a double pendulum multiplies small errors, ours and theirs
    assert found == approx(modelica_double_pendulum(3.0), abs=1e-8)
    assert found == approx([-2.31792856, -1.73649167], abs=10 * PUBLISHED)


def test_torque_free_body_on_three_hinges_turns_as_euler_says(tmp_path):
    """About z, y, x one inside the other; the rings weigh next to nothing."""
    across, along, start = 0.04, 0.02, np.array([2.0, -1.0, 3.0])
    ring = {"mass_kg": 1e-9, "inertia_kg_m2": [1e-12] * 3}
    body = {"mass_kg": 1.0, "inertia_kg_m2": [across, across, along]}
    axes = np.eye(3)[::-1]
    cell = undriven(
        tmp_path,
        {"outer": ring, "inner": ring, "body": body},
        {
            "z": {**HINGE, "parent": "base", "child": "outer", "axis": axes[0]},
            "y": {**HINGE, "parent": "outer", "child": "inner", "axis": axes[1]},
            "x": {**HINGE, "parent": "inner", "child": "body", "axis": axes[2]},
        },
        gravity_m_s2=[0, 0, 0],
    )
    cell.state.qd[:] = start[::-1]  # all hinges at 0: rates are the angular velocity
    cell.run(1001)
    wanted = spin_of_symmetric_body(start, across, along, 1.0)
    assert wanted == approx([-0.85602058, -2.06572717, 3.0], abs=1e-8)
    R = Rotation.from_quat([cell[f"R.TcpQuaternion.{x}"] for x in "XYZW"])
    found = R.inv().apply([cell[f"R.TcpAngularVelocity.{x}"] for x in "XYZ"])
    assert found == approx(wanted, abs=1e-8)  # rings of 1e-12 beside 0.02


def test_thrown_body_on_three_slides_flies_a_parabola(tmp_path):
    carriage = {"mass_kg": 1e-9, "inertia_kg_m2": [1e-12] * 3}
    body = {"mass_kg": 2.0, "inertia_kg_m2": [0.01] * 3, "center_of_mass_m": [0.1, 0.2, 0.3]}
    names = ["base", "along_x", "along_y", "body"]
    joints = {
        axis: {**SLIDE, "parent": names[k], "child": names[k + 1], "axis": np.eye(3)[k]}
        for k, axis in enumerate("xyz")
    }
    cell = undriven(tmp_path, {"along_x": carriage, "along_y": carriage, "body": body}, joints)
    cell.state.qd[:] = [1.0, -2.0, 4.0]
    cell.run(1001)
    found = [cell[f"R.TcpPose.{x}"] for x in "XYZ"]
    assert found == approx([1.0, -2.0, 4.0 - 9.81 / 2], abs=1e-11)  # rk4 is exact for a parabola


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
def test_ideal_pendulum_takes_what_it_takes_to_hold_a_rod_level(tmp_path, integrator):
    joints = {"hinge": {**HINGE, "parent": "base", "child": "rod"}}
    model = write_model(tmp_path / "rod.toml", link={"base": {}, "rod": point()}, joint=joints)
    robot = {"model": model, "drive": "ideal"}
    cell = cell_of(robot={"R": robot}, gravity_m_s2=[0, -9.81, 0], integrator=integrator)
    cell.run(10)
    assert cell["R.JointTorque.1"] == approx(-9.81, rel=1e-14)  # m g l, against the fall

"""Mechanics of one robot against Pinocchio: kinematics, forward and inverse dynamics, response."""

import numpy as np
import pinocchio as pin
import pytest
from comparison import EXACT
from pytest import approx
from robots import (
    SHIPPED,
    SHIPPED_ROBOTS,
    arm6,
    look_at,
    random_robot,
    servo_gains,
    signal_of_axes,
    twin_of,
)
from scenes import random_body
from scipy.spatial.transform import Rotation
from screws import screw_robot

from twincell.sim.mechanics.tree_response import tree_response
from twincell.sim.pack import pack

RANDOM_ROBOTS = [f"random{k}" for k in range(14)]
SCREW_ROBOTS = ["t", "ht", "ths", "tthst"]  # a letter an axis: screws, hinges, slides
ROBOTS = [*SHIPPED_ROBOTS, *RANDOM_ROBOTS, *SCREW_ROBOTS]
GRAVITY = [1.0, -2.0, -9.0]  # as if the cell were tilted: all axes feel it


@pytest.fixture(params=ROBOTS)
def rng(request):
    return np.random.default_rng(ROBOTS.index(request.param))


@pytest.fixture
def robot(request, rng, tmp_path):
    """Table of a robot, its twin, and joint positions well within its limits."""
    name = request.node.callspec.params["rng"]
    if name == "arm6.urdf":
        table = arm6(tcp_position_m=[0.1, 0.05, 0.2], tcp_orientation_deg=[180, 20, 10])
    elif name in SHIPPED_ROBOTS:
        table = {"model": str(SHIPPED / name), "tcp_position_m": [0.1, 0.05, 0.2]}
    elif name in SCREW_ROBOTS:
        table = screw_robot(rng, tmp_path, name)
    else:
        table = random_robot(rng, tmp_path, n_axis=int(rng.integers(1, 10)))
    twin = twin_of(table, GRAVITY)
    # soft enough for links without gears
    table["servo"] = servo_gains(twin, np.full(twin.n, 50.0), np.full(twin.n, 2.0))
    lower, upper = twin.limits()
    q = lower + rng.uniform(0.1, 0.9, twin.n) * (upper - lower)
    return table, twin, q


def look(table, **state):
    return look_at(table, {"gravity_m_s2": GRAVITY}, **state)


def close(wanted):
    """Equal but for round-off, relative to the largest of their kind."""
    return approx(wanted, rel=0, abs=EXACT * np.abs(wanted).max())


# ---------------------------------------------------------------- kinematics


def test_tool_centre_point_is_where_pinocchio_puts_it(robot):
    table, twin, q = robot
    cell = look(table, q=q)
    position, quaternion = cell.compiled.arms[0].forward(q)
    wanted = twin.tcp(q)
    assert position == close(wanted.translation)
    turn = Rotation.from_quat(np.roll(quaternion, -1)).as_matrix() @ wanted.rotation.T
    assert turn == approx(np.eye(3), abs=EXACT)
    assert [cell[f"R.TcpPose.{x}"] for x in "XYZ"] == close(wanted.translation)


def test_jacobian_of_the_tool_centre_point_is_pinocchios(robot):
    table, twin, q = robot
    assert look(table, q=q).compiled.arms[0].jacobian(q) == close(twin.jacobian(q))


def test_tool_centre_point_moves_as_the_jacobian_says(robot, rng):
    table, twin, q = robot
    qd = rng.uniform(-2, 2, twin.n)
    cell = look(table, q=q, qd=qd)
    found = [cell[f"R.Tcp{kind}.{x}"] for kind in ("Velocity", "AngularVelocity") for x in "XYZ"]
    assert found == close(twin.jacobian(q) @ qd)


# ---------------------------------------------------------------- dynamics


def test_joints_accelerate_under_drive_torque_as_pinocchio_says(robot, rng):
    table, twin, q = robot
    k, d = rng.uniform(10, 100, twin.n), rng.uniform(0, 5, twin.n)
    servo = {**servo_gains(twin, k, d), "feed_forward": False}
    qd, aim, aim_qd = rng.uniform(-2, 2, twin.n), rng.uniform(-1, 1, twin.n), np.ones(twin.n)
    cell = look({**table, "servo": servo}, q=q, qd=qd, aim=aim, aim_qd=aim_qd)
    most = np.array([axis.effort for axis in twin.model.axes])
    effort = np.clip(k * (aim - q) + d * (aim_qd - qd), -most, most)
    assert signal_of_axes(cell, "R.JointTorque") == close(effort)
    wanted = twin.acceleration(q, qd, effort - twin.losses(qd))
    assert cell.scratch.placed.qdd[cell.model.axes.joint] == close(wanted)


def test_torque_is_cut_to_what_the_drive_can_do():
    table = arm6(servo={"feed_forward": False, "stiffness_nm_rad": [1e4] * 6})
    twin = twin_of(table, GRAVITY)
    q, most = np.full(6, 0.3), np.array([axis.effort for axis in twin.model.axes])
    side = np.array([1, -1, 1, -1, 1, -1])
    cell = look(table, q=q, aim=q + 0.2 * side)  # asks for 2000 Nm, all have less
    assert signal_of_axes(cell, "R.JointTorque") == approx(most * side, abs=0)
    assert signal_of_axes(cell, "R.Overload").all()
    assert cell.scratch.placed.qdd == close(twin.acceleration(q, 0 * q, most * side))


def test_ideal_drive_gives_what_inverse_dynamics_asks_for(robot, rng):
    table, twin, q = robot
    qd, qdd = rng.uniform(-2, 2, twin.n), rng.uniform(-10, 10, twin.n)
    cell = look({**table, "drive": "ideal"}, q=q, aim=q, aim_qd=qd, aim_qdd=qdd)
    wanted = twin.effort(q, qd, qdd) + twin.losses(qd)
    assert signal_of_axes(cell, "R.JointTorque") == close(wanted)
    assert signal_of_axes(cell, "R.JointVelocity") == approx(qd, abs=0)


def test_feed_forward_is_inverse_dynamics_of_the_target(robot, rng):
    table, twin, q = robot
    aim, aim_qd = q + rng.uniform(-0.01, 0.01, twin.n), rng.uniform(-2, 2, twin.n)
    aim_qdd = rng.uniform(-10, 10, twin.n)
    cell = look(table, q=q, aim=aim, aim_qd=aim_qd, aim_qdd=aim_qdd)
    wanted = twin.effort(aim, aim_qd, aim_qdd) + twin.losses(aim_qd)
    assert cell.scratch.targets.forward == close(wanted)


def test_servo_on_its_target_accelerates_as_the_target_does(robot, rng):
    """Feed-forward is the inverse of the forward dynamics, whatever the gains."""
    table, twin, q = robot
    qd, qdd = rng.uniform(-0.5, 0.5, twin.n), rng.uniform(-1, 1, twin.n)
    unlimited = np.abs(twin.effort(q, qd, qdd) + twin.losses(qd)) < [
        axis.effort for axis in twin.model.axes
    ]
    assert unlimited.all()
    cell = look(table, q=q, qd=qd, aim=q, aim_qd=qd, aim_qdd=qdd)
    assert cell.scratch.placed.qdd[cell.model.axes.joint] == close(qdd)


# ---------------------------------------------------------------- response


def full(response):
    """A response's 21 numbers as a six by six matrix."""
    linear, mixed, angular = response
    D = np.zeros((6, 6))
    for block, at in ((linear, 0), (angular, 3)):
        xx, yy, zz, xy, xz, yz = block
        D[at : at + 3, at : at + 3] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    D[:3, 3:] = np.reshape(mixed, (3, 3))
    D[3:, :3] = D[:3, 3:].T
    return D


def test_tool_centre_point_responds_to_a_force_as_the_mass_matrix_says(robot):
    table, twin, q = robot
    cell = look(table, q=q)
    body = int(cell.model.ports.body[cell.model.robots.tcp[0]])
    p = twin.tcp(q).translation
    found = tree_response(pack(cell.model), pack(cell.scratch), body, tuple(map(float, p)))
    J = twin.jacobian(q)
    assert full(found) == close(J @ np.linalg.solve(twin.mass_matrix(q), J.T))


def test_tool_bolted_to_the_flange_is_more_mass_of_the_last_link():
    rng = np.random.default_rng(1)
    body = random_body(rng)
    tables = {
        "gravity_m_s2": GRAVITY,
        "body": {"Tool": body},
        "joint": {"Bolts": {"type": "fixed", "parent": "R", "child": "Tool"}},
    }
    table = arm6(drive="ideal", tcp_orientation_deg=[180, 20, 10])
    twin = twin_of(table, GRAVITY)
    q, qd, qdd = rng.uniform(-1, 1, 6), rng.uniform(-2, 2, 6), rng.uniform(-5, 5, 6)
    cell = look_at(table, tables, aim=q, aim_qd=qd, aim_qdd=qdd)
    xx, yy, zz, xy, xz, yz = body["inertia_kg_m2"]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    tcp = twin.pin.frames[twin.tcp_frame]
    inertia = pin.Inertia(body["mass_kg"], np.array(body["center_of_mass_m"]), J)
    twin.pin.appendBodyToJoint(tcp.parentJoint, inertia, tcp.placement)
    wanted = twin.effort(q, qd, qdd) + twin.losses(qd)
    assert signal_of_axes(cell, "R.JointTorque") == close(wanted)

"""Where a cell starts: its state at tick 0, and its commands before anybody commands."""

from typing import Any

import numpy as np

from twincell.sim.build.assembly import Assembly
from twincell.sim.build.bodies import floats, ints
from twincell.sim.build.network import commanded
from twincell.sim.devices.tool_changer.build import start_devices
from twincell.sim.devices.tool_changer.signals import CHANGER_COMMANDS
from twincell.sim.model import NONE, Floats, Model
from twincell.sim.motion.orders import FIRST_TARGET
from twincell.sim.motion.path import HOLD
from twincell.sim.plan.arm import Arm
from twincell.sim.pose import Pose, angles, matrix_of
from twincell.sim.spec.cell import CellSpec
from twincell.sim.state import (
    LONG_AGO,
    MOST_LAW,
    MOST_PIECES,
    MOST_WAITING,
    Commands,
    State,
)


def start_state(spec: CellSpec, assembly: Assembly, model: Model, q: Floats, qd: Floats) -> State:
    """The state at tick 0: nobody is held yet; the first tick catches what touches."""
    p_WB, q_WB, v_WB, w_WB = [], [], [], []
    for name, free in zip(assembly.moving, model.bodies.free[len(assembly.driven) :], strict=True):
        if free == NONE:
            continue
        body = spec.body[name]
        pose = Pose.of(body.position_m, body.orientation_deg)
        arm = pose.R @ assembly.groups[name].center
        w = np.radians(body.angular_velocity_deg_s)
        p_WB.append(pose.p + arm)
        q_WB.append(pose.q)
        v_WB.append(np.array(body.velocity_m_s) + np.cross(w, arm))
        w_WB.append(w)
    n = len(spec.constrained_object)
    devices: dict[str, Any] = start_devices(spec, model)
    n_robot, n_axis = len(model.robots.first), len(model.axes.joint)
    return State(
        tick=ints([0]),
        p_WB=floats(p_WB, 3),
        q_WB=floats(q_WB, 4),
        v_WB=floats(v_WB, 3),
        w_WB=floats(w_WB, 3),
        q=q,
        qd=qd,
        partner=ints([NONE] * n),
        caught=ints([LONG_AGO] * n),
        p_BT=np.zeros((n, 3)),
        q_BT=np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
        mode=ints([HOLD] * n_robot),
        refusal=ints([0] * n_robot),
        refusals=ints([0] * n_robot),
        moves=ints([0] * n_robot),
        hold=q[model.axes.joint],
        integral=np.zeros(n_axis),
        knots=np.zeros((n_robot, MOST_PIECES + 1)),
        pieces=np.zeros((n_axis, MOST_PIECES, 4)),
        n_piece=ints([0] * n_robot),
        law=np.zeros((n_robot, MOST_LAW, 5)),
        n_law=ints([0] * n_robot),
        brakes=np.ones((n_robot, 2)),
        began=ints([0] * n_robot),
        spline=np.zeros((n_axis, 4)),
        waiting=np.zeros((n_axis, MOST_WAITING)),
        n_waiting=ints([0] * n_robot),
        counts=np.zeros((n_robot, 2), dtype=np.intp),
        heard=ints([0] * n_robot),
        lost=ints([0] * n_robot),
        **devices,
    )


def start_commands(
    spec: CellSpec, model: Model, arms: tuple[Arm, ...], hold: Floats, n_lever: int
) -> Commands:
    """Commands at the start: grippers as the file says, targets where the robots stand.

    Nothing is broken yet.
    """
    values = [float(spec.collision_object[name].closed) for name in commanded(spec)]
    for robot, arm in enumerate(arms):
        own = hold[model.robots.first[robot] : model.robots.end[robot]]
        position, quaternion = arm.forward(own) if model.robots.still[robot] else _NOWHERE
        values += [0.0] * FIRST_TARGET
        values += [*own, *position, *angles(matrix_of(quaternion))]
    values += [0.0] * len(CHANGER_COMMANDS) * len(spec.tool_changer)
    return Commands(floats(values + [0.0] * n_lever))


_NOWHERE = (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))

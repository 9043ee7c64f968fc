"""Where a cell starts: its state at tick 0, and its commands before anybody commands."""

import numpy as np

from twincell.sim.arrays import Sizes, allocate
from twincell.sim.build.assembly import Assembly
from twincell.sim.build.bodies import floats
from twincell.sim.build.network import commanded
from twincell.sim.devices import modules
from twincell.sim.model import NONE, Floats, Model
from twincell.sim.motion.robot_orders import FIRST_TARGET
from twincell.sim.motion.targets import HOLD
from twincell.sim.plan.arm import Arm
from twincell.sim.pose import Pose, angles, matrix_of
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import CellSpec
from twincell.sim.state import LONG_AGO, Commands, State


def start_state(
    spec: CellSpec, assembly: Assembly, model: Model, sizes: Sizes, q: Floats, qd: Floats
) -> State:
    """The state at tick 0: nobody is held yet; the first tick catches what touches."""
    state = allocate(State, sizes)
    for name, free in zip(assembly.moving, model.bodies.free[len(assembly.driven) :], strict=True):
        if free == NONE:
            continue
        body = spec.body[name]
        pose = Pose.of(body.position_m, body.orientation_deg)
        arm = pose.R @ assembly.groups[name].center
        w = np.radians(body.angular_velocity_deg_s)
        state.p_WB[free] = pose.p + arm
        state.q_WB[free] = pose.q
        state.v_WB[free] = np.array(body.velocity_m_s) + np.cross(w, arm)
        state.w_WB[free] = w
    state.q[:], state.qd[:] = q, qd
    state.partner[:] = NONE
    state.caught[:] = LONG_AGO
    state.q_BT[:, 0] = 1.0
    state.robots.mode[:] = HOLD
    state.robots.hold[:] = q[model.axes.joint]
    state.robots.brakes[:] = 1.0
    for device in modules("build").values():
        if hasattr(device, "start"):
            device.start(spec, model, state)
    return state


def start_commands(
    spec: CellSpec, model: Model, arms: tuple[Arm, ...], hold: Floats, signals: SignalTable
) -> Commands:
    """Commands at the start: grippers as the file says, targets where the robots stand.

    Devices are told nothing yet, and nothing is broken.
    """
    values = [float(spec.collision_object[name].closed) for name in commanded(spec)]
    for robot, arm in enumerate(arms):
        own = hold[model.robots.first[robot] : model.robots.end[robot]]
        position, quaternion = arm.forward(own) if model.robots.still[robot] else _NOWHERE
        values += [0.0] * FIRST_TARGET
        values += [*own, *position, *angles(matrix_of(quaternion))]
    return Commands(floats(values + [0.0] * (len(signals.latched) - len(values))))


_NOWHERE = (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))

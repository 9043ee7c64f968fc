"""What a robot is told: a stop, a set point, the end of its move, the silence of its controller.

Its commands, in this order:

    Stop             while true: brake on the path, and take nothing new
    JointSetPoint    a new number: the joint targets are a set point
    TcpSetPoint      a new number: the pose of the tool centre point is a set point
    JointTarget      one a joint [m, rad]
    TcpTarget        x, y, z, and the angles A, B, C, in the world

An order that cannot be obeyed is refused as a whole: nothing changes but the reason shown.
"""

import math

from twincell.sim.jit import kernel, line
from twincell.sim.mechanics import rotation
from twincell.sim.motion.brake import write_brake
from twincell.sim.motion.inverse_kinematics import REACHED, find_joints
from twincell.sim.motion.stream import accept, go_on_streaming, last_set_point, stop_stream
from twincell.sim.motion.targets import BRAKE, HOLD, MOVE, STREAM, aim_robot, progress
from twincell.sim.state import MOST_WAITING

STOP, JOINT_SET_POINT, TCP_SET_POINT, FIRST_TARGET = 0, 1, 2, 3  # places among a robot's commands
BY_JOINTS, BY_TCP = 0, 1

REFUSALS = (
    "",
    "not a number",
    "beyond a joint's limit",
    "faster than a joint can move",
    "out of reach",
    "stopped",
    "busy with a move",
    "set points come too often",
    "stands on something that moves",
    "not at rest where the move begins",
)
(
    NONE_REFUSED,
    NOT_A_NUMBER,
    BEYOND_LIMIT,
    TOO_FAST,
    OUT_OF_REACH,
    STOPPED,
    BUSY,
    TOO_OFTEN,
    NOT_STILL,
    NOT_AT_START,
) = range(len(REFUSALS))

SPEED_SLACK = 1.0e-9  # relative: a stream at exactly the greatest speed is not refused for rounding
LIMIT_SLACK = 1.0e-9  # [m, rad]: nor is a set point at exactly the end of a joint's range
N_TCP_TARGET = 6


@line
def take_orders(model, commands, state, scratch):
    """Let every robot go on with what it is about, and hear what is new."""
    for robot in range(model.robots.first.shape[0]):
        if state.robots.mode[robot] == MOVE or state.robots.mode[robot] == BRAKE:
            _end_move(model, state, scratch, robot)
        first = model.robots.command[robot]
        stopped = not commands.values[first + STOP] <= 0.5  # also if it is not a number
        if stopped and (state.robots.mode[robot] == MOVE or state.robots.mode[robot] == STREAM):
            _stop(model, state, scratch, robot)
        heard = False
        for source in range(2):
            count = int(commands.values[first + JOINT_SET_POINT + source])
            if count == state.robots.counts[robot, source]:
                continue
            state.robots.counts[robot, source] = count
            refusal = TOO_OFTEN if heard else STOPPED
            if not stopped and not heard:
                refusal = _find_set_point(model, commands, state, scratch, robot, source)
            heard = True
            state.robots.refusal[robot] = refusal
            if refusal == NONE_REFUSED:
                accept(model, state, scratch, robot)
            else:
                state.robots.refusals[robot] += 1
        # after the set points of this tick: one that comes just in time is in time
        if state.robots.mode[robot] == STREAM:
            go_on_streaming(model, state, robot)


@kernel
def _end_move(model, state, scratch, robot):
    """Hold where a move has ended."""
    last = state.robots.law[robot, state.robots.n_law[robot] - 1, 0]
    if scratch.time[0] - state.robots.began[robot] * model.step >= last:
        aim_robot(model, state, scratch, robot)
        for axis in range(model.robots.first[robot], model.robots.end[robot]):
            # a move to the very end of a joint's range may end beyond it by rounding
            q = max(scratch.targets.q[axis], model.axes.lower[axis])
            state.robots.hold[axis] = min(q, model.axes.upper[axis])
        state.robots.mode[robot] = HOLD


@kernel
def _stop(model, state, scratch, robot):
    """Brake: a move on its own path, each joint of a stream for itself."""
    if state.robots.mode[robot] == MOVE:
        s, ds, dds = progress(model, state, scratch, robot)
        most = state.robots.brakes[robot]
        state.robots.n_law[robot] = write_brake(
            state.robots.law[robot], s, ds, dds, most[0], most[1]
        )
    else:
        stop_stream(model, state, scratch, robot)
    state.robots.began[robot] = state.tick[0]
    state.robots.mode[robot] = BRAKE


@kernel
def _find_set_point(model, commands, state, scratch, robot, source):
    """Put the joint positions of a set point into `chain.q`; return why not, if not."""
    if state.robots.mode[robot] == MOVE or state.robots.mode[robot] == BRAKE:
        return BUSY
    if state.robots.n_waiting[robot] == MOST_WAITING:
        return TOO_OFTEN
    first = model.robots.first[robot]
    end = model.robots.end[robot]
    target = model.robots.command[robot] + FIRST_TARGET
    n_target = end - first
    if source == BY_TCP:
        target += n_target
        n_target = N_TCP_TARGET
    for k in range(n_target):
        if not abs(commands.values[target + k]) < math.inf:
            return NOT_A_NUMBER

    for axis in range(first, end):
        scratch.chain.q[axis] = last_set_point(state, robot, axis)
    if source == BY_JOINTS:
        for axis in range(first, end):
            scratch.chain.q[axis] = commands.values[target + axis - first]
    else:
        if model.robots.still[robot] == 0:
            return NOT_STILL
        x = commands.values
        p_T = (x[target], x[target + 1], x[target + 2])
        q_T = rotation.of_angles(x[target + 3], x[target + 4], x[target + 5])
        if find_joints(model, scratch, robot, p_T, q_T) != REACHED:
            return OUT_OF_REACH

    period = model.robots.period[robot] * model.step
    for axis in range(first, end):
        q = min(max(scratch.chain.q[axis], model.axes.lower[axis]), model.axes.upper[axis])
        if abs(q - scratch.chain.q[axis]) > LIMIT_SLACK:
            return BEYOND_LIMIT
        scratch.chain.q[axis] = q
        way = abs(q - last_set_point(state, robot, axis))
        if way > model.axes.velocity[axis] * period * (1.0 + SPEED_SLACK):
            return TOO_FAST
    return NONE_REFUSED

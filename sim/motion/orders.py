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

from sim.jit import formula, kernel
from sim.mechanics import rotation
from sim.motion.brake import write_brake
from sim.motion.path import BRAKE, HOLD, MOVE, STREAM, aim_robot, progress
from sim.motion.reach import REACHED, find_joints
from sim.state import MOST_WAITING

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
MOST_COUNT = 2.0**31  # set points are counted by an Int32
LEAST_ROOM = 1.0e-6  # [s] at the present speed: as good as at the limit; chosen
MOST_RATE = 1.0e9  # [1/s², 1/s³] of a stop without motion: over at once, and not infinite


@kernel
def take_orders(model, commands, state, scratch):
    """Let every robot go on with what it is about, and hear what is new."""
    for robot in range(model.robots.first.shape[0]):
        if state.mode[robot] == MOVE or state.mode[robot] == BRAKE:
            _end_move(model, state, scratch, robot)
        first = model.robots.command[robot]
        stopped = commands.values[first + STOP] > 0.5
        if stopped and (state.mode[robot] == MOVE or state.mode[robot] == STREAM):
            _stop(model, state, scratch, robot)
        for source in range(2):
            count = commands.values[first + JOINT_SET_POINT + source]
            if not abs(count) <= MOST_COUNT or int(count) == state.counts[robot, source]:
                continue
            state.counts[robot, source] = int(count)
            refusal = STOPPED
            if not stopped:
                refusal = _find_set_point(model, commands, state, scratch, robot, source)
            state.refusal[robot] = refusal
            if refusal == NONE_REFUSED:
                _accept(model, state, scratch, robot)
            else:
                state.refusals[robot] += 1
        # after the set points of this tick: one that comes just in time is in time
        if state.mode[robot] == STREAM:
            _go_on_streaming(model, state, robot)


@kernel
def _end_move(model, state, scratch, robot):
    """Hold where a move has ended."""
    last = state.law[robot, state.n_law[robot] - 1, 0]
    if scratch.time[0] - state.began[robot] * model.step >= last:
        aim_robot(model, state, scratch, robot)
        for axis in range(model.robots.first[robot], model.robots.end[robot]):
            state.hold[axis] = scratch.targets.q[axis]
        state.mode[robot] = HOLD


@kernel
def _go_on_streaming(model, state, robot):
    """Begin the next period of a stream; a stream without a set point repeats its last one."""
    if state.tick[0] - state.began[robot] >= model.robots.period[robot]:
        state.began[robot] = state.tick[0]
        n = state.n_waiting[robot]
        for axis in range(model.robots.first[robot], model.robots.end[robot]):
            p = state.spline[axis]
            p[0], p[1], p[2] = p[1], p[2], p[3]
            if n > 0:
                p[3] = state.waiting[axis, 0]
                for k in range(1, n):
                    state.waiting[axis, k - 1] = state.waiting[axis, k]
        if n > 0:
            state.n_waiting[robot] = n - 1

    if state.tick[0] - state.heard[robot] >= model.robots.watchdog[robot]:
        state.lost[robot] = 1
        if _is_at_rest(model, state, robot):
            state.mode[robot] = HOLD
            for axis in range(model.robots.first[robot], model.robots.end[robot]):
                state.hold[axis] = state.spline[axis, 3]


@kernel
def _is_at_rest(model, state, robot):
    """Whether a stream has come to rest at its last set point."""
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        for k in range(3):
            if state.spline[axis, k] != state.spline[axis, 3]:
                return False
    return state.n_waiting[robot] == 0


@kernel
def _stop(model, state, scratch, robot):
    """Brake: a move on its own path, a stream straight on."""
    if state.mode[robot] == MOVE:
        room = math.inf  # a stop ends before the move would have
        s, ds, dds = progress(model, state, scratch, robot)
    else:
        room = _leave_stream(model, state, scratch, robot)
        s, ds, dds = 0.0, 1.0, 0.0
    state.began[robot] = state.tick[0]
    state.mode[robot] = BRAKE
    law = state.law[robot]
    most_a = state.brakes[robot, 0]
    most_j = state.brakes[robot, 1]
    n = write_brake(law, s, ds, dds, most_a, most_j)
    end = law[n - 1, 1]
    if end > room:
        # a joint's limit is nearer than its brakes reach: k times as fast, it ends k times as near
        k = end / max(room, LEAST_ROOM)
        n = write_brake(law, s, ds, dds, k * most_a, k * k * most_j)
    state.n_law[robot] = n


@kernel
def _leave_stream(model, state, scratch, robot):
    """Make the straight line q + q̇ s the path, with the limits of a stop on it.

    Returns the s at which the first joint comes to its limit.
    """
    aim_robot(model, state, scratch, robot)
    most_a = math.inf
    most_j = math.inf
    room = math.inf
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        q = scratch.targets.q[axis]
        speed = scratch.targets.qd[axis]
        if speed != 0.0:
            most_a = min(most_a, model.axes.acceleration[axis] / abs(speed))
            most_j = min(most_j, model.axes.jerk[axis] / abs(speed))
            limit = model.axes.upper[axis] if speed > 0.0 else model.axes.lower[axis]
            room = min(room, (limit - q) / speed)
        state.pieces[axis, 0, 0] = q
        state.pieces[axis, 0, 1] = speed
        state.pieces[axis, 0, 2] = 0.0
        state.pieces[axis, 0, 3] = 0.0
    state.knots[robot, 0] = 0.0
    state.n_piece[robot] = 1
    state.brakes[robot, 0] = min(most_a, MOST_RATE)
    state.brakes[robot, 1] = min(most_j, MOST_RATE)
    state.n_waiting[robot] = 0
    return room


@kernel
def _find_set_point(model, commands, state, scratch, robot, source):
    """Put the joint positions of a set point into `chain.q`; return why not, if not."""
    if state.mode[robot] == MOVE or state.mode[robot] == BRAKE:
        return BUSY
    if state.n_waiting[robot] == MOST_WAITING:
        return TOO_OFTEN
    first = model.robots.first[robot]
    end = model.robots.end[robot]
    target = model.robots.command[robot] + FIRST_TARGET
    n_target = end - first
    if source == BY_TCP:
        target += n_target
        n_target = 6
    for k in range(n_target):
        if not abs(commands.values[target + k]) < math.inf:
            return NOT_A_NUMBER

    for axis in range(first, end):
        scratch.chain.q[axis] = _last_set_point(state, robot, axis)
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
        q = scratch.chain.q[axis]
        if q < model.axes.lower[axis] or q > model.axes.upper[axis]:
            return BEYOND_LIMIT
        way = abs(q - _last_set_point(state, robot, axis))
        if way > model.axes.velocity[axis] * period * (1.0 + SPEED_SLACK):
            return TOO_FAST
    return NONE_REFUSED


@formula
def _last_set_point(state, robot, axis):
    """The set point before the one that comes in."""
    if state.mode[robot] == HOLD:
        return state.hold[axis]
    if state.n_waiting[robot] > 0:
        return state.waiting[axis, state.n_waiting[robot] - 1]
    return state.spline[axis, 3]


@kernel
def _accept(model, state, scratch, robot):
    """Take the set point in `chain.q`: begin a stream with it, or let it wait its turn."""
    starts = state.mode[robot] == HOLD
    n = state.n_waiting[robot]
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        if starts:
            for k in range(3):
                state.spline[axis, k] = state.hold[axis]
            state.spline[axis, 3] = scratch.chain.q[axis]
        else:
            state.waiting[axis, n] = scratch.chain.q[axis]
    if starts:
        state.mode[robot] = STREAM
        state.began[robot] = state.tick[0]
        state.n_waiting[robot] = 0
    else:
        state.n_waiting[robot] = n + 1
    state.heard[robot] = state.tick[0]
    state.lost[robot] = 0

"""A stream of set points: taken in turn, one a period; silent, it ends at its last one.

Stopped, each joint brakes for itself, from the speed and acceleration that it has, within its own
limits (`brake.py`). Where its end of range is nearer than that it brakes k times as fast:

    q(t) → q(k t)/k        ends k times as near, with k times the deceleration and k² times the jerk

The stops of all joints together are a path of cubics in s = t.
"""

import math

from twincell.sim.jit import formula, kernel
from twincell.sim.motion.brake import BRAKE_ROWS, write_brake
from twincell.sim.motion.targets import HOLD, STREAM, aim_robot

LEAST_ROOM = 1.0e-6  # [s] at the present speed: as good as at the end of the range; chosen


@formula
def last_set_point(state, robot, axis):
    """The set point before the one that comes in."""
    if state.robots.mode[robot] == HOLD:
        return state.robots.hold[axis]
    if state.robots.n_waiting[robot] > 0:
        return state.robots.waiting[axis, state.robots.n_waiting[robot] - 1]
    return state.robots.spline[axis, 3]


@kernel
def accept(model, state, scratch, robot):
    """Take the set point in `chain.q`: begin a stream with it, or let it wait its turn."""
    starts = state.robots.mode[robot] == HOLD
    n = state.robots.n_waiting[robot]
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        if starts:
            for k in range(3):
                state.robots.spline[axis, k] = state.robots.hold[axis]
            state.robots.spline[axis, 3] = scratch.chain.q[axis]
        else:
            state.robots.waiting[axis, n] = scratch.chain.q[axis]
    if starts:
        state.robots.mode[robot] = STREAM
        state.robots.began[robot] = state.tick[0]
        state.robots.n_waiting[robot] = 0
    else:
        state.robots.n_waiting[robot] = n + 1
    state.robots.heard[robot] = state.tick[0]
    state.robots.lost[robot] = 0


@kernel
def go_on_streaming(model, state, robot):
    """Begin the next period of a stream; a stream without a set point repeats its last one."""
    if state.tick[0] - state.robots.began[robot] >= model.robots.period[robot]:
        state.robots.began[robot] = state.tick[0]
        n = state.robots.n_waiting[robot]
        for axis in range(model.robots.first[robot], model.robots.end[robot]):
            p = state.robots.spline[axis]
            p[0], p[1], p[2] = p[1], p[2], p[3]
            if n > 0:
                p[3] = state.robots.waiting[axis, 0]
                for k in range(1, n):
                    state.robots.waiting[axis, k - 1] = state.robots.waiting[axis, k]
        if n > 0:
            state.robots.n_waiting[robot] = n - 1

    if state.tick[0] - state.robots.heard[robot] >= model.robots.watchdog[robot]:
        state.robots.lost[robot] = 1
        if _is_at_rest(model, state, robot):
            state.robots.mode[robot] = HOLD
            for axis in range(model.robots.first[robot], model.robots.end[robot]):
                state.robots.hold[axis] = state.robots.spline[axis, 3]


@kernel
def _is_at_rest(model, state, robot):
    """Whether a stream has come to rest at its last set point."""
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        for k in range(3):
            if state.robots.spline[axis, k] != state.robots.spline[axis, 3]:
                return False
    return state.robots.n_waiting[robot] == 0


@kernel
def stop_stream(model, state, scratch, robot):
    """Make the stops of a robot's joints its path, with s = t; what waits is forgotten."""
    aim_robot(model, state, scratch, robot)
    knots = state.robots.knots[robot]
    knots[0] = 0.0
    n = 1
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        _brake_axis(model, scratch, axis)
        for row in range(1, BRAKE_ROWS):
            n = _insert(knots, n, scratch.brake[axis, row, 0])
    knots[n] = knots[n - 1]  # so that there is a piece even if nothing moves
    n_piece = max(n - 1, 1)
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        for piece in range(n_piece):
            _write_piece(scratch.brake[axis], knots[piece], state.robots.pieces[axis, piece])
    state.robots.n_piece[robot] = n_piece
    state.robots.n_waiting[robot] = 0
    law = state.robots.law[robot]
    for row in range(2):
        for k in range(5):
            law[row, k] = 0.0
    law[0, 2] = 1.0
    law[1, 0] = knots[n - 1]
    law[1, 1] = knots[n - 1]
    state.robots.n_law[robot] = 2


@kernel
def _brake_axis(model, scratch, axis):
    """Write the stop of one joint into `scratch.brake`."""
    law = scratch.brake[axis]
    q = scratch.targets.q[axis]
    v = scratch.targets.qd[axis]
    most_a = model.axes.acceleration[axis]
    most_j = model.axes.jerk[axis]
    # a stream may accelerate harder than a stop is allowed to
    a = min(max(scratch.targets.qdd[axis], -most_a), most_a)
    write_brake(law, q, v, a, most_a, most_j)
    end = law[BRAKE_ROWS - 1, 1]
    if end < model.axes.lower[axis] or end > model.axes.upper[axis]:
        limit = model.axes.upper[axis] if v > 0.0 else model.axes.lower[axis]
        write_brake(law, q, v, 0.0, most_a, most_j)
        room = max(math.copysign(1.0, v) * (limit - q), LEAST_ROOM * abs(v))
        k = max(1.0, abs(law[BRAKE_ROWS - 1, 1] - q) / room)
        write_brake(law, q, v, 0.0, k * most_a, k * k * most_j)


@kernel
def _insert(knots, n, time):
    """Put a time among the first n knots, in order and once; return how many there are."""
    at = n
    while at > 0 and knots[at - 1] > time:
        at -= 1
    if at > 0 and knots[at - 1] == time:
        return n
    for k in range(n, at, -1):
        knots[k] = knots[k - 1]
    knots[at] = time
    return n + 1


@kernel
def _write_piece(law, time, piece):
    """The cubic of a law from a time on."""
    row = BRAKE_ROWS - 1
    while row > 0 and law[row, 0] > time:
        row -= 1
    t = time - law[row, 0]
    v = law[row, 2]
    a = law[row, 3]
    j = law[row, 4]
    piece[0] = law[row, 1] + t * (v + t * (a / 2.0 + t * j / 6.0))
    piece[1] = v + t * (a + t * j / 2.0)
    piece[2] = (a + t * j) / 2.0
    piece[3] = j / 6.0

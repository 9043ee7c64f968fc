"""Where the axes of the robots should be at the time of a stage: holding, moving or streaming.

A move is a path q(s), cubic pieces in s, and a law s(t), segments of constant jerk:

    q̇ = q' ṡ        q̈ = q'' ṡ² + q' s̈

A stream of set points P₀ P₁ P₂ P₃, one a period T, is joined by a uniform cubic B-spline; u goes
from 0 to 1 in each period:

    6 q = (1-u)³ P₀ + (3u³-6u²+4) P₁ + (-3u³+3u²+3u+1) P₂ + u³ P₃

Positions, speeds and accelerations are continuous whatever is sent, nothing overshoots, and a last
set point that is repeated is where it comes to rest.
"""

from twincell.sim.jit import formula, kernel, line

HOLD, MOVE, STREAM, BRAKE = 0, 1, 2, 3


@line
def aim(model, state, scratch, stage):
    """Find the target of every axis; an ideal joint is there at once."""
    targets = scratch.targets
    for robot in range(model.robots.first.shape[0]):
        aim_robot(model, state, scratch, robot)
    for axis in range(model.axes.joint.shape[0]):
        if model.axes.ideal[axis] == 1:
            joint = model.axes.joint[axis]
            scratch.motion.q[joint] = targets.q[axis]
            scratch.motion.qd[joint] = targets.qd[axis]
            scratch.placed.qdd[joint] = targets.qdd[axis]
            if stage == 0:
                state.q[joint] = targets.q[axis]
                state.qd[joint] = targets.qd[axis]


@kernel
def aim_robot(model, state, scratch, robot):
    """Find the targets of a robot's axes."""
    mode = state.robots.mode[robot]
    if mode == HOLD:
        for axis in range(model.robots.first[robot], model.robots.end[robot]):
            scratch.targets.q[axis] = state.robots.hold[axis]
            scratch.targets.qd[axis] = 0.0
            scratch.targets.qdd[axis] = 0.0
    elif mode == STREAM:
        _stream(model, state, scratch, robot)
    else:
        _move(model, state, scratch, robot)


@kernel
def _move(model, state, scratch, robot):
    s, ds, dds = progress(model, state, scratch, robot)
    # the last piece that begins before s
    low = 0
    high = state.robots.n_piece[robot] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if state.robots.knots[robot, middle] <= s:
            low = middle
        else:
            high = middle - 1
    x = s - state.robots.knots[robot, low]
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        c = state.robots.pieces[axis, low]
        slope = c[1] + x * (2.0 * c[2] + x * 3.0 * c[3])
        bend = 2.0 * c[2] + x * 6.0 * c[3]
        scratch.targets.q[axis] = c[0] + x * (c[1] + x * (c[2] + x * c[3]))
        scratch.targets.qd[axis] = slope * ds
        scratch.targets.qdd[axis] = bend * ds * ds + slope * dds


@formula
def progress(model, state, scratch, robot):
    """S and its rates at the time of this stage."""
    now = scratch.time[0] - state.robots.began[robot] * model.step
    segment = state.robots.n_law[robot] - 1
    while segment > 0 and state.robots.law[robot, segment, 0] > now:
        segment -= 1
    law = state.robots.law[robot, segment]
    t = now - law[0]
    s = law[1] + t * (law[2] + t * (law[3] / 2.0 + t * law[4] / 6.0))
    return s, law[2] + t * (law[3] + t * law[4] / 2.0), law[3] + t * law[4]


@kernel
def _stream(model, state, scratch, robot):
    duration = model.robots.period[robot] * model.step
    u = (scratch.time[0] - state.robots.began[robot] * model.step) / duration
    v = 1.0 - u
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        p = state.robots.spline[axis]
        position = (
            v * v * v * p[0]
            + (4.0 + u * u * (3.0 * u - 6.0)) * p[1]
            + (1.0 + u * (3.0 + u * (3.0 - 3.0 * u))) * p[2]
            + u * u * u * p[3]
        )
        # the first and second differences, so that equal set points give exactly no motion
        first, second, third = p[1] - p[0], p[2] - p[1], p[3] - p[2]
        speed = v * v * first + (1.0 + 2.0 * u * v) * second + u * u * third
        bend = v * (second - first) + u * (third - second)
        scratch.targets.q[axis] = position / 6.0
        scratch.targets.qd[axis] = 0.5 * speed / duration
        scratch.targets.qdd[axis] = bend / (duration * duration)

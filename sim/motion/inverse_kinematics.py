"""Inverse kinematics: joint positions that put a robot's tool centre point at a pose.

    e = (p_T - p, log(R_T Rᵀ))              what is missing, with the Jacobian J
    (JᵀJ + λ²) Δq = Jᵀ e,   λ² = ½ |e|²      damped least squares; far away more careful

The damping vanishes with the error, so it converges as Newton's method does, and a singular pose
costs steps but no division by nothing. A joint at its limit that would go beyond is left out. Steps
that turn are short, so that it seldom leaves the posture that it starts from; who must not leave it
asks how far the joints have moved (`robot_orders.py`, `plan/follow.py`).
"""

from twincell.sim.jit import entry, formula, kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.joint_axis import motion_subspace
from twincell.sim.mechanics.vector import ZERO, load, minus, mul, norm, plus
from twincell.sim.motion.chain import place_link
from twincell.sim.numeric.cholesky import solve_positive

REACHED, NOT_REACHED = 0, 1

CLOSE = 1.0e-10  # [m, rad]: a tenth of what paths and set points are compared with; chosen
LONGEST = 0.3  # [rad] that a joint turns in one step; chosen: well within one posture
MOST_DAMPING = 0.5  # λ² as of an error of a metre or radian; more would only make slides slow
MOST_STEPS = 60  # chosen: half a turn at the longest step takes ten, the end at most five more
STUCK = 1.0e-12  # [m, rad]: a step so short changes nothing any more
LEAST_DAMPING = 1.0e-12  # λ² at no error: keeps the matrix regular for robots with many joints


@kernel
def find_joints(model, scratch, robot, p_T, q_T):
    """Move `chain.q` to joint positions that reach a pose; say whether it does."""
    chain = scratch.chain
    first = model.robots.first[robot]
    end = model.robots.end[robot]
    for _ in range(MOST_STEPS):
        p, q_W = pose_of_tcp(model, scratch, robot)
        e_p = minus(p_T, p)
        e_R = rotation.vector(rotation.compose(q_T, rotation.inverse(q_W)))
        if norm(e_p) < CLOSE and norm(e_R) < CLOSE:
            return REACHED
        write_jacobian(model, scratch, robot, p)
        longest, turn = _step(model, scratch, robot, e_p, e_R)
        if longest < STUCK:
            return NOT_REACHED

        shorten = min(1.0, LONGEST / max(turn, STUCK))
        for axis in range(first, end):
            q = chain.q[axis] + shorten * chain.step[axis]
            chain.q[axis] = min(max(q, model.axes.lower[axis]), model.axes.upper[axis])
    return NOT_REACHED


@kernel
def pose_of_tcp(model, scratch, robot):
    """Place a robot's links at `chain.q`; position and orientation of its tool centre point."""
    chain = scratch.chain
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        if model.axes.to_tcp[axis] == 1:
            place_link(model, scratch, axis, chain.q[axis])
    port = model.robots.tcp[robot]
    last = model.robots.last[robot]
    R_WB = rotation.load_matrix(chain.R_W, last)
    p = plus(load(chain.c_W, last), mul(R_WB, load(model.ports.p_BP, port)))
    q_BP = rotation.load(model.ports.q_BP, port)
    return p, rotation.compose(rotation.load(chain.q_W, last), q_BP)


@kernel
def write_jacobian(model, scratch, robot, p):
    """What each axis does to the tool centre point at p: velocity and angular velocity."""
    chain = scratch.chain
    for axis in range(model.robots.first[robot], model.robots.end[robot]):
        linear = ZERO
        angular = ZERO
        if model.axes.to_tcp[axis] == 1:
            joint = model.axes.joint[axis]
            u = load(chain.axis_W, axis)
            linear, angular = motion_subspace(model, joint, u, load(chain.p_WJ, axis), p)
        for k in range(3):
            chain.jacobian[axis, k] = linear[k]
            chain.jacobian[axis, 3 + k] = angular[k]


@kernel
def _step(model, scratch, robot, e_p, e_R):
    """Fill `chain.step` with Δq, joints at a limit left out; return its longest part and turn."""
    chain = scratch.chain
    first = model.robots.first[robot]
    end = model.robots.end[robot]
    e = (e_p[0], e_p[1], e_p[2], e_R[0], e_R[1], e_R[2])
    square = 0.0
    for k in range(6):
        square += e[k] * e[k]
    damping = min(0.5 * square, MOST_DAMPING) + LEAST_DAMPING
    for axis in range(first, end):
        chain.free[axis] = model.axes.to_tcp[axis]

    # leaving one out changes what the others do, so another may come to its limit
    for _ in range(first, end + 1):
        _solve_step(model, scratch, first, end, e, damping)
        pressed = False
        for axis in range(first, end):
            if chain.free[axis] == 1 and _is_pressed(model, chain, axis):
                chain.free[axis] = 0
                pressed = True
        if not pressed:
            break
    longest = 0.0
    turn = 0.0
    for axis in range(first, end):
        longest = max(longest, abs(chain.step[axis]))
        if model.joints.turn[model.axes.joint[axis]] == 1:
            turn = max(turn, abs(chain.step[axis]))
    return longest, turn


@formula
def _is_pressed(model, chain, axis):
    """Whether a joint at its limit would go beyond it."""
    return (chain.q[axis] <= model.axes.lower[axis] and chain.step[axis] < 0.0) or (
        chain.q[axis] >= model.axes.upper[axis] and chain.step[axis] > 0.0
    )


@kernel
def _solve_step(model, scratch, first, end, e, damping):
    """Solve (JᵀJ + λ²) Δq = Jᵀ e by Cholesky over the joints that are free to move."""
    chain = scratch.chain
    jacobian = chain.jacobian
    matrix = chain.matrix
    step = chain.step
    n = end - first
    for i in range(n):
        step[first + i] = 0.0
        if chain.free[first + i] == 1:
            for k in range(6):
                step[first + i] += jacobian[first + i, k] * e[k]
        for j in range(i + 1):
            matrix[i, j] = damping if i == j else 0.0
            if chain.free[first + i] == 1 and chain.free[first + j] == 1:
                for k in range(6):
                    matrix[i, j] += jacobian[first + i, k] * jacobian[first + j, k]
    solve_positive(matrix, step[first:end], n)


@entry
def solve_inverse(model, scratch, robot, q, pose):
    """Move q to joint positions that reach a pose (x, y, z, quaternion); say whether it does."""
    first = model.robots.first[robot]
    for k in range(q.shape[0]):
        scratch.chain.q[first + k] = q[k]
    q_T = (pose[3], pose[4], pose[5], pose[6])
    result = find_joints(model, scratch, robot, (pose[0], pose[1], pose[2]), q_T)
    for k in range(q.shape[0]):
        q[k] = scratch.chain.q[first + k]
    return result


@entry
def solve_forward(model, scratch, robot, q, pose, jacobian):
    """Pose of the tool centre point and its Jacobian (one row an axis) at joint positions q."""
    first = model.robots.first[robot]
    for k in range(q.shape[0]):
        scratch.chain.q[first + k] = q[k]
    p, q_W = pose_of_tcp(model, scratch, robot)
    write_jacobian(model, scratch, robot, p)
    for k in range(3):
        pose[k] = p[k]
    for k in range(4):
        pose[3 + k] = q_W[k]
    for axis in range(q.shape[0]):
        for k in range(6):
            jacobian[axis, k] = scratch.chain.jacobian[first + axis, k]

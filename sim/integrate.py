"""From one tick to the next.

    rk4             x₊ = x + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)      k at t, t + h/2, t + h/2, t + h
    semi_implicit   v₊ = v + h a,   x₊ = x + h v₊

Quaternions are integrated as four numbers (q̇ = ½ ω ∘ q) and made unit again after each tick.
The state is written only when the new one is sound: a cell that blows up stops at its last good
instant, with a fault that names the object.
"""

from twincell.sim.fault import BODY_LOST, JOINT_LOST, NO_FAULT, report_fault
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import load, plus, store, times
from twincell.sim.model import NONE

BEYOND = 1.0e10  # no position, velocity or angle of a cell is that large; chosen as in MuJoCo


@kernel
def begin(model, state, scratch):
    """Start the first stage from the state."""
    motion = scratch.motion
    for free in range(state.p_WB.shape[0]):
        store(motion.p_WB, free, load(state.p_WB, free))
        rotation.store(motion.q_WB, free, rotation.load(state.q_WB, free))
        store(motion.v_WB, free, load(state.v_WB, free))
        store(motion.w_WB, free, load(state.w_WB, free))
    for joint in range(state.q.shape[0]):
        motion.q[joint] = state.q[joint]
        motion.qd[joint] = state.qd[joint]
    scratch.time[0] = state.tick[0] * model.step


@kernel
def advance_stage(model, state, scratch, stage):
    """Go on to the next stage, or from the last one to the end of the tick."""
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        if model.bodies.free[body] != NONE:
            if model.n_stage == 1:
                _leap_body(model, state, scratch, body, model.bodies.free[body])
            else:
                _advance_body(model, state, scratch, body, model.bodies.free[body], stage)
    for joint in range(state.q.shape[0]):
        if model.n_stage == 1:
            scratch.motion.qd[joint] = state.qd[joint] + model.step * scratch.placed.qdd[joint]
            scratch.motion.q[joint] = state.q[joint] + model.step * scratch.motion.qd[joint]
        else:
            _advance_joint(model, state, scratch, joint, stage)
    scratch.time[0] = state.tick[0] * model.step + _reach(model, stage)


@formula
def _reach(model, stage):
    """How far ahead of the tick the next stage looks: half a step twice, then a whole one."""
    return 0.5 * model.step if stage < 2 else model.step


@formula
def _advance_body(model, state, scratch, body, free, stage):
    """One RK4 stage of a free body: add its rates to the sum, place it for the next stage."""
    motion = scratch.motion
    v = load(motion.v_WB, free)
    a = load(scratch.placed.a_W, body)
    alpha = load(scratch.placed.alpha_W, body)
    rate = rotation.rate(rotation.load(motion.q_WB, free), load(motion.w_WB, free))
    if stage == 0:
        store(motion.sum_v, free, v)
        store(motion.sum_a, free, a)
        store(motion.sum_alpha, free, alpha)
        rotation.store(motion.sum_q, free, rate)
    else:
        weight = 2.0 if stage < 3 else 1.0
        store(motion.sum_v, free, plus(load(motion.sum_v, free), times(weight, v)))
        store(motion.sum_a, free, plus(load(motion.sum_a, free), times(weight, a)))
        store(motion.sum_alpha, free, plus(load(motion.sum_alpha, free), times(weight, alpha)))
        total = _plus4(rotation.load(motion.sum_q, free), weight, rate)
        rotation.store(motion.sum_q, free, total)

    ahead = _reach(model, stage)
    if stage == 3:
        ahead = model.step / 6.0
        v = load(motion.sum_v, free)
        a = load(motion.sum_a, free)
        alpha = load(motion.sum_alpha, free)
        rate = rotation.load(motion.sum_q, free)
    q_WB = _plus4(rotation.load(state.q_WB, free), ahead, rate)
    if stage == 3:
        q_WB = rotation.normalise(q_WB)
    store(motion.p_WB, free, plus(load(state.p_WB, free), times(ahead, v)))
    store(motion.v_WB, free, plus(load(state.v_WB, free), times(ahead, a)))
    store(motion.w_WB, free, plus(load(state.w_WB, free), times(ahead, alpha)))
    rotation.store(motion.q_WB, free, q_WB)


@kernel
def _advance_joint(model, state, scratch, joint, stage):
    """One RK4 stage of a joint."""
    motion = scratch.motion
    qd = motion.qd[joint]
    qdd = scratch.placed.qdd[joint]
    if stage == 0:
        motion.sum_qd[joint] = qd
        motion.sum_qdd[joint] = qdd
    else:
        weight = 2.0 if stage < 3 else 1.0
        motion.sum_qd[joint] += weight * qd
        motion.sum_qdd[joint] += weight * qdd

    ahead = _reach(model, stage)
    if stage == 3:
        ahead = model.step / 6.0
        qd = motion.sum_qd[joint]
        qdd = motion.sum_qdd[joint]
    motion.q[joint] = state.q[joint] + ahead * qd
    motion.qd[joint] = state.qd[joint] + ahead * qdd


@kernel
def _leap_body(model, state, scratch, body, free):
    """One semi-implicit step of a free body: velocities first, then poses with the new ones."""
    motion = scratch.motion
    h = model.step
    v = plus(load(state.v_WB, free), times(h, load(scratch.placed.a_W, body)))
    w = plus(load(state.w_WB, free), times(h, load(scratch.placed.alpha_W, body)))
    q_WB = rotation.load(state.q_WB, free)
    store(motion.v_WB, free, v)
    store(motion.w_WB, free, w)
    store(motion.p_WB, free, plus(load(state.p_WB, free), times(h, v)))
    q_WB = rotation.normalise(_plus4(q_WB, h, rotation.rate(q_WB, w)))
    rotation.store(motion.q_WB, free, q_WB)


@formula
def _plus4(q, k, rate):
    return (q[0] + k * rate[0], q[1] + k * rate[1], q[2] + k * rate[2], q[3] + k * rate[3])


@kernel
def commit(model, state, scratch, feedback):
    """Make the new state the state, unless something in it is out of all bounds."""
    motion = scratch.motion
    for body in range(model.n_driven):
        if not _is_sound_motion(scratch.placed, body):
            report_fault(state, feedback, BODY_LOST, body)
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        free = model.bodies.free[body]
        if free != NONE and not _is_sound_body(motion, free):
            report_fault(state, feedback, BODY_LOST, body)
    for joint in range(state.q.shape[0]):
        if not (_is_sound(motion.q[joint]) and _is_sound(motion.qd[joint])):
            report_fault(state, feedback, JOINT_LOST, joint)
    if feedback.fault[0] != NO_FAULT:
        return

    for free in range(state.p_WB.shape[0]):
        store(state.p_WB, free, load(motion.p_WB, free))
        rotation.store(state.q_WB, free, rotation.load(motion.q_WB, free))
        store(state.v_WB, free, load(motion.v_WB, free))
        store(state.w_WB, free, load(motion.w_WB, free))
    for joint in range(state.q.shape[0]):
        state.q[joint] = motion.q[joint]
        state.qd[joint] = motion.qd[joint]
    for axis in range(model.axes.joint.shape[0]):
        if model.axes.ideal[axis] == 0:
            state.robots.integral[axis] = scratch.targets.integral[axis]
    state.tick[0] += 1


@formula
def _is_sound(x):
    return abs(x) < BEYOND  # false for NaN as well


@formula
def _is_sound_body(motion, free):
    # |x| + |y| + ... is NaN or too large as soon as one of them is
    total = 0.0
    for k in range(3):
        total += abs(motion.p_WB[free, k]) + abs(motion.v_WB[free, k]) + abs(motion.w_WB[free, k])
    for k in range(4):
        total += abs(motion.q_WB[free, k])
    return _is_sound(total)


@formula
def _is_sound_motion(placed, body):
    total = 0.0
    for k in range(3):
        total += abs(placed.c_W[body, k]) + abs(placed.v_W[body, k]) + abs(placed.w_W[body, k])
    return _is_sound(total)

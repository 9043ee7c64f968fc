"""Feed-forward: what the target motion takes, by the robot's own model, without its load.

Outwards from the base, accelerations of the links at the target; inwards, what they take:

    F = m (a - g) + Σ F of what it carries         N = J α + ω x J ω + Σ (N + r x F)
    effort = S · (F, N) + gear q̈ + friction         S: the joint's axis

A controller works once a tick, so this is evaluated once a tick. It knows the pose of what the
robot stands on and takes it to be at rest.
"""

import math

from twincell.sim.jit import formula, line
from twincell.sim.mechanics import rotation, spatial
from twincell.sim.mechanics.spatial import add_pair
from twincell.sim.mechanics.vector import (
    ZERO,
    cross,
    dot,
    load,
    minus,
    plus,
    rotate_inertia,
    store,
    sym_mul,
    times,
)
from twincell.sim.model import NONE
from twincell.sim.motion.chain import place_link


@line
def feed_forward(model, scratch):
    """Work out the feed-forward of every servo drive that has one."""
    n_axis = model.axes.joint.shape[0]
    for axis in range(n_axis):
        if model.axes.forward[axis] == 1:
            place_link(model, scratch, axis, scratch.targets.q[axis])
            _accelerate(model, scratch, axis)
            _weigh(model, scratch, axis)
    for axis in range(n_axis - 1, -1, -1):
        scratch.targets.forward[axis] = 0.0
        if model.axes.forward[axis] == 1:
            _pass_on(model, scratch, axis)


@formula
def _accelerate(model, scratch, axis):
    """Angular velocity and accelerations of a link, from those of the one before it."""
    chain = scratch.chain
    joint = model.axes.joint[axis]
    before = model.axes.before[axis]
    qd = scratch.targets.qd[axis]
    qdd = scratch.targets.qdd[axis]
    u = load(chain.axis_W, axis)
    p_J = load(chain.p_WJ, axis)
    w = ZERO
    alpha = ZERO
    a = ZERO
    if before != NONE:
        w = load(chain.w_W, before)
        alpha = load(chain.alpha_W, before)
        arm = minus(p_J, load(chain.c_W, before))
        turning = plus(cross(alpha, arm), cross(w, cross(w, arm)))
        a = plus(load(chain.a_W, before), turning)
    slide = model.joints.slide[joint]
    if slide != 0.0:
        a = plus(plus(a, times(slide * qdd, u)), cross(w, times(2.0 * slide * qd, u)))
    if model.joints.turn[joint] == 1:
        along = times(qd, u)
        alpha = plus(plus(alpha, times(qdd, u)), cross(w, along))
        w = plus(w, along)
    arm = minus(load(chain.c_W, axis), p_J)
    a = plus(a, plus(cross(alpha, arm), cross(w, cross(w, arm))))
    store(chain.w_W, axis, w)
    store(chain.alpha_W, axis, alpha)
    store(chain.a_W, axis, a)


@formula
def _weigh(model, scratch, axis):
    """Force and moment that a link alone takes."""
    chain = scratch.chain
    body = model.joints.child[model.axes.joint[axis]]
    i = model.bodies.inertia[body]
    inertia_B = (i[0], i[1], i[2], i[3], i[4], i[5])
    J = rotate_inertia(rotation.load_matrix(chain.R_W, axis), inertia_B)
    w = load(chain.w_W, axis)
    force = times(model.bodies.mass[body], minus(load(chain.a_W, axis), model.gravity))
    moment = plus(sym_mul(J, load(chain.alpha_W, axis)), cross(w, sym_mul(J, w)))
    spatial.store_pair(chain.force, axis, (force, moment))


@formula
def _pass_on(model, scratch, axis):
    """The axis's own effort; the rest is taken by the link before it."""
    chain = scratch.chain
    joint = model.axes.joint[axis]
    before = model.axes.before[axis]
    load_c = spatial.load_pair(chain.force, axis)
    c = load(chain.c_W, axis)
    u = load(chain.axis_W, axis)
    effort = 0.0
    if model.joints.turn[joint] == 1:
        moment = spatial.force_at(load_c, minus(load(chain.p_WJ, axis), c))[1]
        effort = dot(u, moment)
    if model.joints.slide[joint] != 0.0:
        effort += model.joints.slide[joint] * dot(u, load_c[0])
    if before != NONE:
        to_before = minus(load(chain.c_W, before), c)
        add_pair(chain.force, before, spatial.force_at(load_c, to_before))
    qd = scratch.targets.qd[axis]
    effort += model.joints.gear[joint] * scratch.targets.qdd[axis]
    effort += model.joints.damping[joint] * qd
    if model.joints.friction[joint] > 0.0:
        share = math.tanh(qd / model.joints.friction_speed[joint])
        effort += model.joints.friction[joint] * share
    scratch.targets.forward[axis] = effort

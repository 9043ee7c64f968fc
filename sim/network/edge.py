"""The edge on which a body hangs: what it passes up to the carrier, and what comes back down.

Accelerations count from a reference: what a body would do if the carrier did what its own reference
says, the joint did not accelerate, and the pair met its demand. What hangs below looks, from above,
like one inertia I and one bias p (force = I a + p, a from the reference). With the carrier's a, and
f the force that the edge puts on what hangs on it:

    joint        f = (I - U Uᵀ/d) a + p + U e/d      U = I S, d = Sᵀ U + gear, e = effort - Sᵀ p
    rigid pair   f = I a + p                         held: both move as one
    soft pair    f = K (a + I⁻¹ p)                   K = (I⁻¹ + R)⁻¹: it gives way by R f

Every line is inertia times a plus bias again: that is what the carrier adds to its own. Once the
carrier's a is known, q̈ = (e - Uᵀ a)/d, and f of a pair follows. What hangs on a soft pair then has

    a - R f  =  I⁻¹ (f - p)

Both are the same; in the first nothing cancels if R is small against I⁻¹, in the second if it is
large. Loops live on what small R leave: how their grips share a load.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.joint_axis import joint_axis
from twincell.sim.mechanics.spatial import minus_pair, times_pair
from twincell.sim.mechanics.vector import ZERO, load, minus, times
from twincell.sim.network.islands import FREE, JOINT, PAIR

RIGID, STIFF, SOFT = 0, 1, 2  # how a pair holds: not giving way, or less, or more than its bodies


@formula
def is_soft(scratch, body):
    """Whether a body hangs on a pair that gives way."""
    islands = scratch.islands
    return islands.up[body] == PAIR and scratch.pairs.soft[islands.link[body]] != RIGID


@formula
def prepare_edge(model, scratch, body, o, p_to_o, inertia):
    """Keep S, U and 1/d of a joint, or K of a soft pair, for what a body's edge passes on."""
    articulated = scratch.articulated
    link = scratch.islands.link[body]
    if scratch.islands.up[body] == JOINT:
        axis = times_pair(scratch.islands.sign[body], joint_axis(model, scratch, link, o))
        push = spatial.mul6(inertia, axis)
        spatial.store_pair(articulated.axis, body, axis)
        spatial.store_pair(articulated.push, body, push)
        d = spatial.dot_pair(axis, push) + model.joints.gear[link]
        articulated.inverse[body] = 1.0 / d
    elif is_soft(scratch, body):
        softness = spatial.response_at(spatial.load(scratch.pairs.softness, link), p_to_o)
        response = spatial.plus6(spatial.inverse6(inertia), softness)
        spatial.store(articulated.passed, body, spatial.inverse6(response))


@formula
def passed_on(scratch, body, inertia):
    """Inertia that a body's edge passes on, from its own."""
    articulated = scratch.articulated
    if scratch.islands.up[body] == JOINT:
        push = spatial.load_pair(articulated.push, body)
        return spatial.minus_square(inertia, articulated.inverse[body], push)
    if is_soft(scratch, body):
        return spatial.load(articulated.passed, body)
    return inertia


@formula
def lift(scratch, body, bias, effort):
    """Bias that a body's edge passes on, from its own bias and the joint's effort."""
    articulated = scratch.articulated
    if scratch.islands.up[body] == JOINT:
        axis = spatial.load_pair(articulated.axis, body)
        push = spatial.load_pair(articulated.push, body)
        rest = effort - spatial.dot_pair(axis, bias)
        articulated.rest[body] = rest
        bias = spatial.plus_pair(bias, times_pair(rest * articulated.inverse[body], push))
    elif is_soft(scratch, body):
        inertia = spatial.load(articulated.inertia, body)
        passed = spatial.load(articulated.passed, body)
        bias = spatial.mul6(passed, spatial.solve6(inertia, bias))
        spatial.store_pair(articulated.push, body, bias)
    return bias


@formula
def lower(scratch, body, bias, above):
    """A body's acceleration, its joint's q̈ and its pair's force, from its carrier's a."""
    articulated = scratch.articulated
    up = scratch.islands.up[body]
    nothing = (ZERO, ZERO)
    if up == JOINT:
        push = spatial.load_pair(articulated.push, body)
        left = articulated.rest[body] - spatial.dot_pair(push, above)
        qdd = left * articulated.inverse[body]
        axis = spatial.load_pair(articulated.axis, body)
        return spatial.plus_pair(above, times_pair(qdd, axis)), qdd, nothing
    inertia = spatial.load(articulated.inertia, body)
    if up == FREE:
        return spatial.solve6(inertia, times_pair(-1.0, bias)), 0.0, nothing
    if is_soft(scratch, body):
        passed = spatial.load(articulated.passed, body)
        lifted = spatial.load_pair(articulated.push, body)
        force = spatial.plus_pair(spatial.mul6(passed, above), lifted)
        if scratch.pairs.soft[scratch.islands.link[body]] == STIFF:
            return minus_pair(above, _given_way(scratch, body, force)), 0.0, force
        return spatial.solve6(inertia, minus_pair(force, bias)), 0.0, force
    return above, 0.0, spatial.plus_pair(spatial.mul6(inertia, above), bias)


@formula
def _given_way(scratch, body, force):
    """R f: how a pair gives way to a force about o, seen from there."""
    link = scratch.islands.link[body]
    o = load(scratch.placed.c_W, scratch.islands.root[body])
    o_to_p = minus(load(scratch.pairs.p_W, link), o)
    field = spatial.mul6(
        spatial.load(scratch.pairs.softness, link), spatial.force_at(force, o_to_p)
    )
    return spatial.field_at(field, times(-1.0, o_to_p))


@kernel
def field_of(model, scratch, fields, body, o, at):
    """Acceleration field of any body at a point: o is its island's root, unless it is driven."""
    if body < model.n_driven:
        return driven_field(scratch, body, at)
    return spatial.field_at(spatial.load_pair(fields, body), minus(at, o))


@formula
def driven_field(scratch, body, at):
    """Acceleration field of a driven body at a point."""
    placed = scratch.placed
    field = load(placed.a_W, body), load(placed.alpha_W, body)
    return spatial.field_at(field, minus(at, load(placed.c_W, body)))

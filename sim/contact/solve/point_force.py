"""Force at a contact point whose rate at the end of a sub-step is known.

    F n - B H(|u|) u/|u|          F: the normal force, u: the sliding velocity     [Oest14] (8), (9)
    -ρ N tanh(|ω|/ω₀) ω/|ω|       rolling resistance

Friction and rolling are bounded by B and N, which stay while Newton's method looks for the rates:
then the force is the gradient of a convex function of the rate. They belong to the force found if
B = s(|u|) F and N = F; s lets H fall as μ does (force_law.py).

An overlap at t_n pushes no longer than until the surfaces part as fast as something could have hit
them: what was never resisted, because a body was put there or turned within the last tick, is not
paid back.
"""

from sim.contact.solve.force_law import (
    friction_hull,
    normal_force,
    power,
    rolling_grip,
    symmetric_of,
    tangential,
)
from sim.jit import formula, kernel
from sim.mechanics.spatial import load_pair
from sim.mechanics.vector import ZERO, dot, load, norm, plus, times

GROWN = 1.1  # times the normal force of the round before: it is not known yet; chosen
RELEASED = 0.9  # of the greatest speed of release: from here on the push falls to 0; chosen
AT_REST = 1.0e-300  # a speed that has no direction


@kernel
def point_force(model, scratch, point, rate, step, theta, slopes):
    """Force at a point whose rate at the end of the sub-step is this one; fills in its slope."""
    contacts = scratch.contacts
    laws = model.laws
    law = contacts.law[point]
    n = load(scratch.points.n_W, point)
    share = scratch.points.share[point]
    before = dot(load_pair(contacts.rate, point)[0], n)
    after = dot(rate[0], n)
    p = contacts.depth[point]
    p_next = p - step * ((1.0 - theta) * before + theta * after)
    pushing, stiffness = normal_force(laws, law, share, p, p_next, step, 2.0 * theta - 1.0)
    stiffness *= step * theta
    most = contacts.release[point]
    if after > RELEASED * most and pushing > 0.0:
        left = max(most - after, 0.0) / ((1.0 - RELEASED) * most)
        stiffness = left * stiffness + pushing / ((1.0 - RELEASED) * most) if left > 0.0 else 0.0
        pushing *= left
    slope = slopes[point]
    bound = contacts.bound[point, 0]
    if pushing == 0.0 and bound == 0.0:
        for k in range(7):
            slope[k] = 0.0
        return ZERO, ZERO

    sliding = tangential(rate[0], n)
    speed = norm(sliding)
    grip, rise, _ = friction_hull(laws, law, speed)
    force = plus(times(pushing, n), times(-grip * bound, sliding))
    moment = ZERO
    turning = 0.0
    if laws.rolling[law] > 0.0:
        rolling = tangential(rate[1], n)
        turning = rolling_grip(laws, law, norm(rolling)) * contacts.bound[point, 1]
        moment = times(-turning, rolling)
    along = times(1.0 / max(speed, AT_REST), sliding)
    steep = rise if speed > AT_REST else grip
    linear = symmetric_of(stiffness, n, steep * bound, along, grip * bound)
    for k in range(6):
        slope[k] = linear[k]
    slope[6] = turning
    return force, moment


@formula
def force_now(model, scratch, point):
    """Force at t_n, friction included; sets the bounds that belong to it."""
    contacts = scratch.contacts
    laws = model.laws
    law = contacts.law[point]
    p = scratch.points.depth[point]
    n = load(scratch.points.n_W, point)
    u = load_pair(contacts.rate, point)[0]
    spring = laws.stiffness[law] * power(p, laws.exponent[law])
    damper = laws.damping[law] * power(p, laws.damping_exponent[law]) * dot(u, n)
    pushing = scratch.points.share[point] * max(0.0, spring - damper)
    contacts.bound[point, 1] = pushing
    if pushing == 0.0:
        return ZERO
    sliding = tangential(u, n)
    grip, _, share = friction_hull(laws, law, norm(sliding))
    return plus(times(pushing, n), times(-grip * share * pushing, sliding))


@formula
def begin_bounds(model, scratch, point):
    """Bounds for the first round of a sub-step: the normal force so far, and static friction.

    Of several speeds that falling friction allows at the end of the sub-step the lowest is found,
    if the rounds begin with static friction: each lets it slide a little faster than the one
    before. Whoever slides much faster than v₂ begins with kinetic friction.
    """
    contacts = scratch.contacts
    law = contacts.law[point]
    share = 1.0
    if model.laws.peak_speed[law] < model.laws.slow[law]:
        n = load(scratch.points.n_W, point)
        speed = norm(tangential(load_pair(contacts.rate, point)[0], n))
        if speed > model.laws.slow[law]:
            _, _, share = friction_hull(model.laws, law, speed)
    contacts.bound[point, 2] = share
    contacts.bound[point, 0] = share * contacts.bound[point, 1]


@formula
def bound_wanted(model, scratch, point, force, may_fall):
    """Bound of friction that belongs to the force and rate found; how much force it would change.

    Friction does not fall as long as the rates are not well known, nor in a round whose normal
    force was still too low: it slid too fast.
    """
    contacts = scratch.contacts
    law = contacts.law[point]
    n = load(scratch.points.n_W, point)
    pushing = max(dot(force, n), 0.0)
    speed = norm(tangential(load_pair(contacts.rate_next, point)[0], n))
    grip, _, share = friction_hull(model.laws, law, speed)
    if not may_fall or pushing > GROWN * contacts.bound[point, 1]:
        share = max(share, contacts.bound[point, 2])
    contacts.bound[point, 1] = pushing
    contacts.bound[point, 2] = share
    wanted = share * pushing
    return wanted, grip * speed * abs(wanted - contacts.bound[point, 0])

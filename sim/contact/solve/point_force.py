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

from twincell.sim.contact.solve.force_law import (
    friction_hull,
    normal_force,
    power,
    rolling_grip,
    tangential,
)
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.spatial import load_pair
from twincell.sim.mechanics.vector import ZERO, dot, load, minus, norm, plus, times

GROWN = 1.1  # times the normal force of the round before: it is not known yet; chosen
RELEASED = 0.9  # of the greatest speed of release: from here on the push falls to 0; chosen
AT_REST = 1.0e-300  # a speed that has no direction

# columns of `told`: the normal force and its slope; H(|u|)/|u|, its slope and its share s of what
# is static; the grip of rolling; the depth at the end of the sub-step
NORMAL, STIFFNESS, GRIP, RISE, SHARE, ROLLING, DEPTH = range(7)


@kernel
def look_up(model, scratch, point, rate, step, theta):
    """What the laws say at a point whose rate at the end of the sub-step is this one."""
    contacts = scratch.contacts
    laws = model.laws
    law = contacts.law[point]
    n = load(scratch.points.n_W, point)
    before = dot(load_pair(contacts.rate, point)[0], n)
    after = dot(rate[0], n)
    p = contacts.depth[point]
    p_next = p - step * ((1.0 - theta) * before + theta * after)
    pushing, stiffness = normal_force(
        laws, law, scratch.points.share[point], p, p_next, step, 2.0 * theta - 1.0
    )
    stiffness *= step * theta
    most = contacts.release[point]
    if after > RELEASED * most and pushing > 0.0:
        left = max(most - after, 0.0) / ((1.0 - RELEASED) * most)
        stiffness = left * stiffness + pushing / ((1.0 - RELEASED) * most) if left > 0.0 else 0.0
        pushing *= left
    told = contacts.told[point]
    told[NORMAL] = pushing
    told[STIFFNESS] = stiffness
    told[DEPTH] = p_next
    if pushing == 0.0 and contacts.bound[point, 0] == 0.0:
        told[GRIP] = 0.0
        told[RISE] = 0.0
        told[SHARE] = contacts.bound[point, 2]
        told[ROLLING] = 0.0
        return
    told[GRIP], told[RISE], told[SHARE] = friction_hull(laws, law, norm(tangential(rate[0], n)))
    told[ROLLING] = 0.0
    if laws.rolling[law] > 0.0:
        told[ROLLING] = rolling_grip(laws, law, norm(tangential(rate[1], n)))


@formula
def point_force(scratch, point, rate):
    """Force by what the laws said at this rate, and by the bounds."""
    contacts = scratch.contacts
    told = contacts.told[point]
    n = load(scratch.points.n_W, point)
    sliding = tangential(rate[0], n)
    force = minus(times(told[NORMAL], n), times(told[GRIP] * contacts.bound[point, 0], sliding))
    if told[ROLLING] == 0.0:
        return force, ZERO
    return force, times(-told[ROLLING] * contacts.bound[point, 1], tangential(rate[1], n))


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
def bound_wanted(scratch, point, may_fall):
    """Bound of friction that belongs to what the laws said; how much force it would change.

    Friction does not fall as long as the rates are not well known, nor in a round whose normal
    force was still too low: it slid too fast.
    """
    contacts = scratch.contacts
    told = contacts.told[point]
    share = told[SHARE]
    if not may_fall or told[NORMAL] > GROWN * contacts.bound[point, 1]:
        share = max(share, contacts.bound[point, 2])
    contacts.bound[point, 1] = told[NORMAL]
    contacts.bound[point, 2] = share
    wanted = share * told[NORMAL]
    n = load(scratch.points.n_W, point)
    speed = norm(tangential(load_pair(contacts.rate_next, point)[0], n))
    return wanted, told[GRIP] * speed * abs(wanted - contacts.bound[point, 0])

"""One sub-step of a group: the forces that fit the rates they lead to.

    u₊ = u + δ (drift + J a)        M a = Jᵀ f(u₊)        p₊ = p - δ ((1 - θ) u_n + θ u₊_n)

Newton's method: f is replaced by f - G (u₊ - u) with its slope G at the last try, which `respond`
solves. For the normal force, and for friction at a given normal force where it does not fall with
speed, this is the least of a convex function: going towards the new try until that function stops
falling converges. The derivative on that way needs no new solution:

    E'(α) = Σ toward · (held(α) - f(tried(α))) - δ Σ gain · unanswered(α)

What `respond` leaves unanswered is carried on to the next try, and counts as not settled by its
energy.

Friction is bounded by the normal force of the same try, so the forces found obey the laws exactly.
But that couples the two, and then convergence is not proved. What is left after the last try is an
error of the momentum; more than UNSETTLED of the forces is reported as a fault.
"""

import math

from sim.contact.solve.contact_system import gather_residual, prepare, solve_group
from sim.contact.solve.force_law import friction, normal_force, symmetric_of, tangential, tanh
from sim.contact.solve.jacobian import bodies_of, load_bodies, relative, resist
from sim.fault import CONTACT_UNSETTLED, report_fault
from sim.jit import formula, kernel
from sim.mechanics import spatial
from sim.mechanics.spatial import (
    add_pair,
    dot_pair,
    load_pair,
    minus_pair,
    plus_pair,
    store_pair,
    times_pair,
)
from sim.mechanics.vector import ZERO, cross, dot, load, minus, norm, plus, times
from sim.model import NONE
from sim.network.islands import JOINT

MOST_TRIES = 25  # of Newton's method; chosen: three to five are the rule
EXACT = 1.0e-10  # share of a group's forces that the law may still ask for; chosen
EXACT_IN_CROWD = 2.0e-5  # the same in a crowd; chosen
LINEAR = 1.0e-6  # share of the energy that a try's linear solution may leave: 1e-3 of the forces
LINEAR_IN_CROWD = 1.0e-3  # the same in a crowd: the next try has to mend as much anyway
UNSETTLED = 0.05  # share of a group's forces that may be left after the last try; chosen
MOST_HALVINGS = 12  # on the way to the new try
FALLING = 0.1  # of the first derivative: near enough to the lowest point of the way; chosen
AT_REST = 1.0e-300  # a speed that has no direction


@kernel
def settle(model, state, scratch, feedback, head, n, n_block, is_crowd, begin, step, theta):
    """Advance a group's points and bodies by one sub-step that begins so long after t_n."""
    contacts = scratch.contacts
    if begin == 0.0:
        _guess_rest(scratch, n)
    else:
        _guess_same(model, scratch, head, n)
    for k in range(n):
        store_pair(contacts.total, contacts.member[k], (ZERO, ZERO))
        store_pair(contacts.unanswered, contacts.member[k], (ZERO, ZERO))
        if scratch.islands.up[contacts.member[k]] == JOINT:
            contacts.joint_total[scratch.islands.link[contacts.member[k]]] = 0.0

    # begin at the free motion, with the slopes of the motion so far
    point = contacts.first[head]
    while point != NONE:
        rate = load_pair(contacts.rate, point)
        free = plus_pair(rate, times_pair(step, load_pair(contacts.drift, point)))
        force = press(model, scratch, point, rate, step, theta, contacts.slope)
        extra = resist(scratch, point, minus_pair(rate, free))
        store_pair(contacts.tried, point, free)
        store_pair(contacts.held, point, (ZERO, ZERO))
        store_pair(contacts.wanted, point, plus_pair(force, extra))
        point = contacts.next[point]

    exact, linear = (EXACT_IN_CROWD, LINEAR_IN_CROWD) if is_crowd else (EXACT, LINEAR)
    least = 0.1 * exact * exact  # of the energy of all forces
    left = 0.0
    whole = 0.0
    for trial in range(MOST_TRIES):
        gather_residual(model, scratch, head, n)
        prepare(model, scratch, head, n, step)
        energy, rest = solve_group(
            model, state, scratch, feedback, head, n, n_block, step, trial == 0, linear,
            least * whole,
        )  # fmt: skip
        whole = max(whole, energy)
        _look_ahead(model, scratch, head, step)
        length = 1.0
        if trial == 0:
            _rise(model, scratch, head, n, step, theta, length)
        else:
            length = _search(model, scratch, head, n, step, theta)
        _move(scratch, head, n, length)
        left = _compare(scratch, head)
        if rest > 0.0:
            left += math.sqrt(rest / max(whole, AT_REST))
        if left <= exact:
            break
    if left > UNSETTLED:
        first = contacts.surface[contacts.first[head], 0]
        report_fault(state, feedback, CONTACT_UNSETTLED, first)
    _finish(model, scratch, head, n, begin, step, theta)


@kernel
def _guess_rest(scratch, n):
    """Guess that what is alone keeps its velocity: contacts take its weight off."""
    contacts = scratch.contacts
    islands = scratch.islands
    for k in range(n):
        body = contacts.member[k]
        guess = (ZERO, ZERO)
        if contacts.lone[contacts.block[body]] == 1:
            guess = times_pair(-1.0, load_pair(contacts.free, body))
        store_pair(contacts.gain, body, guess)
        alone = spatial.load(contacts.alone, body)
        store_pair(contacts.weight, body, spatial.mul6(alone, guess))
        if islands.up[body] == JOINT:
            contacts.joint_gain[islands.link[body]] = 0.0


@kernel
def _guess_same(model, scratch, head, n):
    """Guess that everything accelerates as in the sub-step before."""
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        store_pair(contacts.gain, body, load_pair(contacts.total, body))
        store_pair(contacts.weight, body, times_pair(-1.0, load_pair(contacts.unanswered, body)))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_gain[joint] = contacts.joint_total[joint]
    point = contacts.first[head]
    while point != NONE:
        load_bodies(model, scratch, contacts.weight, point, load_pair(contacts.held, point))
        point = contacts.next[point]


@formula
def press(model, scratch, point, rate, step, theta, slopes):
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
    slope = slopes[point]
    if pushing == 0.0:
        for k in range(7):
            slope[k] = 0.0
        return ZERO, ZERO

    sliding = tangential(rate[0], n)
    speed = norm(sliding)
    grip, rise = friction(laws, law, speed)
    force = plus(times(pushing, n), times(-grip * pushing, sliding))
    moment = ZERO
    twist_grip = 0.0
    if laws.rolling[law] > 0.0:
        rolling = tangential(rate[1], n)
        twist_grip = _rolling_grip(laws, law, norm(rolling)) * pushing
        moment = times(-twist_grip, rolling)
    along = times(1.0 / max(speed, AT_REST), sliding)
    # where friction falls with speed, Newton's method goes on as if it did not
    steep = max(rise, 0.0) * pushing if speed > AT_REST else grip * pushing
    linear = symmetric_of(stiffness * step * theta, n, steep, along, grip * pushing)
    for k in range(6):
        slope[k] = linear[k]
    slope[6] = twist_grip
    return force, moment


@formula
def _rolling_grip(laws, law, speed):
    """Moment of the rolling resistance for each newton and each radian per second."""
    full = laws.rolling_speed[law]
    if speed < 1.0e-4 * full:
        return laws.rolling[law] / full
    return laws.rolling[law] * tanh(speed / full) / speed


@kernel
def _look_ahead(model, scratch, head, step):
    """Change of the rates that the new accelerations make."""
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        change = relative(model, scratch, contacts.gain, point)
        store_pair(contacts.toward, point, times_pair(step, change))
        point = contacts.next[point]


@formula
def _held_change(scratch, point):
    """Change of the force held, along with the change of the rate."""
    toward = load_pair(scratch.contacts.toward, point)
    return minus_pair(load_pair(scratch.contacts.wanted, point), resist(scratch, point, toward))


@kernel
def _rise(model, scratch, head, n, step, theta, length):
    """E'(length): how fast the convex function still rises there; the laws there into `ahead`."""
    contacts = scratch.contacts
    total = 0.0
    point = contacts.first[head]
    while point != NONE:
        toward = load_pair(contacts.toward, point)
        rate = plus_pair(load_pair(contacts.tried, point), times_pair(length, toward))
        change = times_pair(length, _held_change(scratch, point))
        held = plus_pair(load_pair(contacts.held, point), change)
        force = press(model, scratch, point, rate, step, theta, contacts.slope_ahead)
        store_pair(contacts.force_ahead, point, force)
        total += dot_pair(toward, minus_pair(held, force))
        point = contacts.next[point]
    return total - step * _unanswered_work(contacts, n, length)


@kernel
def _unanswered_work(contacts, n, length):
    """Σ gain · unanswered(length)."""
    total = 0.0
    for k in range(n):
        body = contacts.member[k]
        before = times_pair(1.0 - length, load_pair(contacts.unanswered, body))
        rest = times_pair(length, load_pair(contacts.rest, body))
        total += dot_pair(load_pair(contacts.gain, body), plus_pair(before, rest))
    return total


@kernel
def _fall(scratch, head, n, step):
    """-E'(0): what is wanted is what the convex function falls by."""
    contacts = scratch.contacts
    total = 0.0
    point = contacts.first[head]
    while point != NONE:
        total += dot_pair(load_pair(contacts.toward, point), load_pair(contacts.wanted, point))
        point = contacts.next[point]
    return total + step * _unanswered_work(contacts, n, 0.0)


@kernel
def _search(model, scratch, head, n, step, theta):
    """How far to go towards the new try: all the way, or to where it stops falling."""
    start = -_fall(scratch, head, n, step)
    end = _rise(model, scratch, head, n, step, theta, 1.0)
    if end <= FALLING * abs(start):
        return 1.0
    low = 0.0
    high = 1.0
    at_low = start
    at_high = end
    length = 1.0
    for _ in range(MOST_HALVINGS):
        # where a straight line crosses 0, but not too near to either end
        length = low + (high - low) * min(max(-at_low / (at_high - at_low), 0.1), 0.9)
        here = _rise(model, scratch, head, n, step, theta, length)
        if abs(here) <= FALLING * abs(start):
            break
        if here > 0.0:
            high = length
            at_high = here
        else:
            low = length
            at_low = here
    return length


@kernel
def _move(scratch, head, n, length):
    """Go to the new try."""
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        add_pair(contacts.held, point, times_pair(length, _held_change(scratch, point)))
        add_pair(contacts.tried, point, times_pair(length, load_pair(contacts.toward, point)))
        point = contacts.next[point]
    for k in range(n):
        body = contacts.member[k]
        add_pair(contacts.total, body, times_pair(length, load_pair(contacts.gain, body)))
        before = times_pair(1.0 - length, load_pair(contacts.unanswered, body))
        rest = times_pair(length, load_pair(contacts.rest, body))
        store_pair(contacts.unanswered, body, plus_pair(before, rest))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_total[joint] += length * contacts.joint_gain[joint]


@kernel
def _compare(scratch, head):
    """Take what the laws want at the new try; the share of it that is not held yet."""
    contacts = scratch.contacts
    size = 0.0
    left = 0.0
    point = contacts.first[head]
    while point != NONE:
        force = load_pair(contacts.force_ahead, point)
        wanted = minus_pair(force, load_pair(contacts.held, point))
        store_pair(contacts.wanted, point, wanted)
        for k in range(7):
            contacts.slope[point, k] = contacts.slope_ahead[point, k]
        size += norm(force[0])
        left += norm(wanted[0])
        point = contacts.next[point]
    return left / max(size, AT_REST)


@kernel
def _finish(model, scratch, head, n, begin, step, theta):
    """Take the forces that the laws give, and what they do, into the tick."""
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        rate = load_pair(contacts.rate, point)
        tried = load_pair(contacts.tried, point)
        force = plus_pair(load_pair(contacts.held, point), load_pair(contacts.wanted, point))
        add_pair(contacts.impulse, point, times_pair(step, force))
        if min(bodies_of(scratch, point)) >= model.n_driven:
            _follow(model, scratch, point, times(step, force[0]), begin, (1.0 - theta) * step)
        normal = load(scratch.points.n_W, point)
        mean = (1.0 - theta) * dot(rate[0], normal) + theta * dot(tried[0], normal)
        contacts.depth[point] -= step * mean
        store_pair(contacts.rate, point, tried)
        point = contacts.next[point]
    for k in range(n):
        body = contacts.member[k]
        gained = times_pair(step, load_pair(contacts.total, body))
        mean_twist = plus_pair(load_pair(contacts.twist, body), times_pair(theta, gained))
        add_pair(contacts.shift, body, times_pair(step, mean_twist))
        add_pair(contacts.twist, body, gained)
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            qd = step * contacts.joint_total[joint]
            contacts.joint_shift[joint] += step * (contacts.joint_twist[joint] + theta * qd)
            contacts.joint_twist[joint] += qd


@kernel
def _follow(model, scratch, point, impulse, begin, ahead):
    """Let the lever arms follow the bodies until the impulse: no moment of momentum is made.

    A sub-step is a drift of (1 - θ) δ, the impulse, and a drift of θ δ. Meanwhile the contact point
    goes with both centres of mass, more with the nearer one, as that of two balls does.
    """
    contacts = scratch.contacts
    a, b = bodies_of(scratch, point)
    p = load(scratch.points.p_W, point)
    r_a = norm(minus(p, load(scratch.placed.c_W, a)))
    r_b = norm(minus(p, load(scratch.placed.c_W, b)))
    apart = minus(
        _displacement(scratch, a, begin + ahead, ahead),
        _displacement(scratch, b, begin + ahead, ahead),
    )
    moment = cross(apart, impulse)
    share = r_a / max(r_a + r_b, AT_REST)
    add_pair(contacts.follow, point, (times(-share, moment), times(share - 1.0, moment)))


@formula
def _displacement(scratch, body, time, ahead):
    """How far a body's centre of mass has gone since t_n, at the time of an impulse."""
    contacts = scratch.contacts
    o = load(scratch.placed.c_W, scratch.islands.root[body])
    way = plus_pair(
        load_pair(contacts.shift, body), times_pair(ahead, load_pair(contacts.twist, body))
    )
    at_c = spatial.field_at(way, minus(load(scratch.placed.c_W, body), o))
    return plus(times(time, load(scratch.placed.v_W, body)), at_c[0])

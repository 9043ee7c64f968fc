"""One sub-step of a group: the forces that fit the rates they lead to.

    u₊ = u + δ (drift + J a)        M a = Jᵀ f(u₊)        p₊ = p - δ ((1 - θ) u_n + θ u₊_n)

With friction bounded by normal forces that stay (point_force.py), this is where a convex function
is least, strictly so in whatever can move:

    E(a) = ½ δ aᵀ M a + Σ φ(u₊)          -dφ/du₊ = f,   G = -df/du₊ ≥ 0

Newton's method, (M + δ Jᵀ G J) Δa = Jᵀ (f - f_held) with M a = Jᵀ f_held, and an exact search along
Δa find it from anywhere. The derivative of E along Δa needs no new solution:

    E'(α) = Σ Δu · (f_held(α) - f(u₊(α))) - δ Σ Δa · imbalance(α)

The imbalance is what conjugate gradients left over; the next step answers to it.

Rounds. The bounds of friction follow the normal forces found as soon as these are known better than
the bounds were, and the search goes on. It is settled when neither changes any more. Where that
does not happen within so many steps, the last convex answer is taken and counted: it keeps momentum
and makes no energy, but some friction is bounded by a normal force of one round before.
"""

import math

from twincell.sim.contact.solve.contact_inertia import prepare
from twincell.sim.contact.solve.contact_system import gather_residual, solve_group
from twincell.sim.contact.solve.jacobian import relative, resist
from twincell.sim.contact.solve.newton_slope import take_slope
from twincell.sim.contact.solve.point_force import (
    AT_REST,
    NORMAL,
    begin_bounds,
    bound_wanted,
    look_up,
    point_force,
)
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.spatial import (
    add_pair,
    dot_pair,
    load_pair,
    minus_pair,
    plus_pair,
    store_pair,
    times_pair,
)
from twincell.sim.mechanics.vector import ZERO, norm
from twincell.sim.model import NONE
from twincell.sim.network.islands import JOINT

MOST_STEPS = 200  # of Newton's method in all rounds; chosen: two to five are the rule
MOST_IN_CROWD = 60  # the same in a crowd,
MOST_IN_TICK = 150  # and in all its sub-steps of a tick; chosen, so that real time is kept
RESERVED = 12  # of them for each sub-step to come; chosen
CONTENT = 1.0e-4  # share of the forces with which a sub-step ends that took more than its part of
# these steps; chosen: others need them more
EXACT = 1.0e-10  # share of the forces of a few bodies that may be left over; chosen
BOUND = 100.0  # times that: share of friction that a new round may still change; chosen
UNCHANGED = 0.01  # of that: the forces so far are taken as they are; chosen, or errors would stay
SETTLED = 1.0e-3  # share of the forces from which on a sub-step counts as not settled; chosen
NEXT_ROUND = 0.2  # of what the last round changed: the rates are known well enough; chosen
FALLS = 1.0e-6  # the same from which on friction of a few bodies may fall; chosen
EAGER, EAGER_STEPS = 0.1, 12  # so much may be left over when an early round ends; chosen
LEAST_RELAXATION, MOST_RELAXATION = 0.1, 3.0  # of the bounds; chosen
FIRST_LINEAR = 1.0e-4  # share of the energy that conjugate gradients may leave in the first step,
LINEAR = 3.0e-3  # and in the others; chosen: rounds bring no more than a digit either
LAST_LEFT = 0.01  # this step may be the last: it leaves the square/0.01 or less; chosen
MOST_PLACES = 40  # that are looked at along a Newton step
FARTHEST = 4.0  # Newton steps: the way to a force that grows with p^1.5 takes 1.5 of them
FALLING = 0.3  # of the first derivative: near enough to the lowest place; chosen


@kernel
def solve_substep(model, state, scratch, feedback, group, step, theta, small, allowed):
    """Find rates, forces and accelerations of a group at the end of a sub-step; steps it took."""
    head, n, n_block, is_crowd = group
    part, most_steps = allowed
    contacts = scratch.contacts
    whole = _begin(model, scratch, head, n, step, theta)
    exact, falls = EXACT, FALLS
    if is_crowd:
        exact, falls = model.contact_tolerance, EAGER
    defect = _take_law(scratch, head, small)  # share of the forces that the laws still ask for,
    left = defect  # and with what conjugate gradients left over
    change = 1.0
    shrinks = 1.0  # the change, from round to round
    steps = 0
    relaxation = 1.0
    most = MOST_RELAXATION
    while True:
        is_known = left <= (max(exact, NEXT_ROUND * change) if steps > 0 else exact)
        if is_known or (left <= EAGER and 0 < steps < EAGER_STEPS):
            last_change = change
            change, before, product, square = _compare_bounds(
                scratch, head, small, left <= max(exact, falls)
            )
            if change <= BOUND * exact and left <= (exact if steps > 0 else UNCHANGED * exact):
                break
            if steps > part and max(left, change) <= CONTENT:
                break
            shrinks = min(change / max(last_change, AT_REST), 1.0)
            if relaxation > 1.0 and product + before < 0.0:  # too far: from now on with care
                most = 1.0
            relaxation = _relax(relaxation, product, square, most) if is_known else 1.0
            _begin_round(scratch, head, relaxation)
        if steps == most_steps:
            break
        steps += 1
        if steps == 1:
            _predict(model, scratch, head, step, theta)
        else:
            _take_slopes(model, scratch, head, step * theta)
        prepare(model, scratch, head, n, step)
        gather_residual(model, scratch, head, n)
        linear = FIRST_LINEAR if steps == 1 else LINEAR
        if shrinks * change <= BOUND * exact and max(defect, change) ** 2 <= LAST_LEFT * exact:
            linear = 0.0
        energy, rest = solve_group(
            model, state, scratch, feedback, head, n, n_block, step, linear,
            0.5 * exact * exact * whole,
        )  # fmt: skip
        whole = max(whole, energy)
        start, line = _take_line(model, scratch, head, n, step)
        length = _search(model, scratch, head, step, theta, start, line)
        _move(scratch, head, n, length)
        defect = _take_law(scratch, head, small)
        left = defect + math.sqrt(max(rest, 0.0) / max(whole, AT_REST))
    if max(left, change) > max(SETTLED, BOUND * exact):
        feedback.unsettled[0] += 1
    if left > SETTLED:
        _keep_balance(contacts, head)
    return steps


@formula
def steps_allowed(is_crowd, taken, n_substep):
    """Steps that are the part of the next of so many sub-steps, and how many it may take at most.

    Of a crowd, those before it took `taken` steps.
    """
    if not is_crowd:
        return MOST_STEPS, MOST_STEPS
    spare = MOST_IN_TICK - taken
    part = max(spare // n_substep, RESERVED)
    return part, max(min(MOST_IN_CROWD, spare - RESERVED * (n_substep - 1)), RESERVED)


@kernel
def _keep_balance(contacts, head):
    """Take the forces that the accelerations answer to, whatever the laws say: momentum is kept."""
    point = contacts.first[head]
    while point != NONE:
        store_pair(contacts.defect, point, (ZERO, ZERO))
        point = contacts.next[point]


@kernel
def _begin(model, scratch, head, n, step, theta):
    """Begin with the forces so far, or as much of them as brings E down; their energy aᵀ M a.

    So E never exceeds that of the free motion, wherever the search is ended.
    """
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        free = times_pair(step, load_pair(contacts.drift, point))
        store_pair(contacts.rate_next, point, plus_pair(load_pair(contacts.rate, point), free))
        store_pair(contacts.defect, point, load_pair(contacts.force, point))
        store_pair(contacts.force, point, (ZERO, ZERO))
        for k in range(7):
            contacts.slope[point, k] = 0.0
        begin_bounds(model, scratch, point)
        contacts.lacking[point] = 0.0
        point = contacts.next[point]
    for k in range(n):
        body = contacts.member[k]
        store_pair(contacts.newton_step, body, load_pair(contacts.acceleration, body))
        store_pair(contacts.step_imbalance, body, load_pair(contacts.imbalance, body))
        store_pair(contacts.acceleration, body, (ZERO, ZERO))
        store_pair(contacts.imbalance, body, (ZERO, ZERO))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_step[joint] = contacts.joint_acceleration[joint]
            contacts.joint_acceleration[joint] = 0.0
    _, line = _take_line(model, scratch, head, n, step)
    energy = line[1] / step
    length = 1.0
    end = _derivative(model, scratch, head, step, theta, line, 1.0)
    if abs(end) > FALLING * step * energy:
        start = _derivative(model, scratch, head, step, theta, line, 0.0)
        length = 0.0
        if start < 0.0:
            length = _search(model, scratch, head, step, theta, start, line)
    _move(scratch, head, n, length)
    return energy


@kernel
def _predict(model, scratch, head, step, theta):
    """Let the first step take the laws as lines, through the rates at the start of the sub-step.

    What sticks there goes on sticking, whatever the forces so far would make of it.
    """
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        rate = load_pair(contacts.rate, point)
        look_up(model, scratch, point, rate, step, theta)
        take_slope(model, scratch, point, rate, step * theta, True)
        ahead = minus_pair(rate, load_pair(contacts.rate_next, point))
        force = plus_pair(point_force(scratch, point, rate), resist(scratch, point, ahead))
        store_pair(contacts.defect, point, minus_pair(force, load_pair(contacts.force, point)))
        point = contacts.next[point]


@kernel
def _take_slopes(model, scratch, head, gain):
    """Slopes of the forces at the rates so far."""
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        take_slope(model, scratch, point, load_pair(contacts.rate_next, point), gain, False)
        point = contacts.next[point]


@kernel
def _take_line(model, scratch, head, n, step):
    """Take up a Newton step: E'(0), and the part of E'(α) that is linear in α, (first, slope)."""
    contacts = scratch.contacts
    start = 0.0
    slope = 0.0
    point = contacts.first[head]
    while point != NONE:
        change = times_pair(step, relative(model, scratch, contacts.newton_step, point))
        store_pair(contacts.rate_change, point, change)
        start -= dot_pair(change, load_pair(contacts.defect, point))
        slope += dot_pair(change, _force_change(scratch, point))
        point = contacts.next[point]
    first = 0.0
    last = 0.0
    for k in range(n):
        body = contacts.member[k]
        a = load_pair(contacts.newton_step, body)
        first -= step * dot_pair(a, load_pair(contacts.imbalance, body))
        last -= step * dot_pair(a, load_pair(contacts.step_imbalance, body))
    return start + first, (first, slope + last - first)


@formula
def _force_change(scratch, point):
    """Change of the force held, along with the change of the rate."""
    change = load_pair(scratch.contacts.rate_change, point)
    return minus_pair(load_pair(scratch.contacts.defect, point), resist(scratch, point, change))


@kernel
def _derivative(model, scratch, head, step, theta, line, length):
    """E'(length); what the laws say there is in `told`."""
    contacts = scratch.contacts
    total = line[0] + length * line[1]
    point = contacts.first[head]
    while point != NONE:
        change = load_pair(contacts.rate_change, point)
        rate = plus_pair(load_pair(contacts.rate_next, point), times_pair(length, change))
        look_up(model, scratch, point, rate, step, theta)
        force = point_force(scratch, point, rate)
        total += dot_pair(change, minus_pair(load_pair(contacts.force, point), force))
        point = contacts.next[point]
    return total


@kernel
def _search(model, scratch, head, step, theta, start, line):
    """How far to go along a step: to where E stops falling, as near as it matters.

    `start` is E'(0).
    """
    enough = FALLING * abs(start)
    low = 0.0
    at_low = start
    high = 1.0
    at_high = _derivative(model, scratch, head, step, theta, line, high)
    while at_high < -enough and high < FARTHEST:
        low = high
        at_low = at_high
        high *= 2.0
        at_high = _derivative(model, scratch, head, step, theta, line, high)
    length = high
    if at_high <= enough:
        return length
    for _ in range(MOST_PLACES):
        # where a straight line crosses 0, but not too near to either end
        length = low + (high - low) * min(max(-at_low / (at_high - at_low), 0.1), 0.9)
        here = _derivative(model, scratch, head, step, theta, line, length)
        if abs(here) <= enough:
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
    """Go along the Newton step."""
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        add_pair(contacts.force, point, times_pair(length, _force_change(scratch, point)))
        change = times_pair(length, load_pair(contacts.rate_change, point))
        add_pair(contacts.rate_next, point, change)
        point = contacts.next[point]
    for k in range(n):
        body = contacts.member[k]
        add_pair(
            contacts.acceleration, body, times_pair(length, load_pair(contacts.newton_step, body))
        )
        before = times_pair(1.0 - length, load_pair(contacts.imbalance, body))
        after = times_pair(length, load_pair(contacts.step_imbalance, body))
        store_pair(contacts.imbalance, body, plus_pair(before, after))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_acceleration[joint] += length * contacts.joint_step[joint]


@kernel
def _take_law(scratch, head, small):
    """Ask for the forces of the laws at the new rates; the share of them that is not held yet."""
    contacts = scratch.contacts
    size = small
    left = 0.0
    point = contacts.first[head]
    while point != NONE:
        force = point_force(scratch, point, load_pair(contacts.rate_next, point))
        defect = minus_pair(force, load_pair(contacts.force, point))
        store_pair(contacts.defect, point, defect)
        size += norm(force[0])
        left += norm(defect[0])
        point = contacts.next[point]
    return left / max(size, AT_REST)


@kernel
def _compare_bounds(scratch, head, small, may_fall):
    """By which share of the forces friction would change with the normal forces found.

    And the products g₋², g₋ · (g - g₋), (g - g₋)² of what the bounds lack, now and a round before.
    """
    contacts = scratch.contacts
    size = small
    change = 0.0
    before = 0.0
    product = 0.0
    square = 0.0
    point = contacts.first[head]
    while point != NONE:
        wanted, changed = bound_wanted(scratch, point, may_fall)
        size += contacts.told[point, NORMAL]
        change += changed
        lacking = wanted - contacts.bound[point, 0]
        more = lacking - contacts.lacking[point]
        before += contacts.lacking[point] * contacts.lacking[point]
        product += contacts.lacking[point] * more
        square += more * more
        contacts.lacking[point] = lacking
        point = contacts.next[point]
    return change / max(size, AT_REST), before, product, square


@kernel
def _begin_round(scratch, head, relaxation):
    """Move the bounds towards what they should be; the forces follow."""
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        bound = contacts.bound[point, 0] + relaxation * contacts.lacking[point]
        contacts.bound[point, 0] = max(bound, 0.0)
        force = point_force(scratch, point, load_pair(contacts.rate_next, point))
        store_pair(contacts.defect, point, minus_pair(force, load_pair(contacts.force, point)))
        point = contacts.next[point]


@formula
def _relax(relaxation, product, square, most):
    """Aitken's relaxation: exact if all bounds approach their limits at one rate."""
    if product == 0.0:  # the first round
        return relaxation
    better = -relaxation * product / square
    # what goes on growing has its limit far ahead
    return min(max(better, LEAST_RELAXATION), most) if better > 0.0 else most

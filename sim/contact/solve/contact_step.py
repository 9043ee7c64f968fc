"""Contact forces of a tick: how hard everything that touches is pushed until the next tick.

The tick is divided into sub-steps as short as the quickest impact of a group needs. Within the tick
contact points and normals stay, and all other accelerations are those of t_n. What comes out is one
mean force for each point, which acts on its bodies in all stages of the tick, and a small way that
the mean force alone would not explain (tick_way.py).
"""

import math

from twincell.sim.contact.solve.contact_inertia import prepare
from twincell.sim.contact.solve.contact_system import answer, take_answer
from twincell.sim.contact.solve.groups import (
    FEW_ISLANDS,
    group_points,
    list_blocks,
    list_members,
)
from twincell.sim.contact.solve.jacobian import bodies_of, load_bodies
from twincell.sim.contact.solve.newton import solve_substep, steps_allowed
from twincell.sim.contact.solve.point_force import bound_wanted, force_now, look_up, point_force
from twincell.sim.contact.solve.sliding_way import go_back
from twincell.sim.contact.solve.substeps import next_substep
from twincell.sim.contact.solve.tick_way import explained, finish_substep, take_along
from twincell.sim.contact.touching import anything_touches
from twincell.sim.jit import formula, kernel, line
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.spatial import (
    add_pair,
    load_pair,
    minus_pair,
    plus_pair,
    store_pair,
    times_pair,
)
from twincell.sim.mechanics.tree_response import body_inertia
from twincell.sim.mechanics.vector import ZERO, cross, load, minus, norm, plus
from twincell.sim.model import NONE
from twincell.sim.network.edge import driven_field
from twincell.sim.network.islands import JOINT, PAIR

FAST_RELEASE = 10.0  # [m/s]: as fast as what fell 5 m; chosen
SLOW_RELEASE = 0.1  # [m/s]; chosen
SMALL = 1.0e-6  # of weight and momentum: forces as small as that need not settle; chosen


@line
def push_contacts(model, state, scratch, feedback):
    """Find the mean contact forces of this tick: what bodies feel of them is in `push`."""
    contacts = scratch.contacts
    if not anything_touches(model, scratch):
        return
    feedback.left_out[0] += scratch.points.left_out[0]
    group_points(model, state, scratch)
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        store_pair(contacts.free, body, _free_field(model, scratch, body))
    for joint in range(model.joints.parent.shape[0]):
        contacts.joint_free[joint] = scratch.placed.qdd[joint]
    for point in range(contacts.n[0]):
        _begin_point(model, scratch, point)
        if max(bodies_of(scratch, point)) < model.n_driven:
            _push_driven(model, scratch, point)
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        if contacts.first[body] != NONE and contacts.leader[body] == body:
            _push_group(model, state, scratch, feedback, body)
    for point in range(contacts.n[0]):
        _spread(model, scratch, point)


@formula
def _spread(model, scratch, point):
    """Let both bodies feel the mean force of a point."""
    contacts = scratch.contacts
    mean = times_pair(1.0 / model.step, load_pair(contacts.impulse, point))
    follow_a, follow_b = times_pair(1.0 / model.step, load_pair(contacts.follow, point))
    p = load(scratch.points.p_W, point)
    a, b = bodies_of(scratch, point)
    on_a = spatial.force_at(mean, minus(load(scratch.placed.c_W, a), p))
    on_b = spatial.force_at(mean, minus(load(scratch.placed.c_W, b), p))
    add_pair(contacts.push, a, plus_pair(on_a, (ZERO, follow_a)))
    add_pair(contacts.push, b, minus_pair((ZERO, follow_b), on_b))


@formula
def _begin_point(model, scratch, point):
    """Rate and free acceleration at a contact point, at t_n."""
    contacts = scratch.contacts
    p = load(scratch.points.p_W, point)
    a, b = bodies_of(scratch, point)
    contacts.depth[point] = scratch.points.depth[point]
    store_pair(contacts.lever, point, (_lever(scratch, a, p), _lever(scratch, b, p)))
    rate = minus_pair(_velocity(scratch, a, p), _velocity(scratch, b, p))
    drift = minus_pair(_field(model, scratch, a, p), _field(model, scratch, b, p))
    store_pair(contacts.rate, point, rate)
    store_pair(contacts.drift, point, drift)
    store_pair(contacts.impulse, point, (ZERO, ZERO))
    store_pair(contacts.follow, point, (ZERO, ZERO))


@formula
def _lever(scratch, body, p):
    """From the root of a body's island to a point."""
    return minus(p, load(scratch.placed.c_W, scratch.islands.root[body]))


@kernel
def _push_driven(model, scratch, point):
    """Force between an ideal robot and what is driven too: only its drives feel it."""
    contacts = scratch.contacts
    contacts.bound[point, 0] = 0.0
    contacts.bound[point, 1] = 0.0
    contacts.bound[point, 2] = 1.0
    contacts.release[point] = math.inf
    drift = times_pair(model.step, load_pair(contacts.drift, point))
    rate = plus_pair(load_pair(contacts.rate, point), drift)
    store_pair(contacts.rate_next, point, rate)
    for _ in range(2):  # friction needs the normal force
        look_up(model, scratch, point, rate, model.step, 1.0)
        contacts.bound[point, 0], _ = bound_wanted(scratch, point, True)
    force = point_force(scratch, point, rate)
    store_pair(contacts.impulse, point, times_pair(model.step, force))


@formula
def _velocity(scratch, body, p):
    placed = scratch.placed
    w = load(placed.w_W, body)
    return plus(load(placed.v_W, body), cross(w, minus(p, load(placed.c_W, body)))), w


@kernel
def _free_field(model, scratch, body):
    """Acceleration field of a body about its root, as the solve without contacts found it."""
    if _is_carried(model, scratch, body):
        return driven_field(scratch, body, load(scratch.placed.c_W, body))
    return load_pair(scratch.articulated.field, body)


@formula
def _field(model, scratch, body, p):
    """Acceleration field of any body at p."""
    if body < model.n_driven:
        return driven_field(scratch, body, p)
    o = load(scratch.placed.c_W, scratch.islands.root[body])
    return spatial.field_at(load_pair(scratch.contacts.free, body), minus(p, o))


@formula
def _is_carried(model, scratch, body):
    """Whether a single body is held by something whose motion is given: it has no field."""
    islands = scratch.islands
    return (
        islands.end[islands.root[body]] == islands.first[islands.root[body]] + 1
        and islands.up[body] == PAIR
        and islands.carrier[body] < model.n_driven
        and scratch.pairs.soft[islands.link[body]] == 0
    )


@kernel
def _moves_with_driven(model, scratch, body):
    """Whether firm pairs alone connect a body with something whose motion is given."""
    islands = scratch.islands
    while islands.up[body] == PAIR and scratch.pairs.soft[islands.link[body]] == 0:
        body = islands.carrier[body]
        if body < model.n_driven:
            return True
    return False


@kernel
def _push_group(model, state, scratch, feedback, head):
    """Advance a group through the tick, sub-step by sub-step."""
    contacts = scratch.contacts
    n, n_island = list_members(scratch, head)
    n_block = list_blocks(model, scratch, head, n)
    group = head, n, n_block, n_island > FEW_ISLANDS
    small = 0.0
    for k in range(n):
        body = contacts.member[k]
        o = load(scratch.placed.c_W, scratch.islands.root[body])
        spatial.store(contacts.alone, body, body_inertia(model, scratch, body, o))
        store_pair(contacts.velocity_gain, body, (ZERO, ZERO))
        store_pair(contacts.way_gain, body, (ZERO, ZERO))
        store_pair(contacts.imbalance, body, (ZERO, ZERO))
        contacts.carried[body] = 1 if _moves_with_driven(model, scratch, body) else 0
        if scratch.islands.up[body] == JOINT:
            contacts.joint_velocity[scratch.islands.link[body]] = 0.0
            contacts.joint_way[scratch.islands.link[body]] = 0.0
        speed = norm(load(scratch.placed.v_W, body)) / model.step + norm(model.gravity)
        small += SMALL * model.bodies.mass[body] * speed
    _limit_release(model, scratch, head, n, group[3])
    _begin_group(model, state, scratch, feedback, head, n, n_block)
    begin = 0.0
    number = 0
    taken = 0  # Newton steps
    area = -explained(model) * model.step * model.step
    while begin < model.step:
        step, theta = next_substep(model, scratch, head, group[3], begin, number)
        n_substep = math.ceil((model.step - begin) / step)
        allowed = steps_allowed(group[3], taken, n_substep)
        taken += solve_substep(model, state, scratch, feedback, group, step, theta, small, allowed)
        finish_substep(model, scratch, head, n, begin, step, theta)
        if theta > 0.5:
            go_back(model, state, scratch, feedback, group, step, theta)
        area += step * (begin + theta * step)
        begin = model.step if step >= model.step - begin else begin + step
        number += 1
    take_along(model, scratch, head, n, area)


@kernel
def _limit_release(model, scratch, head, n, is_crowd):
    """How fast an overlap of t_n may let surfaces part: as fast as they could have hit.

    In a crowd that is as fast as any body of it is now. Few bodies may all be at rest in the
    middle of a hit.
    """
    contacts = scratch.contacts
    fastest = SLOW_RELEASE if is_crowd else FAST_RELEASE
    for k in range(n):
        fastest = max(fastest, norm(load(scratch.placed.v_W, contacts.member[k])))
    point = contacts.first[head]
    while point != NONE:
        contacts.release[point] = fastest if contacts.depth[point] > 0.0 else math.inf
        point = contacts.next[point]


@kernel
def _begin_group(model, state, scratch, feedback, head, n, n_block):
    """Forces of t_n, and the accelerations that they make: where Newton's method begins."""
    contacts = scratch.contacts
    for k in range(n):
        store_pair(contacts.r, contacts.member[k], (ZERO, ZERO))
    point = contacts.first[head]
    while point != NONE:
        for i in range(7):
            contacts.slope[point, i] = 0.0
        force = force_now(model, scratch, point), ZERO
        store_pair(contacts.force, point, force)
        load_bodies(model, scratch, contacts.r, point, force)
        point = contacts.next[point]
    prepare(model, scratch, head, n, model.step)
    answer(model, state, scratch, feedback, head, n_block, contacts.r)
    take_answer(scratch, n, contacts.acceleration, contacts.joint_acceleration)

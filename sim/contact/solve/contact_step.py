"""Contact forces of a tick: how hard everything that touches is pushed until the next tick.

The tick is divided into sub-steps as short as the quickest impact of a group needs. Within the tick
contact points and normals stay, and all other accelerations are those of t_n. What comes out is one
mean force for each point, which acts on its bodies in all stages of the tick, and a small way that
the mean force alone would not explain (`bodies` go there at the end of the tick).
"""

import math

from sim.contact.solve.contact_system import answer, prepare
from sim.contact.solve.groups import (
    FEW_ISLANDS,
    group_points,
    leader_of,
    list_blocks,
    list_members,
)
from sim.contact.solve.jacobian import bodies_of, load_bodies
from sim.contact.solve.newton import solve_substep
from sim.contact.solve.point_force import AT_REST, bound_wanted, force_now, look_up, point_force
from sim.contact.solve.sliding_way import go_back
from sim.contact.solve.substeps import next_substep
from sim.contact.touching import anything_touches
from sim.jit import formula, kernel
from sim.mechanics import rotation, spatial
from sim.mechanics.spatial import (
    add_pair,
    load_pair,
    minus_pair,
    plus_pair,
    store_pair,
    times_pair,
)
from sim.mechanics.tree_response import body_inertia
from sim.mechanics.vector import ZERO, cross, dot, load, minus, norm, plus, store, times
from sim.model import NONE
from sim.network.edge import driven_field
from sim.network.islands import JOINT, PAIR

FAST_RELEASE = 10.0  # [m/s]: as fast as what fell 5 m; chosen
SLOW_RELEASE = 0.1  # [m/s]; chosen
SMALL = 1.0e-6  # of weight and momentum: forces as small as that need not settle; chosen


@kernel
def push_contacts(model, state, scratch, feedback):
    """Find the mean contact forces of this tick: what bodies feel of them is in `push`."""
    contacts = scratch.contacts
    if not anything_touches(model, scratch):
        return
    feedback.left_out[0] += scratch.points.left_out[0]
    group_points(model, state, scratch)
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        store_pair(contacts.free, body, _free_field(model, scratch, body))
    for joint in range(model.joints.type.shape[0]):
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
    area = -_explained(model) * model.step * model.step
    while begin < model.step:
        step, theta = next_substep(model, scratch, head, group[3], begin, number)
        solve_substep(model, state, scratch, feedback, group, step, theta, small)
        _finish(model, scratch, head, n, begin, step, theta)
        if theta > 0.5:
            go_back(model, state, scratch, feedback, group, step, theta)
        area += step * (begin + theta * step)
        begin = model.step if step >= model.step - begin else begin + step
        number += 1
    _take_along(model, scratch, head, n, area)


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
    for k in range(n):
        body = contacts.member[k]
        store_pair(contacts.acceleration, body, load_pair(scratch.articulated.field, body))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_acceleration[joint] = scratch.placed.qdd[joint]


@kernel
def _finish(model, scratch, head, n, begin, step, theta):
    """Take the forces that the laws give, and what they do, into the tick."""
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        rate = load_pair(contacts.rate, point)
        rate_next = load_pair(contacts.rate_next, point)
        force = plus_pair(load_pair(contacts.force, point), load_pair(contacts.defect, point))
        add_pair(contacts.impulse, point, times_pair(step, force))
        if min(bodies_of(scratch, point)) >= model.n_driven:
            _follow(model, scratch, point, times(step, force[0]), begin, (1.0 - theta) * step)
        normal = load(scratch.points.n_W, point)
        mean = (1.0 - theta) * dot(rate[0], normal) + theta * dot(rate_next[0], normal)
        contacts.depth[point] -= step * mean
        store_pair(contacts.rate, point, rate_next)
        point = contacts.next[point]
    for k in range(n):
        body = contacts.member[k]
        gained = times_pair(step, load_pair(contacts.acceleration, body))
        mean = plus_pair(load_pair(contacts.velocity_gain, body), times_pair(theta, gained))
        add_pair(contacts.way_gain, body, times_pair(step, mean))
        add_pair(contacts.velocity_gain, body, gained)
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            qd = step * contacts.joint_acceleration[joint]
            contacts.joint_way[joint] += step * (contacts.joint_velocity[joint] + theta * qd)
            contacts.joint_velocity[joint] += qd


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
        load_pair(contacts.way_gain, body),
        times_pair(ahead, load_pair(contacts.velocity_gain, body)),
    )
    at_c = spatial.field_at(way, minus(load(scratch.placed.c_W, body), o))
    return plus(times(time, load(scratch.placed.v_W, body)), at_c[0])


@formula
def _explained(model):
    """Share of h² a that the integrator moves: half of it, or all in a semi-implicit step."""
    return 0.5 if model.n_stage == 4 else 1.0


@kernel
def _take_along(model, scratch, head, n, area):
    """Give the free acceleration the same θ as the contact forces: what rests does not move.

    A group whose points did not touch after all goes on as if they were not there. What is held
    firmly by something whose motion is given goes with it.
    """
    contacts = scratch.contacts
    touched = False
    point = contacts.first[head]
    while point != NONE:
        force = load_pair(contacts.impulse, point)[0]
        touched = touched or dot(force, force) > 0.0
        point = contacts.next[point]
    if not touched:
        return
    for k in range(n):
        body = contacts.member[k]
        if contacts.carried[body] == 0:
            add_pair(contacts.way_gain, body, times_pair(area, load_pair(contacts.free, body)))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_way[joint] += area * contacts.joint_free[joint]


@kernel
def shift_bodies(model, scratch):
    """At the end of a tick: the way that the mean contact forces alone do not explain."""
    if not anything_touches(model, scratch):
        return
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        head = leader_of(scratch.contacts, scratch.islands.root[body])
        if scratch.contacts.first[head] != NONE:
            _shift(model, scratch, body)


@kernel
def _shift(model, scratch, body):
    contacts = scratch.contacts
    motion = scratch.motion
    explained = _explained(model) * model.step
    free = model.bodies.free[body]
    if free != NONE:
        gained = times_pair(explained, load_pair(contacts.velocity_gain, body))
        way = minus_pair(load_pair(contacts.way_gain, body), gained)
        o = load(scratch.placed.c_W, scratch.islands.root[body])
        p, turn = spatial.field_at(way, minus(load(scratch.placed.c_W, body), o))
        store(motion.p_WB, free, plus(load(motion.p_WB, free), p))
        q = rotation.load(motion.q_WB, free)
        turned = rotation.mix(1.0, q, 1.0, rotation.rate(q, turn))
        rotation.store(motion.q_WB, free, rotation.normalise(turned))
    if scratch.islands.up[body] == JOINT:
        joint = scratch.islands.link[body]
        motion.q[joint] += contacts.joint_way[joint] - explained * contacts.joint_velocity[joint]

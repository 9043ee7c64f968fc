"""Contact forces of a tick: how hard everything that touches is pushed until the next tick.

The tick is divided into sub-steps as short as the quickest impact of a group needs. Within the tick
contact points and normals stay, and all other accelerations are those of t_n. What comes out is one
mean force for each point, which acts on its bodies in all stages of the tick, and a small way that
the mean force alone would not explain (`bodies` go there at the end of the tick).
"""

from sim.contact.solve.groups import (
    FEW_ISLANDS,
    group_points,
    leader_of,
    list_blocks,
    list_members,
)
from sim.contact.solve.jacobian import bodies_of
from sim.contact.solve.newton import press, settle
from sim.contact.solve.substeps import divide
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
from sim.mechanics.vector import ZERO, cross, dot, load, minus, plus, store
from sim.model import NONE
from sim.network.edge import driven_field
from sim.network.islands import JOINT, PAIR
from sim.network.solve import solve


@kernel
def push_surfaces(model, state, scratch, feedback):
    """Find the mean contact forces of this tick, and solve once more with them."""
    contacts = scratch.contacts
    if model.surfaces.port.shape[0] == 0 or contacts.n[0] == 0:
        return
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
    solve(model, state, scratch, feedback)


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
    drift = times_pair(model.step, load_pair(contacts.drift, point))
    rate = plus_pair(load_pair(contacts.rate, point), drift)
    force = press(model, scratch, point, rate, model.step, 1.0, contacts.slope)
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


@formula
def _explained(model):
    """Share of h² a that the integrator moves: half of it, or all in a semi-implicit step."""
    return 0.5 if model.n_stage == 4 else 1.0


@kernel
def _push_group(model, state, scratch, feedback, head):
    contacts = scratch.contacts
    n, n_island = list_members(scratch, head)
    n_block = list_blocks(model, scratch, head, n)
    is_crowd = n_island > FEW_ISLANDS
    for k in range(n):
        body = contacts.member[k]
        o = load(scratch.placed.c_W, scratch.islands.root[body])
        spatial.store(contacts.alone, body, body_inertia(model, scratch, body, o))
        store_pair(contacts.twist, body, (ZERO, ZERO))
        store_pair(contacts.shift, body, (ZERO, ZERO))
        if scratch.islands.up[body] == JOINT:
            contacts.joint_twist[scratch.islands.link[body]] = 0.0
            contacts.joint_shift[scratch.islands.link[body]] = 0.0
    sub_steps, theta = divide(model, state, scratch, feedback, head, n, n_block, is_crowd)
    step = model.step / sub_steps
    for k in range(sub_steps):
        settle(model, state, scratch, feedback, head, n, n_block, is_crowd, k * step, step, theta)
    # so far beyond what the integrator does: Σ δ (kδ + θδ) is ½ h² + (θ - ½) δ h
    area = (0.5 - _explained(model)) * model.step + (theta - 0.5) * step
    _take_along(model, scratch, head, n, area * model.step)


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
        if not _moves_with_driven(model, scratch, body):
            add_pair(contacts.shift, body, times_pair(area, load_pair(contacts.free, body)))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_shift[joint] += area * contacts.joint_free[joint]


@kernel
def shift_bodies(model, scratch):
    """At the end of a tick: the way that the mean contact forces alone do not explain."""
    if model.surfaces.port.shape[0] == 0 or scratch.contacts.n[0] == 0:
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
        gained = times_pair(explained, load_pair(contacts.twist, body))
        way = minus_pair(load_pair(contacts.shift, body), gained)
        o = load(scratch.placed.c_W, scratch.islands.root[body])
        p, turn = spatial.field_at(way, minus(load(scratch.placed.c_W, body), o))
        store(motion.p_WB, free, plus(load(motion.p_WB, free), p))
        q = rotation.load(motion.q_WB, free)
        turned = rotation.mix(1.0, q, 1.0, rotation.rate(q, turn))
        rotation.store(motion.q_WB, free, rotation.normalise(turned))
    if scratch.islands.up[body] == JOINT:
        joint = scratch.islands.link[body]
        motion.q[joint] += contacts.joint_shift[joint] - explained * contacts.joint_twist[joint]

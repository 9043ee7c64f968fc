"""How the bodies of a group answer to forces while their contacts resist: (M + δ Jᵀ G J) a = f.

M is what joints and pairs leave of the bodies' inertias, J the rates at the contact points, G their
slopes. Each contact adds δ G to the inertia of its bodies (`touch.add_slope`), and the sweep from
leaf to root of the constraint network does the rest: P = M + the blocks δ J_aᵀ G J_a on the
diagonal. That is all of it, and exact, unless a contact joins two bodies that can both move. Then P
is the preconditioner of conjugate gradients. M itself is never needed, as P times the direction p
is the force s that p answers:

    (M + δ Jᵀ G J) p = s - δ J_aᵀ G J_b p - δ J_bᵀ G J_a p
"""

from sim.contact.groups import leader_of
from sim.contact.touch import about_root, add_slope, body_of, lever, resist
from sim.jit import formula, kernel
from sim.mechanics import spatial
from sim.mechanics.spatial import add_pair, dot_pair, load_pair, plus_pair, store_pair, times_pair
from sim.mechanics.vector import ZERO, load, minus
from sim.model import NONE
from sim.network import loops
from sim.network.edge import lift, lower, passed_on, prepare_edge
from sim.network.islands import FREE, JOINT, PAIR, body_of_object

MOST_ROUNDS = 200  # of conjugate gradients; chosen: far more than a pile of fifty balls takes
ENOUGH = 1.0e-8  # share of the first residual's energy that may be left: 1e-4 of the force


@kernel
def prepare(model, scratch, head, n, step):
    """Sweep the inertias of a group inwards, with what its contacts add; whether any couple."""
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        for i in range(21):
            scratch.articulated.inertia[body, i] = contacts.alone[body, i]
    coupled = False
    point = contacts.first[head]
    while point != NONE:
        a = body_of(model, scratch, point, 0)
        b = body_of(model, scratch, point, 1)
        if a >= model.n_driven:
            add_slope(scratch, point, a, step)
        if b >= model.n_driven:
            add_slope(scratch, point, b, step)
        coupled = coupled or min(a, b) >= model.n_driven
        point = contacts.next[point]
    for k in range(n - 1, -1, -1):
        if scratch.islands.up[contacts.member[k]] != FREE:
            _prepare_body(model, scratch, contacts.member[k])
    return coupled


@kernel
def _prepare_body(model, scratch, body):
    islands = scratch.islands
    o = load(scratch.placed.c_W, islands.root[body])
    p_to_o = ZERO
    if islands.up[body] == PAIR:
        p_to_o = minus(o, load(scratch.pairs.p_W, islands.link[body]))
    inertia = spatial.load(scratch.articulated.inertia, body)
    prepare_edge(model, scratch, body, o, p_to_o, inertia)
    carrier = islands.carrier[body]
    if carrier >= model.n_driven:
        above = spatial.load(scratch.articulated.inertia, carrier)
        whole = spatial.plus6(above, passed_on(scratch, body, inertia))
        spatial.store(scratch.articulated.inertia, carrier, whole)


@kernel
def answer(model, state, scratch, feedback, head, n):
    """P⁻¹ times the residual of a group, into `articulated.field` and `placed.qdd`."""
    islands = scratch.islands
    articulated = scratch.articulated
    member = scratch.contacts.member
    for k in range(n):
        bias = times_pair(-1.0, load_pair(scratch.contacts.residual, member[k]))
        store_pair(articulated.bias, member[k], bias)
    for k in range(n - 1, -1, -1):
        body = member[k]
        if islands.up[body] != FREE:
            bias = lift(scratch, body, load_pair(articulated.bias, body), 0.0)
            if islands.carrier[body] >= model.n_driven:
                add_pair(articulated.bias, islands.carrier[body], bias)
    for k in range(n):
        _answer_body(model, scratch, member[k])
    for k in range(islands.n_closing[0]):
        root = islands.root[body_of_object(model, islands.closing[k])]
        if leader_of(scratch.contacts, root) == head:
            loops.close_group(model, state, scratch, feedback, k, 0.0)


@formula
def _answer_body(model, scratch, body):
    islands = scratch.islands
    above = (ZERO, ZERO)
    if islands.up[body] != FREE and islands.carrier[body] >= model.n_driven:
        above = load_pair(scratch.articulated.field, islands.carrier[body])
    field, qdd, _ = lower(scratch, body, load_pair(scratch.articulated.bias, body), above)
    store_pair(scratch.articulated.field, body, field)
    if islands.up[body] == JOINT:
        scratch.placed.qdd[islands.link[body]] = qdd


@kernel
def solve_group(model, state, scratch, feedback, head, n, step, coupled):
    """Find the accelerations of a group under its residual, into `gain` and `joint_gain`."""
    contacts = scratch.contacts
    field = scratch.articulated.field
    answer(model, state, scratch, feedback, head, n)
    for k in range(n):
        body = contacts.member[k]
        found = load_pair(field, body)
        if coupled:
            store_pair(contacts.ahead, body, found)
            store_pair(contacts.behind, body, load_pair(contacts.residual, body))
            found = (ZERO, ZERO)
        store_pair(contacts.gain, body, found)
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_ahead[joint] = scratch.placed.qdd[joint]
            contacts.joint_gain[joint] = 0.0 if coupled else scratch.placed.qdd[joint]
    if not coupled:
        return

    energy = _product(scratch, n, contacts.residual, field)
    enough = ENOUGH * energy
    for _ in range(MOST_ROUNDS):
        if energy <= enough:
            return
        _reply(model, scratch, head, n, step)
        length = energy / _product(scratch, n, contacts.reply, contacts.ahead)
        _go_ahead(scratch, n, length)
        answer(model, state, scratch, feedback, head, n)
        left = _product(scratch, n, contacts.residual, field)
        _turn(scratch, n, left / energy)
        energy = left


@kernel
def _product(scratch, n, forces, motions):
    total = 0.0
    for k in range(n):
        body = scratch.contacts.member[k]
        total += dot_pair(load_pair(forces, body), load_pair(motions, body))
    return total


@kernel
def _reply(model, scratch, head, n, step):
    """What it takes to go ahead: the force answered, and what contacts pass from body to body."""
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        store_pair(contacts.reply, body, load_pair(contacts.behind, body))
    point = contacts.first[head]
    while point != NONE:
        a = body_of(model, scratch, point, 0)
        b = body_of(model, scratch, point, 1)
        if min(a, b) >= model.n_driven:
            _pass_on(scratch, point, b, a, step)
            _pass_on(scratch, point, a, b, step)
        point = contacts.next[point]


@formula
def _pass_on(scratch, point, from_body, to_body, step):
    """Force on a body by the motion of the other one at a contact: -δ Jᵀ G J ahead."""
    ahead = load_pair(scratch.contacts.ahead, from_body)
    rate = spatial.field_at(ahead, lever(scratch, from_body, point))
    force = times_pair(-step, resist(scratch, point, rate))
    at_root = about_root(force, lever(scratch, to_body, point))
    add_pair(scratch.contacts.reply, to_body, at_root)


@kernel
def _go_ahead(scratch, n, length):
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        add_pair(contacts.gain, body, times_pair(length, load_pair(contacts.ahead, body)))
        add_pair(contacts.residual, body, times_pair(-length, load_pair(contacts.reply, body)))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_gain[joint] += length * contacts.joint_ahead[joint]


@kernel
def _turn(scratch, n, share):
    """The next direction: the answer to what is left, and a share of the last one."""
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        last = times_pair(share, load_pair(contacts.ahead, body))
        field = load_pair(scratch.articulated.field, body)
        store_pair(contacts.ahead, body, plus_pair(field, last))
        last = times_pair(share, load_pair(contacts.behind, body))
        store_pair(contacts.behind, body, plus_pair(load_pair(contacts.residual, body), last))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            last_qdd = share * contacts.joint_ahead[joint]
            contacts.joint_ahead[joint] = scratch.placed.qdd[joint] + last_qdd

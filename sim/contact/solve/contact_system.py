"""How the bodies of a group answer to forces while their contacts resist: (M + δ Jᵀ G J) a = f.

M is what joints and pairs leave of the bodies' inertias, J the rates at the contact points, G their
slopes. Each contact adds δ G to the inertia of its bodies, and the sweep from leaf to root of the
constraint network answers to forces on one island at a time:

    D = M + δ Jᵀ G J of each body by itself             a block for each island
    L, Lᵀ                                               contacts between islands: by which an
                                                        earlier one acts on a later one, and back
    E                                                   contacts within an island, both ways

That D is all of it, and exact, unless a contact joins two bodies that can both move. Then
conjugate gradients solve (D + L + Lᵀ + E) a = f, with (P + L) P⁻¹ (P + Lᵀ) to precondition them: an
incomplete factorisation, P being D less what earlier bodies give way (contact_inertia.py). P itself
is never needed but where its answer is known, and L only once in each direction (after Eisenstat,
SIAM J. Sci. Stat. Comput. 2, 1981). For a direction p, with t = (P + Lᵀ)⁻¹ p,

    (P + L)⁻¹ A t = t + w          (P + L) w = Lᵀ t + E t + (D - P) t

The residual that is kept is P z instead of r = (P + L) z, and w holds P w after `_forward`.
"""

from twincell.sim.contact.solve.groups import leader_of
from twincell.sim.contact.solve.jacobian import about_root, lever_of, load_bodies, resist
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.spatial import (
    add_pair,
    dot_pair,
    load_pair,
    minus_pair,
    plus_pair,
    store_pair,
    times_pair,
)
from twincell.sim.mechanics.vector import ZERO
from twincell.sim.model import NONE
from twincell.sim.network import loops
from twincell.sim.network.edge import lift, lower
from twincell.sim.network.islands import FREE, JOINT, body_of_object

MOST_ROUNDS = 200  # of conjugate gradients; chosen: far more than a pile of fifty balls takes


@kernel
def answer(model, state, scratch, feedback, head, n_block, forces):
    """P⁻¹ forces, into `articulated.field` and `placed.qdd`."""
    for block in range(n_block):
        _answer_one(model, state, scratch, feedback, head, block, forces)


@formula
def _answer_one(model, state, scratch, feedback, head, block, forces):
    """The same for one block."""
    if scratch.contacts.lone[block] == 1:
        _answer_lone(scratch, block, forces)
    else:
        _answer_block(model, state, scratch, feedback, head, block, forces)


@formula
def _answer_lone(scratch, block, forces):
    """A body by itself."""
    contacts = scratch.contacts
    body = contacts.member[contacts.block_start[block]]
    factors = spatial.load(contacts.factors, body)
    found = spatial.solve_factored(factors, load_pair(forces, body))
    store_pair(scratch.articulated.field, body, found)


@kernel
def _answer_block(model, state, scratch, feedback, head, block, forces):
    contacts = scratch.contacts
    islands = scratch.islands
    articulated = scratch.articulated
    begin = contacts.block_start[block]
    end = contacts.block_start[block + 1]
    for k in range(begin, end):
        body = contacts.member[k]
        store_pair(articulated.bias, body, times_pair(-1.0, load_pair(forces, body)))
    for k in range(end - 1, begin - 1, -1):
        body = contacts.member[k]
        if islands.up[body] != FREE:
            bias = lift(scratch, body, load_pair(articulated.bias, body), 0.0)
            if islands.carrier[body] >= model.n_driven:
                add_pair(articulated.bias, islands.carrier[body], bias)
    for k in range(begin, end):
        _answer_body(model, scratch, contacts.member[k])
    for k in range(islands.n_closing[0]):
        root = islands.root[body_of_object(model, islands.closing[k])]
        if leader_of(contacts, root) == head:
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
def solve_group(model, state, scratch, feedback, head, n, n_block, step, share, least):
    """Find the accelerations of a group under its residual, into `newton_step` and `joint_step`.

    The energy of the residual comes back, and of what is left of it, which is in `step_imbalance`:
    a share of it or `least` may be left. What joints and firm pairs bear has no energy: nothing
    moves under it.
    """
    contacts = scratch.contacts
    if contacts.earlier_start[n] == 0:  # no contact joins two bodies that can both move
        answer(model, state, scratch, feedback, head, n_block, contacts.r)
        take_answer(scratch, n, contacts.newton_step, contacts.joint_step)
        for k in range(n):
            store_pair(contacts.step_imbalance, contacts.member[k], (ZERO, ZERO))
        return 0.0, 0.0

    _begin(scratch, n)
    r = contacts.r
    whole = _forward(model, state, scratch, feedback, head, n_block, step, r, r)
    energy = whole
    enough = max(share * whole, least)
    for k in range(n):
        body = contacts.member[k]
        store_pair(contacts.z, body, load_pair(scratch.articulated.field, body))
    beta = 0.0
    for _ in range(MOST_ROUNDS):
        if not energy > enough:
            break
        curvature = _backward(model, state, scratch, feedback, head, n_block, step, beta)
        curvature += _forward(
            model, state, scratch, feedback, head, n_block, step, contacts.w, contacts.p
        )
        now = _go_ahead(scratch, n, energy / curvature)
        beta = now / energy
        energy = now
    _keep_imbalance(scratch, n_block, step)
    return whole, energy


@kernel
def take_answer(scratch, n, accelerations, joint_accelerations):
    """Take over what `answer` found for the bodies of a group and their joints."""
    for k in range(n):
        body = scratch.contacts.member[k]
        store_pair(accelerations, body, load_pair(scratch.articulated.field, body))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            joint_accelerations[joint] = scratch.placed.qdd[joint]


@kernel
def _begin(scratch, n):
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        store_pair(contacts.newton_step, body, (ZERO, ZERO))
        store_pair(contacts.p, body, (ZERO, ZERO))
        store_pair(contacts.passed, body, (ZERO, ZERO))
        if scratch.islands.up[body] == JOINT:
            contacts.joint_step[scratch.islands.link[body]] = 0.0


@kernel
def gather_residual(model, scratch, head, n):
    """Add up what the laws still ask for on each body, and what the steps before left over."""
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        store_pair(contacts.r, body, load_pair(contacts.imbalance, body))
    point = contacts.first[head]
    while point != NONE:
        load_bodies(model, scratch, contacts.r, point, load_pair(contacts.defect, point))
        point = contacts.next[point]


@kernel
def _forward(model, state, scratch, feedback, head, n_block, step, forces, along):
    """field = (P + L)⁻¹ forces; then forces become P field; Σ along · field."""
    contacts = scratch.contacts
    total = 0.0
    for block in range(n_block):
        _answer_one(model, state, scratch, feedback, head, block, forces)
        for k in range(contacts.block_start[block], contacts.block_start[block + 1]):
            body = contacts.member[k]
            field = load_pair(scratch.articulated.field, body)
            total += dot_pair(load_pair(along, body), field)
            for way in range(contacts.later_start[k], contacts.later_start[k + 1]):
                other, passed = _across(scratch, contacts.later[way], field, step)
                add_pair(forces, other, passed)
    return total


@kernel
def _backward(model, state, scratch, feedback, head, n_block, step, beta):
    """p = P z + β p, t = (P + Lᵀ)⁻¹ p, P t, w = Lᵀ t + E t + (D - P) t; Σ p · t.

    What later blocks pass on is in `passed`.
    """
    contacts = scratch.contacts
    total = 0.0
    for block in range(n_block - 1, -1, -1):
        for k in range(contacts.block_start[block], contacts.block_start[block + 1]):
            body = contacts.member[k]
            last = times_pair(beta, load_pair(contacts.p, body))
            p = plus_pair(load_pair(contacts.r, body), last)
            passed = load_pair(contacts.passed, body)
            store_pair(contacts.p, body, p)
            store_pair(contacts.Pt, body, plus_pair(p, passed))
            store_pair(contacts.w, body, times_pair(-1.0, passed))
            store_pair(contacts.passed, body, (ZERO, ZERO))
        _answer_one(model, state, scratch, feedback, head, block, contacts.Pt)
        for k in range(contacts.block_start[block], contacts.block_start[block + 1]):
            body = contacts.member[k]
            t = load_pair(scratch.articulated.field, body)
            store_pair(contacts.t, body, t)
            total += dot_pair(load_pair(contacts.p, body), t)
            if contacts.earlier_start[k] < contacts.earlier_start[k + 1]:
                taken = spatial.mul6(spatial.load(contacts.eliminated, body), t)
                add_pair(contacts.w, body, taken)
            if scratch.islands.up[body] == JOINT:
                joint = scratch.islands.link[body]
                contacts.joint_t[joint] = scratch.placed.qdd[joint]
            for way in range(contacts.earlier_start[k], contacts.earlier_start[k + 1]):
                other, passed = _across(scratch, contacts.earlier[way], t, step)
                if contacts.block[other] < block:
                    add_pair(contacts.passed, other, passed)
                else:
                    add_pair(contacts.w, other, times_pair(-1.0, passed))
    return total


@formula
def _across(scratch, way, field, step):
    """Whom a contact passes the motion of a body on to, and the force there: δ Jᵀ G J field."""
    point = way[0]
    rate = spatial.field_at(field, lever_of(scratch, point, way[1]))
    force = times_pair(step, resist(scratch, point, rate))
    return way[2], about_root(force, lever_of(scratch, point, 1 - way[1]))


@kernel
def _go_ahead(scratch, n, alpha):
    """Go α t on, which takes the forces P t + P w; the energy r · z that is left."""
    contacts = scratch.contacts
    total = 0.0
    for k in range(n):
        body = contacts.member[k]
        t = load_pair(contacts.t, body)
        add_pair(contacts.newton_step, body, times_pair(alpha, t))
        moved = times_pair(alpha, plus_pair(load_pair(scratch.articulated.field, body), t))
        z = minus_pair(load_pair(contacts.z, body), moved)
        store_pair(contacts.z, body, z)
        taken = plus_pair(load_pair(contacts.w, body), load_pair(contacts.Pt, body))
        r = minus_pair(load_pair(contacts.r, body), times_pair(alpha, taken))
        store_pair(contacts.r, body, r)
        total += dot_pair(z, r)
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_step[joint] += alpha * contacts.joint_t[joint]
    return total


@kernel
def _keep_imbalance(scratch, n_block, step):
    """(P + L) z: what the accelerations found do not answer to."""
    contacts = scratch.contacts
    for block in range(n_block):
        for k in range(contacts.block_start[block], contacts.block_start[block + 1]):
            body = contacts.member[k]
            store_pair(contacts.step_imbalance, body, load_pair(contacts.r, body))
    for block in range(n_block):
        for k in range(contacts.block_start[block], contacts.block_start[block + 1]):
            body = contacts.member[k]
            z = load_pair(contacts.z, body)
            for way in range(contacts.later_start[k], contacts.later_start[k + 1]):
                other, passed = _across(scratch, contacts.later[way], z, step)
                add_pair(contacts.step_imbalance, other, times_pair(-1.0, passed))

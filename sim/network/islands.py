"""Islands: the bodies as trees for this tick, whatever holds them together.

Joints and active pairs are the edges of a graph over the bodies with mass. Driven bodies do not
couple what hangs on them, so each edge to one of them begins an island of its own. Walking
outwards from those, then from whatever floats freely, gives every body one edge on which it hangs
and an order in which the leaf-to-root elimination is exact and linear in their number. A pair that
meets a body already reached closes a loop; it is left to `loops`. The bodies of an arm that stands
on a driven body are only ever reached through its joints, so only pairs can close loops.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.model import NONE
from twincell.sim.numeric.union_find import join, leader_of

FREE, JOINT, PAIR = 0, 1, 2  # what a body hangs on
OBJECT, PARTNER = 0, 1  # sides of a pair


@kernel
def arrange(model, state, scratch):
    """Order the bodies from the roots of their islands outwards."""
    islands = scratch.islands
    n_body = model.bodies.mass.shape[0]
    for body in range(n_body):
        islands.root[body] = NONE
        islands.up[body] = FREE
        islands.pair_head[body] = NONE
    islands.n_closing[0] = 0
    _list_pairs(model, state, scratch)

    # arms that stand on a driven body, then what is held by one, then what floats
    n = 0
    for joint in range(model.joints.parent.shape[0]):
        parent = model.joints.parent[joint]
        child = model.joints.child[joint]
        if parent < model.n_driven and child >= model.n_driven:
            n = _walk(model, state, scratch, n, child, JOINT, joint, parent, 1.0)
    for this in range(model.constrained.port.shape[0]):
        if state.partner[this] == NONE:
            continue
        holder = body_of_partner(model, state, this)
        if holder >= model.n_driven:
            continue
        body = body_of_object(model, this)
        if islands.root[body] == NONE:
            n = _walk(model, state, scratch, n, body, PAIR, this, holder, 1.0)
        else:
            _close(islands, this)
    for body in range(model.n_driven, n_body):
        if islands.root[body] == NONE:
            n = _walk(model, state, scratch, n, body, FREE, NONE, NONE, 1.0)
    _group_loops(model, state, scratch)


@formula
def body_of_object(model, this):
    """Body that carries a constrained object."""
    return model.ports.body[model.constrained.port[this]]


@formula
def body_of_partner(model, state, this):
    """Body that carries the partner of a held constrained object."""
    return model.ports.body[model.collision.port[state.partner[this]]]


@kernel
def _list_pairs(model, state, scratch):
    """Hang every pair between two bodies with mass on a list of each of them.

    An entry is 2 * pair + side: the side says whose list it is on.
    """
    islands = scratch.islands
    for this in range(model.constrained.port.shape[0] - 1, -1, -1):
        if state.partner[this] == NONE:
            continue
        holder = body_of_partner(model, state, this)
        if holder >= model.n_driven:
            body = body_of_object(model, this)
            islands.pair_next[this, OBJECT] = islands.pair_head[body]
            islands.pair_head[body] = 2 * this + OBJECT
            islands.pair_next[this, PARTNER] = islands.pair_head[holder]
            islands.pair_head[holder] = 2 * this + PARTNER


@kernel
def _walk(model, state, scratch, n, seed, up, link, carrier, sign):
    """Append a seed and all that hangs on it to the order; return its new length."""
    islands = scratch.islands
    first = n
    done = n
    n = _append(islands, n, seed, seed, up, link, carrier, sign)
    n = _follow_joints(model, islands, n)
    while done < n:
        body = islands.order[done]
        done += 1

        # pairs on either side
        item = islands.pair_head[body]
        while item != NONE:
            this = item // 2
            side = item % 2
            if side == OBJECT:
                other = body_of_partner(model, state, this)
                toward = -1.0
            else:
                other = body_of_object(model, this)
                toward = 1.0
            if islands.root[other] == NONE and model.bodies.grounded[other] == 0:
                n = _append(islands, n, other, seed, PAIR, this, body, toward)
                n = _follow_joints(model, islands, n)
            elif side == OBJECT and not _hangs_on(islands, body, other, this):
                _close(islands, this)
            item = islands.pair_next[this, side]
    islands.first[seed] = first
    islands.end[seed] = n
    return n


@kernel
def _follow_joints(model, islands, n):
    """Append all that is jointed to the last body, so that no pair can reach it another way."""
    at = n - 1
    seed = islands.root[islands.order[at]]
    while at < n:
        body = islands.order[at]
        at += 1
        joint = model.bodies.first_joint[body]
        while joint != NONE:
            child = model.joints.child[joint]
            if islands.root[child] == NONE:
                n = _append(islands, n, child, seed, JOINT, joint, body, 1.0)
            joint = model.joints.next[joint]
        joint = model.bodies.joint[body]
        if joint != NONE:
            parent = model.joints.parent[joint]
            if parent >= model.n_driven and islands.root[parent] == NONE:
                n = _append(islands, n, parent, seed, JOINT, joint, body, -1.0)
    return n


@kernel
def _hangs_on(islands, body, other, this):
    """Whether a pair is the edge on which one of its two bodies hangs."""
    return (islands.up[body] == PAIR and islands.link[body] == this) or (
        islands.up[other] == PAIR and islands.link[other] == this
    )


@kernel
def _append(islands, n, body, root, up, link, carrier, sign):
    islands.order[n] = body
    islands.root[body] = root
    islands.up[body] = up
    islands.link[body] = link
    islands.carrier[body] = carrier
    islands.sign[body] = sign
    return n + 1


@kernel
def _close(islands, this):
    islands.closing[islands.n_closing[0]] = this
    islands.n_closing[0] += 1


@kernel
def _group_loops(model, state, scratch):
    """Join the islands that closing pairs connect; list each group's roots and closing pairs."""
    islands = scratch.islands
    if islands.n_closing[0] == 0:
        return
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        islands.group[body] = body
        islands.chain[body] = body
        islands.first_closing[body] = NONE
    for k in range(islands.n_closing[0]):
        this = islands.closing[k]
        holder = body_of_partner(model, state, this)
        if holder >= model.n_driven:
            own = islands.root[body_of_object(model, this)]
            join(islands.group, islands.chain, own, islands.root[holder])
    for k in range(islands.n_closing[0] - 1, -1, -1):
        head = group_of(islands, body_of_object(model, islands.closing[k]))
        islands.next_closing[k] = islands.first_closing[head]
        islands.first_closing[head] = k


@kernel
def group_of(islands, body):
    """Leading root of the islands that closing pairs connect with a body's own."""
    return leader_of(islands.group, islands.root[body])


@kernel
def is_in_loop(model, scratch, this):
    """Whether a pair's island has a loop."""
    islands = scratch.islands
    if islands.n_closing[0] == 0:
        return False
    head = group_of(islands, body_of_object(model, this))
    return islands.first_closing[head] != NONE

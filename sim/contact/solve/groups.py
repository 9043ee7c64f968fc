"""Groups: contact points and islands that act on each other, solved together.

Two islands are in one group if a contact joins them, or a grip that closes a loop. A driven body
joins nobody, so every box on a table is a group of its own. A point whose bodies are both driven
has no group: nothing there can give way.
"""

from twincell.sim.contact.solve.jacobian import bodies_of
from twincell.sim.jit import kernel
from twincell.sim.model import NONE
from twincell.sim.network.islands import FREE, body_of_object, body_of_partner
from twincell.sim.numeric import union_find

FEW_ISLANDS = 4  # a group of more is a crowd: quicker, and less exact; chosen


@kernel
def group_points(model, state, scratch):
    """Join the islands that contacts connect, and list the points of each group."""
    contacts = scratch.contacts
    islands = scratch.islands
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        contacts.leader[body] = body
        contacts.chain[body] = body
        contacts.first[body] = NONE
        contacts.joined[body] = NONE
    for k in range(islands.n_closing[0]):
        this = islands.closing[k]
        _join(model, scratch, body_of_object(model, this), body_of_partner(model, state, this))
    n = contacts.n[0]
    for point in range(n):
        for side in range(2):
            contacts.body[point, side] = model.surfaces.body[contacts.surface[point, side]]
        a, b = bodies_of(scratch, point)
        _join(model, scratch, a, b)
    for point in range(n - 1, -1, -1):
        a, b = bodies_of(scratch, point)
        if min(a, b) >= model.n_driven:
            contacts.next_joined[point, 0] = contacts.joined[a]
            contacts.joined[a] = point
            contacts.next_joined[point, 1] = contacts.joined[b]
            contacts.joined[b] = point
        body = max(a, b)
        if body >= model.n_driven:
            head = leader_of(contacts, islands.root[body])
            contacts.next[point] = contacts.first[head]
            contacts.first[head] = point


@kernel
def _join(model, scratch, a, b):
    if min(a, b) < model.n_driven:
        return
    contacts = scratch.contacts
    root = scratch.islands.root
    union_find.join(contacts.leader, contacts.chain, root[a], root[b])


@kernel
def leader_of(contacts, root):
    """Leader of the group that a root belongs to."""
    return union_find.leader_of(contacts.leader, root)


@kernel
def list_members(scratch, head):
    """List the bodies of a group, island by island upwards; how many there are of both.

    Each is listed after its carrier. Forces go from the ground up and back in few sweeps that way.
    """
    contacts = scratch.contacts
    n_root = 1
    contacts.roots[0] = head
    root = contacts.chain[head]
    while root != head:
        contacts.roots[n_root] = root
        n_root += 1
        root = contacts.chain[root]
    _sort_upwards(contacts.roots, n_root, scratch.placed.c_W)
    n = 0
    for i in range(n_root):
        root = contacts.roots[i]
        for k in range(scratch.islands.first[root], scratch.islands.end[root]):
            contacts.member[n] = scratch.islands.order[k]
            n += 1
    return n, n_root


@kernel
def _sort_upwards(roots, n, c_W):
    """Sort bodies by their height (Shell's sort: short, in place)."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            root = roots[i]
            k = i
            while k >= gap and c_W[roots[k - gap], 2] > c_W[root, 2]:
                roots[k] = roots[k - gap]
                k -= gap
            roots[k] = root
        gap //= 2


@kernel
def list_blocks(model, scratch, head, n):
    """Make a block of each island of a group, and list the passes between them; how many blocks.

    Islands that closed loops connect cannot be told apart: a group with such has one block.
    """
    contacts = scratch.contacts
    islands = scratch.islands
    closed = False
    for k in range(islands.n_closing[0]):
        root = islands.root[body_of_object(model, islands.closing[k])]
        closed = closed or leader_of(contacts, root) == head
    n_block = 0
    for k in range(n):
        body = contacts.member[k]
        if k == 0 or (islands.root[body] == body and not closed):
            contacts.block_start[n_block] = k
            alone = islands.up[body] == FREE and islands.end[body] == islands.first[body] + 1
            contacts.lone[n_block] = 1 if alone and not closed else 0
            n_block += 1
        contacts.block[body] = n_block - 1
    contacts.block_start[n_block] = n
    _list_passes(contacts, n)
    return n_block


@kernel
def _list_passes(contacts, n):
    """List with whom contacts join each member: with those of later blocks, and with the others."""
    n_later = 0
    n_earlier = 0
    for k in range(n):
        body = contacts.member[k]
        contacts.later_start[k] = n_later
        contacts.earlier_start[k] = n_earlier
        point = contacts.joined[body]
        while point != NONE:
            side = 0 if contacts.body[point, 0] == body else 1
            other = contacts.body[point, 1 - side]
            if contacts.block[other] > contacts.block[body]:
                way = contacts.later[n_later]
                n_later += 1
            else:
                way = contacts.earlier[n_earlier]
                n_earlier += 1
            way[0] = point
            way[1] = side
            way[2] = other
            point = contacts.next_joined[point, side]
    contacts.later_start[n] = n_later
    contacts.earlier_start[n] = n_earlier

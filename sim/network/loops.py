"""Pairs that close a loop: solved densely, group by group, on top of the sweep.

For the closing pairs of a group, with the forces f at their points p:

    (A + R) f = demanded - what the sweep found          relative acceleration, object less partner

A is found column by column: a unit force on the object and its opposite on the partner, swept
through the island with everything else at rest. All pairs of a group with a loop have a grip that
gives way (see `softness`), so A + R is positive definite however redundant the grips are.
"""

from twincell.sim.fault import TOO_MANY_LOOPS, report_fault
from twincell.sim.jit import kernel
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.spatial import add_pair, minus_pair, times_pair
from twincell.sim.mechanics.vector import ZERO, load, minus
from twincell.sim.model import NONE
from twincell.sim.network.edge import field_of, lift, lower
from twincell.sim.network.islands import (
    FREE,
    JOINT,
    PAIR,
    body_of_object,
    body_of_partner,
    group_of,
)
from twincell.sim.numeric.cholesky import solve_positive


@kernel
def close(model, state, scratch, feedback, demanded):
    """Add the forces of all closing pairs, and what they change, to the result of the sweep.

    demanded is 1 for what the pairs demand, and 0 for an answer to forces while nothing else moves.
    """
    for k in range(scratch.islands.n_closing[0]):
        close_group(model, state, scratch, feedback, k, demanded)


@kernel
def close_group(model, state, scratch, feedback, k, demanded):
    """Add the forces of a group's closing pairs; its first one does the work for all of them."""
    islands = scratch.islands
    head = group_of(islands, body_of_object(model, islands.closing[k]))
    if islands.first_closing[head] != k:
        return
    n = 0
    member = k
    while member != NONE:
        scratch.loops.member[n] = islands.closing[member]
        n += 1
        member = islands.next_closing[member]
    if 6 * n > scratch.loops.right.shape[0]:
        report_fault(state, feedback, TOO_MANY_LOOPS, islands.closing[k])
        for i in range(n):
            spatial.store_pair(scratch.pairs.force, scratch.loops.member[i], (ZERO, ZERO))
        return
    _assemble(model, state, scratch, head, n, demanded)
    solve_positive(scratch.loops.matrix, scratch.loops.right, 6 * n)
    _apply(model, state, scratch, head, n)


@kernel
def _assemble(model, state, scratch, head, n, demanded):
    """Fill A + R and the right-hand side of a group."""
    loops = scratch.loops
    for i in range(n):
        this = loops.member[i]
        found = _relative(model, state, scratch, scratch.articulated.field, this, demanded)
        wanted = times_pair(demanded, spatial.load_pair(scratch.pairs.demand, this))
        _store_six(loops.right, 6 * i, minus_pair(wanted, found))
    for j in range(n):
        for component in range(6):
            _rest(scratch, head)
            unit = _unit(component)
            _load(model, state, scratch, loops.member[j], unit)
            _sweep(model, scratch, head, False)
            for i in range(n):
                answer = _relative(model, state, scratch, loops.field, loops.member[i], 0.0)
                if i == j:
                    softness = spatial.load(scratch.pairs.softness, loops.member[j])
                    answer = spatial.plus_pair(answer, spatial.mul6(softness, unit))
                for row in range(3):
                    loops.matrix[6 * i + row, 6 * j + component] = answer[0][row]
                    loops.matrix[6 * i + 3 + row, 6 * j + component] = answer[1][row]


@kernel
def _apply(model, state, scratch, head, n):
    """Sweep the forces found through the islands and add what they change."""
    loops = scratch.loops
    _rest(scratch, head)
    for i in range(n):
        f = loops.right
        k = 6 * i
        force = ((f[k], f[k + 1], f[k + 2]), (f[k + 3], f[k + 4], f[k + 5]))
        spatial.store_pair(scratch.pairs.force, loops.member[i], force)
        _load(model, state, scratch, loops.member[i], force)
    _sweep(model, scratch, head, True)


@kernel
def _rest(scratch, head):
    """Forget the changes of the last sweep."""
    islands = scratch.islands
    root = head
    while True:
        for k in range(islands.first[root], islands.end[root]):
            spatial.store_pair(scratch.loops.bias, islands.order[k], (ZERO, ZERO))
        root = islands.chain[root]
        if root == head:
            break


@kernel
def _load(model, state, scratch, this, force):
    """Put a force on a pair's object and its opposite on the partner."""
    islands = scratch.islands
    p = load(scratch.pairs.p_W, this)
    body = body_of_object(model, this)
    o = load(scratch.placed.c_W, islands.root[body])
    # bias is the force needed, so a force that helps counts negative
    add_pair(scratch.loops.bias, body, times_pair(-1.0, spatial.force_at(force, minus(o, p))))
    holder = body_of_partner(model, state, this)
    if holder >= model.n_driven:
        o = load(scratch.placed.c_W, islands.root[holder])
        add_pair(scratch.loops.bias, holder, spatial.force_at(force, minus(o, p)))


@kernel
def _relative(model, state, scratch, fields, this, driven):
    """Acceleration of a pair's object less its partner's, at the pair."""
    islands = scratch.islands
    p = load(scratch.pairs.p_W, this)
    body = body_of_object(model, this)
    o = load(scratch.placed.c_W, islands.root[body])
    a_s = field_of(model, scratch, fields, body, o, p)
    holder = body_of_partner(model, state, this)
    if holder < model.n_driven:
        a_c = times_pair(driven, field_of(model, scratch, fields, holder, ZERO, p))
    else:
        o = load(scratch.placed.c_W, islands.root[holder])
        a_c = field_of(model, scratch, fields, holder, o, p)
    return minus_pair(a_s, a_c)


@kernel
def _sweep(model, scratch, head, final):
    """Answer of a group to the forces in `loops.bias`; the final one is added to the result."""
    islands = scratch.islands
    root = head
    while True:
        for k in range(islands.end[root] - 1, islands.first[root] - 1, -1):
            _inwards(model, scratch, islands.order[k])
        for k in range(islands.first[root], islands.end[root]):
            _outwards(model, scratch, islands.order[k], final)
        root = islands.chain[root]
        if root == head:
            break


@kernel
def _inwards(model, scratch, body):
    islands = scratch.islands
    if islands.up[body] != FREE:
        own = spatial.load_pair(scratch.loops.bias, body)
        bias = lift(scratch, body, own, 0.0)
        if islands.carrier[body] >= model.n_driven:
            add_pair(scratch.loops.bias, islands.carrier[body], bias)


@kernel
def _outwards(model, scratch, body, final):
    islands = scratch.islands
    above = (ZERO, ZERO)
    if islands.carrier[body] >= model.n_driven:
        above = spatial.load_pair(scratch.loops.field, islands.carrier[body])
    own = spatial.load_pair(scratch.loops.bias, body)
    field, qdd, force = lower(scratch, body, own, above)
    spatial.store_pair(scratch.loops.field, body, field)
    if final:
        add_pair(scratch.articulated.field, body, field)
        link = islands.link[body]
        if islands.up[body] == JOINT:
            scratch.placed.qdd[link] += qdd
        elif islands.up[body] == PAIR:
            o = load(scratch.placed.c_W, islands.root[body])
            at_p = spatial.force_at(force, minus(load(scratch.pairs.p_W, link), o))
            add_pair(scratch.pairs.force, link, times_pair(islands.sign[body], at_p))


@kernel
def _unit(component):
    """A force of one newton, or a moment of one newton metre, along an axis."""
    x = 1.0 if component % 3 == 0 else 0.0
    y = 1.0 if component % 3 == 1 else 0.0
    z = 1.0 if component % 3 == 2 else 0.0
    if component < 3:
        return (x, y, z), ZERO
    return ZERO, (x, y, z)


@kernel
def _store_six(array, first, x):
    for row in range(3):
        array[first + row] = x[0][row]
        array[first + 3 + row] = x[1][row]

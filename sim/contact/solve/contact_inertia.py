"""Inertias of a group's bodies, with what their contacts add: δ G at each point.

A contact between two bodies that can both move adds δ G to each of them, as if the other one stood
still. It does not: an earlier body k, by itself, gives way by R = J_k P_k⁻¹ J_kᵀ at the point, and
the later body j feels that much less of it,

    P_j = D_j - Σ J_jᵀ S J_j          S = δ² G R G

This is the diagonal of an incomplete factorisation (contact_system.py), and that of the whole one
where contacts make no circle, as in a tower. It cannot break down: P_k is at least δ J_kᵀ G J_k of
each later contact, so δ G - S is never negative. R is known of bodies by themselves only; chains
of links count as if they stood still.
"""

from twincell.sim.contact.solve.jacobian import (
    add_linear_slope,
    add_slope,
    bodies_of,
    lever_of,
    levers_of,
    load_slope,
)
from twincell.sim.jit import kernel
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.vector import ZERO, load, minus, rotate_inertia
from twincell.sim.model import NONE
from twincell.sim.network.edge import passed_on, prepare_edge
from twincell.sim.network.islands import FREE, PAIR


@kernel
def prepare(model, scratch, head, n, step):
    """Sweep the inertias of a group inwards, with what its contacts add."""
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        for i in range(21):
            scratch.articulated.inertia[body, i] = contacts.alone[body, i]
            contacts.eliminated[body, i] = 0.0
    point = contacts.first[head]
    while point != NONE:
        a, b = bodies_of(scratch, point)
        r_a, r_b = levers_of(scratch, point)
        if a >= model.n_driven:
            add_slope(scratch, point, a, r_a, step)
        if b >= model.n_driven:
            add_slope(scratch, point, b, r_b, step)
        point = contacts.next[point]
    for k in range(n):
        body = contacts.member[k]
        if contacts.earlier_start[k] < contacts.earlier_start[k + 1]:
            for i in range(21):
                scratch.articulated.inertia[body, i] -= contacts.eliminated[body, i]
        if scratch.islands.up[body] == FREE:
            inertia = spatial.load(scratch.articulated.inertia, body)
            spatial.store(contacts.factors, body, spatial.factor6(inertia))
            if contacts.lone[contacts.block[body]] == 1:
                _give_way(scratch, k, step)
    for k in range(n - 1, -1, -1):
        body = contacts.member[k]
        if scratch.islands.up[body] != FREE:
            _prepare_body(model, scratch, body)


@kernel
def _give_way(scratch, k, step):
    """Take off later bodies what a body by itself gives way."""
    contacts = scratch.contacts
    inverse, g, c = spatial.load(contacts.factors, contacts.member[k])
    for way in range(contacts.later_start[k], contacts.later_start[k + 1]):
        point = contacts.later[way, 0]
        side = contacts.later[way, 1]
        other = contacts.later[way, 2]
        slope, _ = load_slope(contacts.slope, point)
        if slope[0] + slope[1] + slope[2] == 0.0:
            continue
        x, y, z = lever_of(scratch, point, side)
        # R = M⁻¹ + K C Kᵀ with K = M⁻¹ H + [r x]
        turned = (g[0], g[1] - z, g[2] + y, g[3] + z, g[4], g[5] - x, g[6] - y, g[7] + x, g[8])
        response = spatial.sum6(inverse, rotate_inertia(turned, c))
        xx, yy, zz, xy, xz, yz = slope
        given = rotate_inertia((xx, xy, xz, xy, yy, yz, xz, yz, zz), response)
        r = lever_of(scratch, point, 1 - side)
        add_linear_slope(contacts.eliminated[other], r, given, step * step)


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

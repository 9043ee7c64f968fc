"""Accelerations and constraint forces of every island: leaf to root and back, exact and linear.

    carried    a single body on something whose motion is given: a is demanded     `_carry`
    outwards   the reference acceleration, and I, p of each body alone             `_refer`
    inwards    I, p of each body, plus what its edges below pass on                `edge.lift`
    outwards   at a floating root 0 = I a + p, at a driven carrier a = 0           `edge.lower`

A body is described about the centre of mass o of its island's root. Pairs that close a loop are
left out of the sweep and put in by `loops`.
"""

from twincell.sim.contact.touching import anything_touches
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.joint_axis import joint_drag
from twincell.sim.mechanics.spatial import add_pair, load_pair, minus_pair, times_pair
from twincell.sim.mechanics.tree_response import inertia_in_world
from twincell.sim.mechanics.vector import ZERO, cross, load, minus, plus, store, sym_mul, times
from twincell.sim.model import NONE
from twincell.sim.network import loops
from twincell.sim.network.edge import driven_field, lift, lower, passed_on, prepare_edge
from twincell.sim.network.islands import FREE, JOINT, PAIR, group_of


@kernel
def solve(model, state, scratch, feedback):
    """Find the acceleration of every body and the force in every pair."""
    islands = scratch.islands
    pushed = anything_touches(model, scratch)
    n = model.bodies.mass.shape[0] - model.n_driven
    first = 0
    while first < n:
        body = islands.order[first]
        end = islands.end[body]
        if end == first + 1 and _is_carried(model, scratch, body):
            _carry(model, scratch, body, pushed)
        else:
            _sweep(model, scratch, first, end, pushed)
        first = end
    if islands.n_closing[0] > 0:
        loops.close(model, state, scratch, feedback, 1.0)
        for k in range(n):
            if islands.first_closing[group_of(islands, islands.order[k])] != NONE:
                _accelerate(model, scratch, islands.order[k])


@formula
def _is_carried(model, scratch, body):
    """Whether a body is held, rigidly, by something whose motion is given."""
    islands = scratch.islands
    return (
        islands.up[body] == PAIR
        and islands.carrier[body] < model.n_driven
        and scratch.pairs.soft[islands.link[body]] == 0
    )


@formula
def _carry(model, scratch, body, pushed):
    """Move a single body that is carried: it accelerates as demanded, which takes a force.

    F = m (a - g) - f,    N = J α + ω x J ω - n     about its centre of mass; f, n: contact forces
    """
    placed = scratch.placed
    link = scratch.islands.link[body]
    c = load(placed.c_W, body)
    p = load(scratch.pairs.p_W, link)
    demand = spatial.field_at(spatial.load_pair(scratch.pairs.demand, link), minus(c, p))
    a, alpha = spatial.plus_pair(driven_field(scratch, scratch.islands.carrier[body], c), demand)
    J = inertia_in_world(model, scratch, body)
    w = load(placed.w_W, body)
    force = times(model.bodies.mass[body], minus(a, model.gravity))
    moment = plus(sym_mul(J, alpha), cross(w, sym_mul(J, w)))
    if pushed:
        force, moment = minus_pair((force, moment), load_pair(scratch.contacts.push, body))
    store(placed.a_W, body, a)
    store(placed.alpha_W, body, alpha)
    at_p = spatial.force_at((force, moment), minus(p, c))
    spatial.store_pair(scratch.pairs.force, link, at_p)


@kernel
def _sweep(model, scratch, first, end, pushed):
    """Leaf to root and back through the island that stands from first to end in the order."""
    order = scratch.islands.order
    for k in range(first, end):
        _refer(model, scratch, order[k], pushed)
    for k in range(end - 1, first - 1, -1):
        _inwards(model, scratch, order[k])
    for k in range(first, end):
        _outwards(model, scratch, order[k])
        _accelerate(model, scratch, order[k])


@formula
def _refer(model, scratch, body, pushed):
    """Reference acceleration of a body, and what it alone takes to follow it.

    F = m (a - g) - f,    N = J α + ω x J ω - n     about its centre of mass; f, n: contact forces
    """
    placed = scratch.placed
    o = load(placed.c_W, scratch.islands.root[body])
    r = minus(load(placed.c_W, body), o)
    reference = _reference(model, scratch, body, o)
    spatial.store_pair(scratch.articulated.reference, body, reference)
    a, alpha = spatial.field_at(reference, r)
    w = load(placed.w_W, body)
    mass = model.bodies.mass[body]
    J = inertia_in_world(model, scratch, body)
    force = times(mass, minus(a, model.gravity))
    moment = plus(sym_mul(J, alpha), cross(w, sym_mul(J, w)))
    if pushed:
        force, moment = minus_pair((force, moment), load_pair(scratch.contacts.push, body))
    moment = plus(moment, cross(r, force))
    spatial.store(scratch.articulated.inertia, body, spatial.of_body(mass, J, r))
    spatial.store_pair(scratch.articulated.bias, body, (force, moment))


@formula
def _reference(model, scratch, body, o):
    """Acceleration of a body if no joint accelerated and every pair met its demand."""
    islands = scratch.islands
    up = islands.up[body]
    if up == FREE:
        return ZERO, ZERO
    link = islands.link[body]
    if up == JOINT:
        relative = joint_drag(scratch, link, o)
    else:
        p_to_o = minus(o, load(scratch.pairs.p_W, link))
        relative = spatial.field_at(spatial.load_pair(scratch.pairs.demand, link), p_to_o)
    carrier = islands.carrier[body]
    if carrier < model.n_driven:
        above = driven_field(scratch, carrier, o)
    else:
        above = spatial.load_pair(scratch.articulated.reference, carrier)
    return spatial.plus_pair(above, times_pair(islands.sign[body], relative))


@formula
def _inwards(model, scratch, body):
    """Pass what hangs at a body's edge on to its carrier."""
    islands = scratch.islands
    articulated = scratch.articulated
    up = islands.up[body]
    if up == FREE or _is_carried(model, scratch, body):
        return  # nothing to pass on
    o = load(scratch.placed.c_W, islands.root[body])
    link = islands.link[body]
    effort = 0.0
    p_to_o = ZERO
    if up == JOINT:
        effort = scratch.placed.effort[link]
    else:
        p_to_o = minus(o, load(scratch.pairs.p_W, link))
    inertia = spatial.load(articulated.inertia, body)
    prepare_edge(model, scratch, body, o, p_to_o, inertia)
    bias = lift(scratch, body, spatial.load_pair(articulated.bias, body), effort)
    carrier = islands.carrier[body]
    if carrier >= model.n_driven:
        passed = passed_on(scratch, body, inertia)
        whole = spatial.plus6(spatial.load(articulated.inertia, carrier), passed)
        spatial.store(articulated.inertia, carrier, whole)
        add_pair(articulated.bias, carrier, bias)


@formula
def _outwards(model, scratch, body):
    """Find a body's acceleration from its carrier's, and what its edge carries."""
    islands = scratch.islands
    articulated = scratch.articulated
    carrier = islands.carrier[body]
    link = islands.link[body]
    bias = spatial.load_pair(articulated.bias, body)
    above = (ZERO, ZERO)
    if carrier >= model.n_driven:
        above = spatial.load_pair(articulated.change, carrier)
    change, qdd, force = lower(scratch, body, bias, above)
    reference = spatial.load_pair(articulated.reference, body)
    spatial.store_pair(articulated.change, body, change)
    spatial.store_pair(articulated.field, body, spatial.plus_pair(reference, change))
    if islands.up[body] == JOINT:
        scratch.placed.qdd[link] = qdd
    elif islands.up[body] == PAIR:
        o = load(scratch.placed.c_W, islands.root[body])
        at_p = spatial.force_at(force, minus(load(scratch.pairs.p_W, link), o))
        spatial.store_pair(scratch.pairs.force, link, times_pair(islands.sign[body], at_p))


@formula
def _accelerate(model, scratch, body):
    """Acceleration of a body's centre of mass; nobody asks for that of one on a joint."""
    if model.bodies.free[body] == NONE and model.bodies.borne[body] == 0:
        return
    c = load(scratch.placed.c_W, body)
    o = load(scratch.placed.c_W, scratch.islands.root[body])
    field = spatial.load_pair(scratch.articulated.field, body)
    a, alpha = spatial.field_at(field, minus(c, o))
    store(scratch.placed.a_W, body, a)
    store(scratch.placed.alpha_W, body, alpha)

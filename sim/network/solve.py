"""Accelerations and constraint forces of every island: leaf to root and back, exact and linear.

    inwards    I, p of each body, plus what its edges below pass on          `edge.lift`
    outwards   at a floating root 0 = I a + p, at a driven carrier a is known  `edge.lower`

A body is described about the centre of mass o of its island's root. Pairs that close a loop are
left out of the sweep and put in by `loops`.
"""

from sim.jit import formula, kernel
from sim.mechanics import spatial
from sim.mechanics.joint_axis import joint_drag
from sim.mechanics.tree_response import inertia_in_world
from sim.mechanics.vector import ZERO, cross, load, minus, plus, store, sym_mul, times
from sim.network import loops
from sim.network.edge import driven_field, lift, lower, prepare_edge, times_pair
from sim.network.islands import FREE, JOINT, PAIR


@kernel
def solve(model, state, scratch, feedback):
    """Find the acceleration of every body and the force in every pair."""
    n = model.bodies.mass.shape[0] - model.n_driven
    for k in range(n):
        _weigh(model, scratch, scratch.islands.order[k])
    for k in range(n - 1, -1, -1):
        _inwards(model, scratch, scratch.islands.order[k])
    for k in range(n):
        _outwards(model, scratch, scratch.islands.order[k])
        _accelerate(scratch, scratch.islands.order[k])
    if scratch.islands.n_closing[0] > 0:
        loops.close(model, state, scratch, feedback)
        for k in range(n):
            _accelerate(scratch, scratch.islands.order[k])


@formula
def _weigh(model, scratch, body):
    """Inertia and bias of a body alone: its weight and its gyroscopic moment."""
    placed = scratch.placed
    r = minus(load(placed.c_W, body), load(placed.c_W, scratch.islands.root[body]))
    w = load(placed.w_W, body)
    mass = model.bodies.mass[body]
    J = inertia_in_world(model, scratch, body)
    weight = times(-mass, model.gravity)
    moment = plus(cross(w, sym_mul(J, w)), cross(r, weight))
    spatial.store(scratch.articulated.inertia, body, spatial.of_body(mass, J, r))
    spatial.store_pair(scratch.articulated.bias, body, (weight, moment))


@kernel
def _inwards(model, scratch, body):
    """Pass what hangs at a body's edge on to its carrier."""
    islands = scratch.islands
    articulated = scratch.articulated
    up = islands.up[body]
    if up == FREE:
        return
    o = load(scratch.placed.c_W, islands.root[body])
    link = islands.link[body]
    effort = 0.0
    p_to_o = ZERO
    if up == JOINT:
        effort = scratch.placed.effort[link]
        drag = joint_drag(model, scratch, link, o)
    else:
        p_to_o = minus(o, load(scratch.pairs.p_W, link))
        drag = spatial.field_at(spatial.load_pair(scratch.pairs.demand, link), p_to_o)
    drag = times_pair(islands.sign[body], drag)
    spatial.store_pair(articulated.drag, body, drag)
    carrier = islands.carrier[body]
    if carrier < model.n_driven and up == PAIR and scratch.pairs.soft[link] == 0:
        return  # held by something whose motion is given: nothing to pass on

    inertia = prepare_edge(model, scratch, body, o, p_to_o)
    bias = lift(scratch, body, spatial.load_pair(articulated.bias, body), drag, effort)
    if carrier >= model.n_driven:
        whole = spatial.plus6(spatial.load(articulated.inertia, carrier), inertia)
        spatial.store(articulated.inertia, carrier, whole)
        total = spatial.plus_pair(spatial.load_pair(articulated.bias, carrier), bias)
        spatial.store_pair(articulated.bias, carrier, total)


@formula
def _outwards(model, scratch, body):
    """Find a body's acceleration from its carrier's, and what its edge carries."""
    islands = scratch.islands
    articulated = scratch.articulated
    o = load(scratch.placed.c_W, islands.root[body])
    carrier = islands.carrier[body]
    link = islands.link[body]
    bias = spatial.load_pair(articulated.bias, body)
    above = (ZERO, ZERO)
    drag = (ZERO, ZERO)
    if islands.up[body] != FREE:
        drag = spatial.load_pair(articulated.drag, body)
        if carrier < model.n_driven:
            above = driven_field(scratch, carrier, o)
        else:
            above = spatial.load_pair(articulated.field, carrier)
    field, qdd, force = lower(scratch, body, bias, drag, above)
    spatial.store_pair(articulated.field, body, field)
    if islands.up[body] == JOINT:
        scratch.placed.qdd[link] = qdd
    elif islands.up[body] == PAIR:
        at_p = spatial.force_at(force, minus(load(scratch.pairs.p_W, link), o))
        spatial.store_pair(scratch.pairs.force, link, times_pair(islands.sign[body], at_p))


@formula
def _accelerate(scratch, body):
    """Acceleration of a body's centre of mass."""
    c = load(scratch.placed.c_W, body)
    o = load(scratch.placed.c_W, scratch.islands.root[body])
    field = spatial.load_pair(scratch.articulated.field, body)
    a, alpha = spatial.field_at(field, minus(c, o))
    store(scratch.placed.a_W, body, a)
    store(scratch.placed.alpha_W, body, alpha)

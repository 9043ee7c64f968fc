"""Which surfaces touch within this tick, and where.

A surface sweeps at most h (|v| + |ω| size) + h² |a| in a tick, v being the velocity of its origin.
Two surfaces that are farther apart than both sweeps together cannot touch before the next tick; all
others are looked at, and points count that far before they touch. A driven body may be moved with
a jump in its acceleration only, so its own is known; for others the acceleration is that of free
fall and a bit: what acts on them within the tick is not known yet.

Surfaces of two bodies that a joint or a pair of the constraint network connects do not touch; what
hangs on the world may touch everything there but the frame that holds it.
"""

from sim.contact.meet import meet
from sim.contact.near import find_near
from sim.fault import TOO_MANY_CONTACTS, report_fault
from sim.jit import formula, kernel
from sim.mechanics import rotation
from sim.mechanics.spatial import store_pair
from sim.mechanics.vector import ZERO, cross, load, minus, norm, plus, store
from sim.model import NONE
from sim.network.islands import PAIR
from sim.state import MOST_POINTS

SURPRISE = 100.0  # [m/s²]: acceleration that nobody foresees within a tick; chosen, ten times g
ROUNDING = 1.0e-9  # [m]: what rests must not flicker


@kernel
def find_contacts(model, state, scratch, feedback):
    """Find the contact points of this tick."""
    contacts = scratch.contacts
    near = scratch.near_surfaces
    n_surface = model.surfaces.port.shape[0]
    if n_surface == 0:
        return
    contacts.n[0] = 0
    for body in range(model.bodies.mass.shape[0]):
        store_pair(contacts.push, body, (ZERO, ZERO))
    for this in range(n_surface):
        _place(model, scratch, this)
    n_pair = find_near(model.surfaces, near.p_W, near.q_W, near.ball, near)
    if n_pair > near.pair.shape[0]:
        report_fault(state, feedback, TOO_MANY_CONTACTS, near.pair[0, 0])
        return
    for k in range(n_pair):
        a = near.pair[k, 0]
        b = near.pair[k, 1]
        if _are_connected(model, state, scratch, a, b):
            continue
        if contacts.n[0] + MOST_POINTS > contacts.law.shape[0]:
            report_fault(state, feedback, TOO_MANY_CONTACTS, a)
            return
        _meet(model, scratch, a, b)


@formula
def _place(model, scratch, this):
    """Put a surface where its port is, and find how far it can go in a tick."""
    near = scratch.near_surfaces
    placed = scratch.placed
    port = model.surfaces.port[this]
    body = model.surfaces.body[this]
    p = load(placed.port_p, port)
    store(near.p_W, this, p)
    rotation.store(near.q_W, this, rotation.load(placed.port_q, port))
    w = load(placed.w_W, body)
    v = plus(load(placed.v_W, body), cross(w, minus(p, load(placed.c_W, body))))
    sweep = ROUNDING
    if body > 0:
        turning = norm(w)
        size = model.surfaces.size[this]
        sweep += model.step * (norm(v) + (turning * size if turning > 0.0 else 0.0))
        sweep += model.step * model.step * SURPRISE
    near.sweep[this] = sweep
    near.ball[this] = model.surfaces.size[this] + sweep


@kernel
def _are_connected(model, state, scratch, a, b):
    """Whether a joint or a pair of the network connects two surfaces' bodies."""
    return _hangs_on(model, state, scratch, a, b) or _hangs_on(model, state, scratch, b, a)


@kernel
def _hangs_on(model, state, scratch, a, b):
    """Whether the body of a surface hangs on that of another one.

    The world carries tables and stands alike: there only the very frame of the holder is meant.
    """
    islands = scratch.islands
    body = model.surfaces.body[a]
    other = model.surfaces.body[b]
    joint = model.bodies.joint[body]
    if other > 0 and joint != NONE and model.joints.parent[joint] == other:
        return True
    if body < model.n_driven or islands.up[body] != PAIR or islands.carrier[body] != other:
        return False
    holder = state.partner[islands.link[body]]
    return other > 0 or model.collision.port[holder] == model.surfaces.port[b]


@kernel
def _meet(model, scratch, a, b):
    """Write the contact points of two surfaces behind those found so far."""
    surfaces = model.surfaces
    contacts = scratch.contacts
    near = scratch.near_surfaces
    law = model.laws.of[surfaces.material[a], surfaces.material[b]]
    first = contacts.n[0]
    scratch.points.reach[0] = near.sweep[a] + near.sweep[b]
    count = meet(
        surfaces.shape[a],
        load(surfaces.half, a),
        surfaces.radius[a],
        load(near.p_W, a),
        rotation.load(near.q_W, a),
        surfaces.shape[b],
        load(surfaces.half, b),
        surfaces.radius[b],
        load(near.p_W, b),
        rotation.load(near.q_W, b),
        model.laws.layer[law],
        scratch.points,
        first,
    )
    for point in range(first, first + count):
        contacts.surface[point, 0] = a
        contacts.surface[point, 1] = b
        contacts.law[point] = law
    contacts.n[0] = first + count

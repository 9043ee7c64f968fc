"""Which surfaces touch within this tick, and where.

A surface sweeps at most h (|v| + |ω| size + v_hit) + h² |a| in a tick, v being the velocity of its
origin, v_hit what hits within the tick can give it (hit_speed.py). Two surfaces that are farther
apart than both sweeps together cannot touch before the next tick; all others are looked at. A
driven body may be moved with a jump in its acceleration only, so its own is known; for others the
acceleration is that of free fall and a bit: what acts on them within the tick is not known yet.

Speeds of hits are added to the sweeps until no more neighbours are found.

Points of surfaces that are still apart are those of the pose where they begin to touch, carried
back to t_n (time_of_impact.py).

Nothing here stops a cell. If there are more pairs or points than there is room for, the least
important are left out and counted (broad_phase.py, contact_room.py).
"""

import math

from twincell.sim.contact.collide.chamfer import chamfer_of
from twincell.sim.contact.collide.contact_point import CLOSE, Margins
from twincell.sim.contact.collide.narrow_phase import manifold, separation
from twincell.sim.contact.detect.broad_phase import find_pairs
from twincell.sim.contact.detect.connected import are_connected
from twincell.sim.contact.detect.contact_room import keep_points
from twincell.sim.contact.detect.hit_speed import pass_on_hits
from twincell.sim.contact.detect.rim_lever import take_middle_levers
from twincell.sim.contact.detect.time_of_impact import (
    NEVER,
    carry_back,
    solid_after,
    time_of_impact,
    unforeseen,
)
from twincell.sim.jit import formula, kernel, line
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.spatial import store_pair
from twincell.sim.mechanics.vector import ZERO, cross, load, minus, norm, plus, store

MOST_ROUNDS = 8  # of looking for neighbours of what is struck; chosen
SPARE = 0.2  # [m/s] that a hit may give before neighbours are looked for anew; chosen


@line
def find_contacts(model, state, scratch):
    """Find the contact points of this tick."""
    contacts = scratch.contacts
    broad = scratch.broad_phase
    n_surface = model.surfaces.port.shape[0]
    if n_surface == 0:
        return
    contacts.n[0] = 0
    scratch.points.left_out[0] = 0
    for body in range(model.bodies.mass.shape[0]):
        store_pair(contacts.push, body, (ZERO, ZERO))
        broad.hit_speed[body] = 0.0
    for this in range(n_surface):
        _place(model, scratch, this)
    n_found = _find_neighbours(model, broad)
    for _ in range(MOST_ROUNDS):
        if not pass_on_hits(model, state, scratch, min(n_found, broad.pair.shape[0])):
            break
        outgrown = False
        for this in range(n_surface):
            _sweep(model, scratch, this)
            radius = model.surfaces.size[this] + broad.sweep[this]
            outgrown = outgrown or radius > broad.radius[this]
        if outgrown:
            n_found = _find_neighbours(model, broad)
    n_pair = min(n_found, broad.pair.shape[0])
    for k in range(n_pair):
        a = broad.pair[k, 0]
        b = broad.pair[k, 1]
        if not are_connected(model, state, scratch, a, b):
            law = model.laws.of[model.surfaces.material[a], model.surfaces.material[b]]
            keep_points(scratch, a, b, law, _write_points(model, scratch, a, b, law))
    scratch.points.left_out[0] += n_found - n_pair


@formula
def _place(model, scratch, this):
    """Put a surface where its port is, and find how far it can go in a tick."""
    broad = scratch.broad_phase
    port = model.surfaces.port[this]
    q_W = rotation.load(scratch.placed.port_q, port)
    store(broad.p_W, this, load(scratch.placed.port_p, port))
    rotation.store(broad.q_W, this, q_W)
    rotation.store_matrix(broad.R_W, this, rotation.matrix(q_W))
    store(broad.v_W, this, _velocity(model, scratch, this))
    broad.turning[this] = _turning(model, scratch, this)
    _sweep(model, scratch, this)


@kernel
def _find_neighbours(model, broad):
    """Find the pairs of surfaces that may touch, also if hits give them a bit more speed."""
    for this in range(model.surfaces.port.shape[0]):
        broad.margin[this] = broad.sweep[this] + model.step * SPARE
        broad.radius[this] = model.surfaces.size[this] + broad.margin[this]
    return find_pairs(model.surfaces, broad)


@formula
def _sweep(model, scratch, this):
    """How far a surface can go in the tick, with the speed that hits may give it."""
    broad = scratch.broad_phase
    body = model.surfaces.body[this]
    sweep = unforeseen(model, scratch, this)
    if body > 0:
        sweep += model.step * (norm(load(broad.v_W, this)) + broad.turning[this])
    broad.sweep[this] = sweep


@formula
def _velocity(model, scratch, this):
    """Velocity of a surface's origin."""
    placed = scratch.placed
    body = model.surfaces.body[this]
    r = minus(load(scratch.broad_phase.p_W, this), load(placed.c_W, body))
    return plus(load(placed.v_W, body), cross(load(placed.w_W, body), r))


@formula
def _turning(model, scratch, this):
    """Speed of a surface's farthest point about its origin."""
    turning = norm(load(scratch.placed.w_W, model.surfaces.body[this]))
    return turning * model.surfaces.size[this] if turning > 0.0 else 0.0


@kernel
def _write_points(model, scratch, a, b, law):
    """Write where two surfaces touch within the tick, behind the last point; number of points."""
    points = scratch.points
    first = scratch.contacts.n[0]
    body_a, body_b = model.surfaces.body[a], model.surfaces.body[b]
    sweeps = scratch.broad_phase.sweep[a] + scratch.broad_phase.sweep[b]
    margins = Margins(model.laws.layer[law], sweeps, chamfer_of(model, law, body_a, body_b))
    solid_a = solid_after(model, scratch, a, 0.0)
    solid_b = solid_after(model, scratch, b, 0.0)
    found = separation(solid_a, solid_b, margins.layer, sweeps)
    count = 0
    if found.gap <= CLOSE:
        count = manifold(solid_a, solid_b, found, margins, points, first)
        if _deepest(points, first, count) >= 0.0:
            if solid_a.rim > 0.0 or solid_b.rim > 0.0:
                take_middle_levers(model, scratch, a, b, margins, first, count)
            return count

    time = time_of_impact(model, scratch, a, b)
    if time == NEVER:
        return 0
    if time > 0.0:
        left = (1.0 - time / model.step) * sweeps
        reach = left + unforeseen(model, scratch, a) + unforeseen(model, scratch, b)
        margins = Margins(margins.layer, reach, margins.chamfer)
        solid_a = solid_after(model, scratch, a, time)
        solid_b = solid_after(model, scratch, b, time)
        found = separation(solid_a, solid_b, margins.layer, reach)
        count = manifold(solid_a, solid_b, found, margins, points, first)
        carry_back(model, scratch, body_a, body_b, time, first, count)
    elif found.gap > CLOSE:
        count = manifold(solid_a, solid_b, found, margins, points, first)
    return count


@formula
def _deepest(points, first, count):
    """Greatest depth of these points."""
    depth = -math.inf
    for k in range(first, first + count):
        depth = max(depth, points.depth[k])
    return depth

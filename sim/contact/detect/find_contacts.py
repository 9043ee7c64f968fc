"""Which surfaces touch within this tick, and where.

A surface sweeps at most h (|v| + |ω| size) + h² |a| in a tick, v being the velocity of its origin.
Two surfaces that are farther apart than both sweeps together cannot touch before the next tick; all
others are looked at. A driven body may be moved with a jump in its acceleration only, so its own is
known; for others the acceleration is that of free fall and a bit: what acts on them within the tick
is not known yet.

What is struck within the tick may reach a next neighbour within it. Two bodies that come together
with the speed u can give each other no more than

    2 u A_own/(A_a + A_b)          A = 1/m, 0 for a driven body          a hit without loss

and the one struck passes on what it has got in the same way. Such speeds are added to the sweeps
until no more neighbours are found. They die out along a circle of bodies, as the product of their
shares is at most 1. Bodies that pass each other give each other nothing.

Points of surfaces that are still apart are those of the pose where they begin to touch
(time_of_impact.py), carried back to t_n (carry.py).

Surfaces of two bodies that a joint or a pair of the constraint network connects do not touch; what
hangs on the world may touch everything there but the frame that holds it.
"""

import math

from sim.contact.collide.chamfer import chamfer_of
from sim.contact.collide.narrow_phase import meet
from sim.contact.detect.broad_phase import find_near
from sim.contact.detect.carry import carry_back
from sim.contact.detect.time_of_impact import (
    NEVER,
    SURPRISE,
    pose_after,
    time_of_touch,
    unforeseen,
)
from sim.fault import TOO_MANY_CONTACTS, report_fault
from sim.jit import formula, kernel
from sim.mechanics import rotation
from sim.mechanics.spatial import store_pair
from sim.mechanics.vector import ZERO, cross, load, minus, norm, plus, store
from sim.model import NONE
from sim.network.islands import PAIR, body_of_object
from sim.state import MOST_POINTS

MOST_ROUNDS = 8  # of looking for neighbours of what is struck; chosen
SLIGHT = 0.1  # of what a surprise adds to a speed: less is not passed on; chosen
SPARE = 0.2  # [m/s] that a hit may give before neighbours are looked for anew; chosen


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
        near.given[body] = 0.0
    for this in range(n_surface):
        _place(model, scratch, this)
    n_pair = _find_neighbours(model, near)
    for _ in range(MOST_ROUNDS):
        if n_pair > near.pair.shape[0] or not _pass_on_hits(model, state, scratch, n_pair):
            break
        outgrown = False
        for this in range(n_surface):
            _reach(model, scratch, this)
            outgrown = outgrown or model.surfaces.size[this] + near.sweep[this] > near.ball[this]
        if outgrown:
            n_pair = _find_neighbours(model, near)
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
    port = model.surfaces.port[this]
    store(near.p_W, this, load(scratch.placed.port_p, port))
    rotation.store(near.q_W, this, rotation.load(scratch.placed.port_q, port))
    store(near.v_W, this, _velocity(model, scratch, this))
    near.turning[this] = _turning(model, scratch, this)
    _reach(model, scratch, this)


@kernel
def _find_neighbours(model, near):
    """Find the pairs of surfaces that may touch, also if hits give them a bit more speed."""
    for this in range(model.surfaces.port.shape[0]):
        near.spread[this] = near.sweep[this] + model.step * SPARE
        near.ball[this] = model.surfaces.size[this] + near.spread[this]
    return find_near(model.surfaces, near.p_W, near.q_W, near.ball, near)


@formula
def _reach(model, scratch, this):
    """How far a surface can go in the tick, with the speed that hits may give it."""
    near = scratch.near_surfaces
    body = model.surfaces.body[this]
    sweep = unforeseen(model, scratch, this)
    if body > 0:
        sweep += model.step * (norm(load(near.v_W, this)) + near.turning[this])
    near.sweep[this] = sweep


@formula
def _velocity(model, scratch, this):
    """Velocity of a surface's origin."""
    placed = scratch.placed
    body = model.surfaces.body[this]
    r = minus(load(scratch.near_surfaces.p_W, this), load(placed.c_W, body))
    return plus(load(placed.v_W, body), cross(load(placed.w_W, body), r))


@formula
def _turning(model, scratch, this):
    """Speed of a surface's farthest point about its origin."""
    turning = norm(load(scratch.placed.w_W, model.surfaces.body[this]))
    return turning * model.surfaces.size[this] if turning > 0.0 else 0.0


@kernel
def _pass_on_hits(model, state, scratch, n_pair):
    """Raise the speeds that hits between near surfaces may give; whether any has risen."""
    near = scratch.near_surfaces
    risen = False
    for k in range(n_pair):
        a = near.pair[k, 0]
        b = near.pair[k, 1]
        if min(model.surfaces.body[a], model.surfaces.body[b]) == 0:
            continue  # the world gives nothing back but what came
        apart = minus(load(near.v_W, a), load(near.v_W, b))
        u = norm(apart) + near.turning[a] + near.turning[b]
        if max(_gain(model, scratch, a, b, u), _gain(model, scratch, b, a, u)) == 0.0:
            continue
        if _are_connected(model, state, scratch, a, b):
            continue
        if time_of_touch(model, scratch, a, b) == NEVER:
            continue  # they pass each other
        risen = _give(model, scratch, a, b, u) or risen
        risen = _give(model, scratch, b, a, u) or risen
    return risen


@formula
def _gain(model, scratch, a, b, u):
    """Speed that a hit of another body may give one, 0 if that is no more than it has."""
    given = scratch.near_surfaces.given
    own = model.surfaces.body[a]
    other = model.surfaces.body[b]
    if own < model.n_driven:
        return 0.0
    light = 1.0 / model.bodies.mass[own]
    other_light = 1.0 / model.bodies.mass[other] if other >= model.n_driven else 0.0
    gain = 2.0 * max(u, given[other]) * light / (light + other_light)
    return gain if gain > given[own] + SLIGHT * model.step * SURPRISE else 0.0


@formula
def _give(model, scratch, a, b, u):
    """Let a body take the speed that a hit of another one may give it; whether that is more."""
    gain = _gain(model, scratch, a, b, u)
    if gain == 0.0:
        return False
    scratch.near_surfaces.given[model.surfaces.body[a]] = gain
    return True


@kernel
def _are_connected(model, state, scratch, a, b):
    """Whether a joint or a pair of the network connects two surfaces' bodies."""
    islands = scratch.islands
    if _hangs_on(model, state, scratch, a, b) or _hangs_on(model, state, scratch, b, a):
        return True
    # every other pair that holds closes a loop
    for k in range(islands.n_closing[0]):
        if _holds_together(model, state, islands.closing[k], a, b):
            return True
    return False


@kernel
def _hangs_on(model, state, scratch, a, b):
    """Whether the body of a surface hangs on that of another one."""
    islands = scratch.islands
    body = model.surfaces.body[a]
    joint = model.bodies.joint[body]
    if joint != NONE and _is_at(model, model.joints.parent[joint], model.joints.port[joint], b):
        return True
    return (
        body >= model.n_driven
        and islands.up[body] == PAIR
        and _holds_together(model, state, islands.link[body], a, b)
    )


@formula
def _holds_together(model, state, this, a, b):
    """Whether a pair's object and partner are the bodies of two surfaces."""
    held = body_of_object(model, this)
    port = model.collision.port[state.partner[this]]
    holder = model.ports.body[port]
    return (held == model.surfaces.body[a] and _is_at(model, holder, port, b)) or (
        held == model.surfaces.body[b] and _is_at(model, holder, port, a)
    )


@formula
def _is_at(model, body, port, this):
    """Whether a surface is on a body.

    The world carries tables and stands alike: there only the very same frame is meant.
    """
    return model.surfaces.body[this] == body and (body > 0 or model.surfaces.port[this] == port)


@kernel
def _meet(model, scratch, a, b):
    """Write the contact points of two surfaces behind those found so far."""
    surfaces = model.surfaces
    contacts = scratch.contacts
    near = scratch.near_surfaces
    law = model.laws.of[surfaces.material[a], surfaces.material[b]]
    first = contacts.n[0]
    sweeps = near.sweep[a] + near.sweep[b]
    scratch.points.chamfer[0] = chamfer_of(model, law, surfaces.body[a], surfaces.body[b])
    count = _look(model, scratch, a, b, 0.0, sweeps, law, first)
    if _deepest(scratch.points, first, count) < 0.0:
        time = time_of_touch(model, scratch, a, b)
        if time == NEVER:
            count = 0
        elif time > 0.0:
            left = (1.0 - time / model.step) * sweeps
            reach = left + unforeseen(model, scratch, a) + unforeseen(model, scratch, b)
            count = _look(model, scratch, a, b, time, reach, law, first)
            carry_back(model, scratch, surfaces.body[a], surfaces.body[b], time, first, count)
    for point in range(first, first + count):
        contacts.surface[point, 0] = a
        contacts.surface[point, 1] = b
        contacts.law[point] = law
    contacts.n[0] = first + count


@kernel
def _look(model, scratch, a, b, time, reach, law, first):
    """Where two surfaces touch, or nearly do, some time after t_n; number of points."""
    surfaces = model.surfaces
    p_a, q_a = pose_after(model, scratch, a, time)
    p_b, q_b = pose_after(model, scratch, b, time)
    scratch.points.reach[0] = reach
    return meet(
        surfaces.shape[a], load(surfaces.half, a), surfaces.radius[a], p_a, q_a,
        surfaces.shape[b], load(surfaces.half, b), surfaces.radius[b], p_b, q_b,
        model.laws.layer[law], scratch.points, first,
    )  # fmt: skip


@formula
def _deepest(points, first, count):
    """Greatest depth of these points."""
    depth = -math.inf
    for k in range(first, first + count):
        depth = max(depth, points.depth[k])
    return depth

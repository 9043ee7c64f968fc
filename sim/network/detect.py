"""Which partner each constrained object has in this tick.

Only constrained objects and collision objects can meet. A control object counts while it is
closed; what obeys a device catches when and whom the device says (devices/holds.py).
Of several that touch, the choice falls on

    a control object before a passive one; then on the partner it already has;
    then on the nearest (smallest gap between the surfaces); then on the first by number.

Who goes far in a tick, against the size of what catches, could pass between two ticks. Its path
through the coming tick is tested instead (`sweep`), and nearest is then whom it touches first.

A partner is kept until it opens, a control object takes over from a passive one, or, once the
transition is over, the object is `release_factor` catch distances away. So whoever is held by a
control object need not look around at all, and whoever is held by a passive one looks for closed
control objects only.
"""

import math

from twincell.sim.devices.holds import holds, may_hold
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import (
    ZERO,
    cross,
    load,
    minus,
    mul_transposed,
    norm,
    plus,
    times,
)
from twincell.sim.model import CONTROL, NONE
from twincell.sim.network import grid
from twincell.sim.network.catch_shapes import catch_gap, catch_width
from twincell.sim.network.sweep import share_until_touch

NOTHING, CONTROLS, ANYTHING = 0, 1, 2  # what a constrained object looks for

# whoever goes farther in a tick than this much of how near it must come to be caught is fast;
# chosen: a slower one is there at some tick, unless it cuts a corner
FAR = 0.5


@kernel
def detect(model, commands, state, scratch):
    """Choose the partner of every constrained object for this tick."""
    n_closed = 0
    for other in range(model.collision.port.shape[0]):
        if model.collision.mode[other] == CONTROL and catches(model, commands, state, other):
            n_closed += 1

    widest = NOTHING
    for this in range(model.constrained.port.shape[0]):
        partner = state.partner[this]
        if partner != NONE and not _keeps(model, commands, state, scratch, this, partner):
            partner = NONE
        if partner == NONE:
            seeks = ANYTHING
        elif model.collision.mode[partner] == CONTROL or n_closed == 0:
            seeks = NOTHING
        else:
            seeks = CONTROLS
        scratch.near.chosen[this] = partner
        scratch.near.seeks[this] = seeks
        scratch.near.delay[this] = 0.0
        widest = max(widest, seeks)

    if widest != NOTHING:
        fastest = 0.0
        thinnest = math.inf
        for other in range(model.collision.port.shape[0]):
            wanted = widest == ANYTHING or model.collision.mode[other] == CONTROL
            scratch.near.bucket[other] = NONE
            if wanted and catches(model, commands, state, other):
                grid.choose_bucket(model, scratch, other)
                v = velocity_of_port(model, scratch, model.collision.port[other])
                fastest = max(fastest, norm(v))
                thinnest = min(thinnest, _width(model, other))
        grid.fill(scratch)
        for this in range(model.constrained.port.shape[0]):
            if scratch.near.seeks[this] != NOTHING:
                _search(model, state, scratch, this, fastest, thinnest)


@formula
def velocity_of_port(model, scratch, port):
    """Velocity of a port's origin, in world axes."""
    placed = scratch.placed
    body = model.ports.body[port]
    if body == 0:
        return ZERO
    r = minus(load(placed.port_p, port), load(placed.c_W, body))
    return plus(load(placed.v_W, body), cross(load(placed.w_W, body), r))


@formula
def _width(model, other):
    """How narrow a collision object is."""
    half = load(model.collision.half, other)
    return catch_width(model.collision.shape[other], half, model.collision.radius[other])


@kernel
def catches(model, commands, state, other):
    """Whether a collision object catches anything now."""
    if model.collision.device[other] != NONE:
        return holds(model, commands, state, other)
    command = model.collision.command[other]
    return command == NONE or commands.values[command] != 0.0


@kernel
def gap(model, scratch, this, other, reach):
    """Gap between the surfaces, and whether the object is within `reach` catch distances."""
    port = model.collision.port[other]
    p_CS = minus(
        load(scratch.placed.port_p, model.constrained.port[this]), load(scratch.placed.port_p, port)
    )
    radius = model.constrained.radius[this]
    return catch_gap(model.collision.shape[other], model, scratch, other, p_CS, radius, reach)


@kernel
def _keeps(model, commands, state, scratch, this, partner):
    """Whether a caught object is still held by its partner."""
    if not catches(model, commands, state, partner):
        return False
    age = (state.tick[0] - state.caught[this]) * model.step
    if age < model.constrained.transition[this]:
        return True
    _, within = gap(model, scratch, this, partner, model.constrained.release_factor[this])
    return within


@kernel
def _search(model, state, scratch, this, fastest, thinnest):
    """Look for a better partner among the collision objects nearby and the large ones."""
    near = scratch.near
    near.gap[this] = 0.0
    own = model.constrained.port[this]
    p = load(scratch.placed.port_p, own)
    way = times(model.step, velocity_of_port(model, scratch, own))
    longest = norm(way) + model.step * fastest
    if longest > FAR * min(model.constrained.radius[this], thinnest):
        n_look = grid.looks_along(model, scratch, norm(way), model.step * fastest)
        for look in range(n_look):
            first, end = grid.entries_along(model, scratch, p, way, look, n_look)
            for k in range(first, end):
                _consider(model, state, scratch, this, near.entry[k], True)
        return
    for neighbour in range(grid.NEIGHBOURS + 1):
        first, end = grid.entries(model, scratch, p, neighbour)
        for k in range(first, end):
            _consider(model, state, scratch, this, near.entry[k], False)


@kernel
def _consider(model, state, scratch, this, other, fast):
    """Choose a collision object if it touches and is better than whom the object has so far."""
    near = scratch.near
    mode = model.collision.mode[other]
    if near.seeks[this] == CONTROLS and mode != CONTROL:
        return
    if model.collision.device[other] != NONE and not may_hold(model, state, other, this):
        return
    # an arm does not catch itself
    port = model.collision.port[other]
    own = model.constrained.port[this]
    if model.bodies.tree[model.ports.body[port]] == model.bodies.tree[model.ports.body[own]]:
        return
    distance, touches = gap(model, scratch, this, other, 1.0)
    delay = 0.0
    if not touches:
        if not fast:
            return
        delay = model.step * _share_until_touch(model, scratch, this, other)
        if not delay < model.step:
            return
    best = near.chosen[this]
    best_mode = NONE if best == NONE else model.collision.mode[best]
    nearer = (delay, distance, other) < (near.delay[this], near.gap[this], best)
    if mode > best_mode or (mode == best_mode and nearer):
        near.chosen[this] = other
        near.delay[this] = delay
        near.gap[this] = distance


@kernel
def _share_until_touch(model, scratch, this, other):
    """Share of the tick after which an object touches; infinite if never, or if it is slow."""
    own = model.constrained.port[this]
    port = model.collision.port[other]
    radius = model.constrained.radius[this]
    u = minus(velocity_of_port(model, scratch, own), velocity_of_port(model, scratch, port))
    way = times(model.step, u)
    if not norm(way) > FAR * min(radius, _width(model, other)):
        return math.inf
    p_CS = minus(load(scratch.placed.port_p, own), load(scratch.placed.port_p, port))
    R_WC = rotation.matrix(rotation.load(scratch.placed.port_q, port))
    return share_until_touch(
        model.collision.shape[other],
        load(model.collision.half, other),
        model.collision.radius[other],
        mul_transposed(R_WC, p_CS),
        radius,
        mul_transposed(R_WC, way),
    )

"""Which partner each constrained object has in this tick.

Only constrained objects and collision objects can meet. A control object counts while it is
closed; a flange with a tool changer holds the tool that its changer has locked, and nothing else.
Of several that touch, the choice falls on

    a control object before a passive one; then on the partner it already has;
    then on the nearest (smallest gap between the surfaces); then on the first by number.

A partner is kept until it opens, a control object takes over from a passive one, or, once the
transition is over, the object is `release_factor` catch distances away. So whoever is held by a
control object need not look around at all, and whoever is held by a passive one looks for closed
control objects only.
"""

from sim.devices.changer_coupling import holds_tool
from sim.devices.stand import holds
from sim.jit import kernel
from sim.mechanics import rotation
from sim.mechanics.vector import load, minus, mul_transposed
from sim.model import CONTROL, DISC, NONE, RECTANGLE, SPHERE
from sim.network import grid
from sim.network.shape_disc import disc_gap
from sim.network.shape_rectangle import rectangle_gap
from sim.network.shape_solid import solid_gap
from sim.network.shape_sphere import sphere_gap

NOTHING, CONTROLS, ANYTHING = 0, 1, 2  # what a constrained object looks for


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
        widest = max(widest, seeks)

    if widest != NOTHING:
        for other in range(model.collision.port.shape[0]):
            wanted = widest == ANYTHING or model.collision.mode[other] == CONTROL
            scratch.near.bucket[other] = NONE
            if wanted and catches(model, commands, state, other):
                grid.choose_bucket(model, scratch, other)
        grid.fill(scratch)
        for this in range(model.constrained.port.shape[0]):
            if scratch.near.seeks[this] != NOTHING:
                _search(model, state, scratch, this)


@kernel
def catches(model, commands, state, other):
    """Whether a collision object catches anything now."""
    stand = model.collision.stand[other]
    if stand != NONE:
        return holds(model, commands, stand)
    changer = model.collision.changer[other]
    if changer != NONE:
        return state.coupled[changer] != NONE
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
    if model.collision.shape[other] == SPHERE:
        return sphere_gap(p_CS, model.collision.radius[other], radius, reach)
    shape = model.collision.shape[other]
    half = load(model.collision.half, other)
    d = mul_transposed(rotation.matrix(rotation.load(scratch.placed.port_q, port)), p_CS)
    if shape == RECTANGLE:
        return rectangle_gap(d, half, radius, reach)
    if shape == DISC:
        return disc_gap(d, model.collision.radius[other], radius, reach)
    return solid_gap(shape, d, half, model.collision.radius[other], radius, reach)


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
def _search(model, state, scratch, this):
    """Look for a better partner among the collision objects nearby and the large ones."""
    best = scratch.near.chosen[this]
    best_mode = NONE if best == NONE else model.collision.mode[best]
    best_gap = 0.0
    controls_only = scratch.near.seeks[this] == CONTROLS
    tree = model.bodies.tree[model.ports.body[model.constrained.port[this]]]
    p = load(scratch.placed.port_p, model.constrained.port[this])

    for neighbour in range(grid.NEIGHBOURS + 1):
        first, end = grid.entries(model, scratch, p, neighbour)
        for k in range(first, end):
            other = scratch.near.entry[k]
            mode = model.collision.mode[other]
            if controls_only and mode != CONTROL:
                continue
            changer = model.collision.changer[other]
            if changer != NONE and not holds_tool(model, state, changer, this):
                continue
            # an arm does not catch itself
            if model.bodies.tree[model.ports.body[model.collision.port[other]]] == tree:
                continue
            distance, touches = gap(model, scratch, this, other, 1.0)
            if not touches:
                continue
            nearer = distance < best_gap or (distance == best_gap and other < best)
            if mode > best_mode or (mode == best_mode and nearer):
                best = other
                best_mode = mode
                best_gap = distance
    scratch.near.chosen[this] = best

"""A tool stand: a passive holder in which a tool waits, and what can be wrong with it.

A stand that was not taught well is really somewhere else: its frame is placed off by d, given in
its own axes, and so is the target T of whatever it holds,

    p_P <- p_P + R_WP d        p_BT <- p_BT + R_BP (d - d of the tick before)
"""

from twincell.sim.devices.tool_stand.signals import OFFSET
from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import ZERO, load, minus, mul, norm, plus, store


@kernel
def advance(model, commands, state, scratch):
    """Put every stand where it really is, with what it holds."""
    stands = model.devices.tool_stand
    shift = state.devices.tool_stand.shift
    for stand in range(stands.holder.shape[0]):
        lever = stands.lever[stand] + OFFSET
        d = (commands.values[lever], commands.values[lever + 1], commands.values[lever + 2])
        before = load(shift, stand)
        if d == ZERO and before == ZERO:
            continue
        holder = stands.holder[stand]
        port = model.collision.port[holder]
        placed = scratch.placed
        R_WP = rotation.matrix(rotation.load(placed.port_q, port))
        store(placed.port_p, port, plus(load(placed.port_p, port), mul(R_WP, d)))
        if d != before:
            R_BP = rotation.matrix(rotation.load(model.ports.q_BP, port))
            step = mul(R_BP, minus(d, before))
            for this in range(model.constrained.port.shape[0]):
                if state.partner[this] == holder:
                    store(state.p_BT, this, plus(load(state.p_BT, this), step))
            store(shift, stand, d)


@kernel
def is_in_a_stand(model, scratch, p):
    """Whether a point is where a tool waits."""
    stands = model.devices.tool_stand
    found = False
    for stand in range(stands.holder.shape[0]):
        holder = model.collision.port[stands.holder[stand]]
        off = norm(minus(p, load(scratch.placed.port_p, holder)))
        if off <= stands.tolerance[stand]:
            found = True
    return found

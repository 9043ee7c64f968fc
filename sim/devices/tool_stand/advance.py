"""A tool stand: a passive holder in which a tool waits, and what can be wrong with it.

A stand that was not taught well is really somewhere else: its frame is placed off by d, given in
its own axes, and so is the target T of whatever it holds,

    p_P <- p_P + R_WP d        p_BT <- p_BT + R_BP (d - d of the tick before)
"""

from twincell.sim.devices.tool_stand.signals import EMPTY, OFFSET
from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import ZERO, load, minus, mul, plus, store
from twincell.sim.model import NONE


@kernel
def holds(model, commands, stand):
    """Whether a stand's holder catches at all."""
    return commands.values[model.stands.lever[stand] + EMPTY] == 0.0


@kernel
def move_stands(model, commands, state, scratch):
    """Put every stand where it really is, with what it holds."""
    for stand in range(model.stands.holder.shape[0]):
        lever = model.stands.lever[stand] + OFFSET
        d = (commands.values[lever], commands.values[lever + 1], commands.values[lever + 2])
        before = load(state.stand_shift, stand)
        if d == ZERO and before == ZERO:
            continue
        holder = model.stands.holder[stand]
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
            store(state.stand_shift, stand, d)


@kernel
def shift_of(model, state, other):
    """How far a collision object is from where the file puts it, in the axes of its body."""
    stand = model.collision.stand[other]
    if stand == NONE:
        return ZERO
    R_BP = rotation.matrix(rotation.load(model.ports.q_BP, model.collision.port[other]))
    return mul(R_BP, load(state.stand_shift, stand))


@kernel
def write_stands(model, state, row):
    """What each stand really holds."""
    for stand in range(model.stands.holder.shape[0]):
        row[model.columns.stand[stand]] = 0.0
    for this in range(model.constrained.port.shape[0]):
        for stand in range(model.stands.holder.shape[0]):
            if state.partner[this] == model.stands.holder[stand]:
                row[model.columns.stand[stand]] = this + 1.0

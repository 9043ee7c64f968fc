"""A tool stand: a passive holder in which a tool waits, and what can be wrong with it."""

from sim.devices.stand_signals import EMPTY
from sim.jit import kernel


@kernel
def holds(model, commands, stand):
    """Whether a stand's holder catches at all."""
    return commands.values[model.stands.lever[stand] + EMPTY] == 0.0


@kernel
def write_stands(model, state, row):
    """What each stand really holds."""
    for stand in range(model.stands.holder.shape[0]):
        row[model.columns.stand[stand]] = 0.0
    for this in range(model.constrained.port.shape[0]):
        for stand in range(model.stands.holder.shape[0]):
            if state.partner[this] == model.stands.holder[stand]:
                row[model.columns.stand[stand]] = this + 1.0

"""What the network asks a tool stand about its holder."""

from twincell.sim.devices.tool_stand.signals import EMPTY
from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import load, mul


@kernel
def holds(model, commands, state, stand):
    """Whether its holder catches at all."""
    return commands.values[model.devices.tool_stand.lever[stand] + EMPTY] == 0.0


@kernel
def shift(model, state, stand):
    """How far its holder is from where the file puts it, in the axes of its body."""
    holder = model.devices.tool_stand.holder[stand]
    R_BP = rotation.matrix(rotation.load(model.ports.q_BP, model.collision.port[holder]))
    return mul(R_BP, load(state.devices.tool_stand.shift, stand))

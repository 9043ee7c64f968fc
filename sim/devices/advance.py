"""All devices of a cell, once a tick: after everything has its place, before anybody is caught."""

from twincell.sim.compose import in_turn
from twincell.sim.devices import modules
from twincell.sim.jit import line

_advance = in_turn([device.advance for device in modules("advance").values()])


@line
def advance_devices(model, commands, state, scratch):
    """Let every device live through a tick, kind by kind."""
    _advance(model, commands, state, scratch)

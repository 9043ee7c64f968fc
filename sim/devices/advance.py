"""All devices of a cell, once a tick: after everything has its place, before anybody is caught."""

from twincell.sim.devices.tool_changer.advance import advance_changer
from twincell.sim.devices.tool_stand.advance import move_stands
from twincell.sim.jit import kernel


@kernel
def advance_devices(model, commands, state, scratch):
    """Put the stands where they really are, then let every tool changer live through a tick."""
    move_stands(model, commands, state, scratch)
    for changer in range(model.changers.flange.shape[0]):
        advance_changer(model, commands, state, scratch, changer)

"""The coupling itself: when it takes a tool, lets it go, and breaks.

A tool is taken when the piston reaches its lock end with a tool that fits, and let go when the
piston has left it by half its stroke. In between it has a margin,

    margin = 1 - weakness - share of its strength that is used     (parts/hold_limit.py)

and breaks when that is gone. Then the tool really falls.
"""

from twincell.sim.devices.parts.hold_limit import forget_load, used_share
from twincell.sim.devices.tool_changer.fit import fits
from twincell.sim.devices.tool_changer.signals import WEAK_COUPLING
from twincell.sim.jit import kernel
from twincell.sim.model import NONE

LETS_GO = 0.5  # of the stroke: where the locking balls are free; our default


@kernel
def break_or_let_go(model, commands, state, changer):
    """Give up a tool that was too heavy, that slipped away, or that the piston set free."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    tool = own.coupled[changer]
    if tool == NONE:
        return
    slipped = state.partner[changers.tools.object[tool]] != changers.flange[changer]
    free = own.piston[changer] < LETS_GO * changers.stroke[changer]
    if slipped or free or margin(model, commands, state, changer) <= 0.0:
        own.coupled[changer] = NONE
        forget_load(own.load, changer)


@kernel
def take(model, state, scratch, changer):
    """Couple the tool in front of the flange, if it fits."""
    own = state.devices.tool_changer
    fit = scratch.devices.tool_changer
    if fits(model, state, scratch, changer):
        own.coupled[changer] = fit.tool[changer]


@kernel
def margin(model, commands, state, changer):
    """Strength that is left: 1 without load, 0 where it breaks."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    weak = commands.values[changers.lever[changer] + WEAK_COUPLING]
    used = used_share(own.load, changers.limit, changer)
    return 1.0 - min(max(weak, 0.0), 1.0) - used

"""What the network asks a tool changer about the collision objects that it drives.

Its flange holds the tool that the changer has locked, and nothing else. What is wired to a tool's
outputs is closed while that bit arrives at the tool. By number: first the flanges, then the wires.
"""

from twincell.sim.devices.parts.hold_limit import store_load
from twincell.sim.devices.tool_changer.tool_side import is_output_on
from twincell.sim.jit import kernel
from twincell.sim.model import NONE


@kernel
def holds(model, commands, state, item):
    """Whether a collision object catches anything now."""
    changers = model.devices.tool_changer
    n_flange = changers.flange.shape[0]
    if item < n_flange:
        return state.devices.tool_changer.coupled[item] != NONE
    tool = changers.outputs.tool[item - n_flange]
    return is_output_on(model, commands, state, tool, changers.outputs.bit[item - n_flange])


@kernel
def may_hold(model, state, item, this):
    """Whether it catches this constrained object: a flange only the tool that is locked."""
    changers = model.devices.tool_changer
    if item >= changers.flange.shape[0]:
        return True
    tool = state.devices.tool_changer.coupled[item]
    return tool != NONE and changers.tools.object[tool] == this


@kernel
def measure(model, state, scratch):
    """Remember what every coupling carries in this tick; the next one breaks what was too much."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    for changer in range(changers.flange.shape[0]):
        tool = own.coupled[changer]
        flange = changers.flange[changer]
        if tool == NONE or state.partner[changers.tools.object[tool]] != flange:
            continue
        store_load(model, scratch, own.load, changer, flange, changers.tools.object[tool])

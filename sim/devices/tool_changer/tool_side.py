"""The electric side of a coupled tool: power, bus, number, inputs and outputs.

    contact = a tool is coupled
    power on: ToolPowerEnable and contact, until `power_off` after an unlock order
    power --power_start--> ToolPowerOk --bus_start--> ToolBusOk

An unlock order takes the power away before the piston moves, so that contacts part without current.
"""

from twincell.sim.devices.tool_changer.signals import (
    BUS_FAIL,
    ID_FLIP,
    OUTPUTS,
    POWER_ENABLE,
    POWER_FAIL,
)
from twincell.sim.devices.tool_changer.state import VALVE_UNLOCK
from twincell.sim.jit import kernel
from twincell.sim.model import NONE

WORD = 0xFFFF  # 16 bits


@kernel
def feed_tool(model, commands, state, changer):
    """Count how long the tool has been switched on, and its bus."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    pulls_unlock = own.pulled[changer] > 0 and own.valve[changer] != VALVE_UNLOCK
    unlatches = pulls_unlock or own.valve[changer] == VALVE_UNLOCK
    _count(own.unlatching, changer, unlatches, changers.power_off[changer])

    lever = changers.lever[changer]
    fails = commands.values[lever + POWER_FAIL] != 0.0
    on = wants_power(model, commands, state, changer) and not fails
    _count(own.powered, changer, on, changers.power_start[changer])

    fails = commands.values[lever + BUS_FAIL] != 0.0
    on = has_power(model, state, changer) and not fails
    _count(own.bus_up, changer, on, changers.bus_start[changer])


@kernel
def _count(ticks, changer, is_so, enough):
    """Count the ticks in which something is so, no further than one past enough."""
    ticks[changer] = min(ticks[changer] + 1, enough + 1) if is_so else 0


@kernel
def has_contact(state, changer):
    """Whether the tool's contacts are closed: only those of a tool that is coupled are."""
    own = state.devices.tool_changer
    return own.coupled[changer] != NONE


@kernel
def wants_power(model, commands, state, changer):
    """Whether the tool's power should be on."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    command = changers.command[changer]
    return (
        has_contact(state, changer)
        and commands.values[command + POWER_ENABLE] != 0.0
        and own.unlatching[changer] <= changers.power_off[changer]
    )


@kernel
def has_power(model, state, changer):
    """Whether the tool's power is there."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    return own.powered[changer] > changers.power_start[changer]


@kernel
def has_bus(model, state, changer):
    """Whether the tool's bus is up."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    return own.bus_up[changer] > changers.bus_start[changer]


@kernel
def tool_id(model, commands, state, changer):
    """Number of the tool as it arrives: 0 while there is no contact."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    tool = own.coupled[changer]
    if tool == NONE:
        return 0
    return changers.tools.id[tool] ^ _bits(commands, changers.lever[changer] + ID_FLIP)


@kernel
def tool_outputs(model, commands, state, changer):
    """Bits that arrive at the tool."""
    changers = model.devices.tool_changer
    if not has_contact(state, changer) or not has_power(model, state, changer):
        return 0
    return _bits(commands, changers.command[changer] + OUTPUTS)


@kernel
def is_output_on(model, commands, state, tool, bit):
    """Whether a bit arrives at a tool: some changer has coupled it, and it has power there."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    for changer in range(changers.flange.shape[0]):
        if own.coupled[changer] == tool:
            return (tool_outputs(model, commands, state, changer) >> bit) & 1 == 1
    return False


@kernel
def tool_inputs(model, commands, state, changer):
    """Bits that come from the tool."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    tool = own.coupled[changer]
    if tool == NONE or not has_power(model, state, changer):
        return 0
    echoed = changers.tools.echo[tool] & tool_outputs(model, commands, state, changer)
    return changers.tools.inputs[tool] | echoed


@kernel
def _bits(commands, number):
    return int(commands.values[number]) & WORD

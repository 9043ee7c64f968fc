"""Write what tool changers show, and what is true about them, each to its declared column."""

from twincell.sim.devices.parts.wire import write_wires
from twincell.sim.devices.tool_changer.air import PASCAL_PER_BAR
from twincell.sim.devices.tool_changer.coupling import margin
from twincell.sim.devices.tool_changer.signals import (
    AIR_PRESSURE,
    CYCLE_COUNT,
    FAULT_CODE,
    FAULT_TEXT,
    LAST_LOCK_TIME,
    LAST_UNLOCK_TIME,
    STATE,
    STATE_CODE,
    TOOL_ID,
    TOOL_INPUTS,
    TRUE_GAP,
    TRUE_MARGIN,
    TRUE_NEAREST,
    TRUE_OUTPUTS,
    TRUE_PISTON,
    TRUE_TILT,
    TRUE_TOOL,
)
from twincell.sim.devices.tool_changer.state import VALVE_LOCK, VALVE_UNLOCK
from twincell.sim.devices.tool_changer.tool_side import tool_id, tool_inputs, tool_outputs
from twincell.sim.jit import kernel
from twincell.sim.model import NONE

MS = 1e3


@kernel
def write(model, commands, state, scratch, row):
    """The block of every tool changer."""
    changers = model.devices.tool_changer
    for changer in range(changers.flange.shape[0]):
        column = changers.column[changer]
        write_wires(state.devices.tool_changer.wires, changer, row, column)
        _write_feedback(model, commands, state, row, column, changer)
        _write_truth(model, commands, state, scratch, row, column, changer)


@kernel
def _write_feedback(model, commands, state, row, column, changer):
    own = state.devices.tool_changer
    row[column + AIR_PRESSURE] = own.pressure[changer] / PASCAL_PER_BAR
    row[column + TOOL_ID] = tool_id(model, commands, state, changer)
    row[column + TOOL_INPUTS] = tool_inputs(model, commands, state, changer)
    row[column + STATE] = own.shown[changer]
    row[column + STATE_CODE] = own.shown[changer]
    row[column + FAULT_CODE] = own.fault.code[changer]
    row[column + FAULT_TEXT] = own.fault.code[changer]
    row[column + CYCLE_COUNT] = own.cycles[changer]
    row[column + LAST_LOCK_TIME] = own.stroke_time[changer, VALVE_LOCK] * model.step * MS
    row[column + LAST_UNLOCK_TIME] = own.stroke_time[changer, VALVE_UNLOCK] * model.step * MS


@kernel
def _write_truth(model, commands, state, scratch, row, column, changer):
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    fit = scratch.devices.tool_changer
    tool = own.coupled[changer]
    nearest = fit.tool[changer]
    row[column + TRUE_TOOL] = 0.0 if tool == NONE else changers.tools.object[tool] + 1.0
    row[column + TRUE_NEAREST] = 0.0 if nearest == NONE else changers.tools.object[nearest] + 1.0
    row[column + TRUE_GAP] = fit.gap[changer]
    row[column + TRUE_TILT] = fit.tilt[changer]
    row[column + TRUE_PISTON] = own.piston[changer] / changers.stroke[changer]
    row[column + TRUE_MARGIN] = margin(model, commands, state, changer)
    row[column + TRUE_OUTPUTS] = tool_outputs(model, commands, state, changer)

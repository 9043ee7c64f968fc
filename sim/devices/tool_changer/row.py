"""Write what tool changers show, and what is true about them, each to its declared column."""

from twincell.sim.devices.tool_changer.air import PASCAL_PER_BAR, VALVE_LOCK, VALVE_UNLOCK
from twincell.sim.devices.tool_changer.coupling import margin
from twincell.sim.devices.tool_changer.signals import (
    AIR_PRESSURE,
    BAD_SIGNALS,
    CYCLE_COUNT,
    FAULT_CODE,
    FAULT_TEXT,
    LAST_LOCK_TIME,
    LAST_UNLOCK_TIME,
    N_DIGITAL,
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
from twincell.sim.devices.tool_changer.tool_side import tool_id, tool_inputs, tool_outputs
from twincell.sim.jit import kernel
from twincell.sim.model import NONE

MS = 1e3


@kernel
def write_changers(model, commands, state, scratch, row):
    """The block of every tool changer."""
    for changer in range(model.changers.flange.shape[0]):
        column = model.columns.changer[changer]
        for signal in range(N_DIGITAL):
            row[column + signal] = state.wire[changer, signal]
        _write_feedback(model, commands, state, row, column, changer)
        _write_truth(model, commands, state, scratch, row, column, changer)


@kernel
def _write_feedback(model, commands, state, row, column, changer):
    row[column + BAD_SIGNALS] = state.bad[changer]
    row[column + AIR_PRESSURE] = state.pressure[changer] / PASCAL_PER_BAR
    row[column + TOOL_ID] = tool_id(model, commands, state, changer)
    row[column + TOOL_INPUTS] = tool_inputs(model, commands, state, changer)
    row[column + STATE] = state.shown[changer]
    row[column + STATE_CODE] = state.shown[changer]
    row[column + FAULT_CODE] = state.trouble[changer]
    row[column + FAULT_TEXT] = state.trouble[changer]
    row[column + CYCLE_COUNT] = state.cycles[changer]
    row[column + LAST_LOCK_TIME] = state.stroke_time[changer, VALVE_LOCK] * model.step * MS
    row[column + LAST_UNLOCK_TIME] = state.stroke_time[changer, VALVE_UNLOCK] * model.step * MS


@kernel
def _write_truth(model, commands, state, scratch, row, column, changer):
    tool = state.coupled[changer]
    nearest = scratch.fit.tool[changer]
    row[column + TRUE_TOOL] = 0.0 if tool == NONE else model.tools.object[tool] + 1.0
    row[column + TRUE_NEAREST] = 0.0 if nearest == NONE else model.tools.object[nearest] + 1.0
    row[column + TRUE_GAP] = scratch.fit.gap[changer]
    row[column + TRUE_TILT] = scratch.fit.tilt[changer]
    row[column + TRUE_PISTON] = state.piston[changer] / model.changers.stroke[changer]
    row[column + TRUE_MARGIN] = margin(model, commands, state, changer)
    row[column + TRUE_OUTPUTS] = tool_outputs(model, commands, state, changer)

"""Write what tool changers show, and what is true about them, in the order of their declaration."""

from sim.devices.changer_air import PASCAL_PER_BAR, VALVE_LOCK, VALVE_UNLOCK
from sim.devices.changer_coupling import margin
from sim.devices.changer_signals import N_DIGITAL
from sim.devices.changer_tool_side import tool_id, tool_inputs, tool_outputs
from sim.jit import kernel
from sim.model import NONE

MS = 1e3


@kernel
def write_changers(model, commands, state, scratch, row):
    """The block of every tool changer."""
    for changer in range(model.changers.flange.shape[0]):
        column = model.columns.changer[changer]
        for signal in range(N_DIGITAL):
            row[column + signal] = state.wire[changer, signal]
        _write_feedback(model, commands, state, row, column + N_DIGITAL, changer)
        _write_truth(model, commands, state, scratch, row, column + N_DIGITAL + 11, changer)


@kernel
def _write_feedback(model, commands, state, row, column, changer):
    row[column] = state.bad[changer]
    row[column + 1] = state.pressure[changer] / PASCAL_PER_BAR
    row[column + 2] = tool_id(model, commands, state, changer)
    row[column + 3] = tool_inputs(model, commands, state, changer)
    row[column + 4] = state.shown[changer]
    row[column + 5] = state.shown[changer]
    row[column + 6] = state.trouble[changer]
    row[column + 7] = state.trouble[changer]
    row[column + 8] = state.cycles[changer]
    row[column + 9] = state.stroke_time[changer, VALVE_LOCK] * model.step * MS
    row[column + 10] = state.stroke_time[changer, VALVE_UNLOCK] * model.step * MS


@kernel
def _write_truth(model, commands, state, scratch, row, column, changer):
    tool = state.coupled[changer]
    nearest = scratch.fit.tool[changer]
    row[column] = 0.0 if tool == NONE else model.tools.object[tool] + 1.0
    row[column + 1] = 0.0 if nearest == NONE else model.tools.object[nearest] + 1.0
    row[column + 2] = scratch.fit.gap[changer]
    row[column + 3] = scratch.fit.tilt[changer]
    row[column + 4] = state.piston[changer] / model.changers.stroke[changer]
    row[column + 5] = margin(model, commands, state, changer)
    row[column + 6] = tool_outputs(model, commands, state, changer)

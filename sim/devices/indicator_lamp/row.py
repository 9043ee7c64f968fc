"""Write what indicator lamps show, and what is true about them, each to its declared column."""

from twincell.sim.devices.indicator_lamp.signals import (
    FAULT_CODE,
    FAULT_TEXT,
    PRESS_COUNT,
    STATE,
    STATE_CODE,
    TRULY_LIT,
    TRULY_PRESSED,
)
from twincell.sim.devices.parts.wire import write_wires
from twincell.sim.jit import kernel


@kernel
def write(model, commands, state, scratch, row):
    """The block of every indicator lamp."""
    own = state.devices.indicator_lamp
    columns = model.devices.indicator_lamp.column
    for lamp in range(columns.shape[0]):
        column = columns[lamp]
        write_wires(own.wires, lamp, row, column)
        row[column + STATE] = own.shown[lamp]
        row[column + STATE_CODE] = own.shown[lamp]
        row[column + FAULT_CODE] = own.fault.code[lamp]
        row[column + FAULT_TEXT] = own.fault.code[lamp]
        row[column + PRESS_COUNT] = own.presses[lamp]
        row[column + TRULY_LIT] = own.lit[lamp]
        row[column + TRULY_PRESSED] = own.pressed[lamp]

"""Every signal of a changer stands in the column of its name."""

import numpy as np
from changer_cell import OTHER, Changer, bench
from pytest import approx

from twincell.sim.devices.tool_changer.row import write
from twincell.sim.devices.tool_changer.signals import DIGITAL, FEEDBACK


def row_of(cell):
    """What the changers write into a row that has nothing in it."""
    row = np.full(len(cell.signals), np.nan)
    model, _, commands, state, scratch, _ = cell._packs.values()
    write(model, commands, state, scratch, row)
    return row


def test_every_value_is_found_under_its_name():
    unit = Changer(bench(tool="id = 77\ninputs = 0x0700\necho = 0x000F", more=OTHER))
    unit.set(ToolPowerEnable=1, ToolOutputs=0x0035).lock()
    unit.run(200)
    cell, fit = unit.cell, unit.cell.scratch.devices.tool_changer
    state = cell.state.devices.tool_changer
    # all different, so that none can be taken for another
    state.wires.bad[0], state.pressure[0], state.shown[0], state.fault.code[0] = 1234, 5.5e5, 3, 9
    state.cycles[0], state.stroke_time[0, 0], state.stroke_time[0, 1] = 42, 310, 290
    state.piston[0], state.load[0] = 204.0, (2000.0, 0.0, 0.0)
    fit.gap[0], fit.tilt[0] = 0.00017, 0.00023
    assert told(cell, "Changer") == approx(
        {
            "BadSignals": 1234,
            "AirPressure": 5.5,
            "ToolId": 77,
            "ToolInputs": 0x0705,
            "State": 3,
            "StateCode": 3,
            "FaultCode": 9,
            "FaultText": 9,
            "CycleCount": 42,
            "LastLockTime": 290,
            "LastUnlockTime": 310,
            "Truth.Tool": 1,
            "Truth.Nearest": 1,
            "Truth.Gap": 0.00017,
            "Truth.Tilt": 0.00023,
            "Truth.PistonPosition": 1.02,
            "Truth.LoadMargin": 0.75,
            "Truth.ToolOutputs": 0x0035,
        },
        rel=1e-12,  # a unit apart
    )
    assert cell.signals["Changer.State"].value(3) == "LockedTool"
    assert cell.signals["Changer.FaultText"].value(9) == "The air pressure is too low"
    assert cell.signals["Changer.Truth.Tool"].value(1) == "Gripper"


def told(cell, changer):
    """What a changer shows beside its digital signals, by name."""
    row = row_of(cell)
    names = [name for name, *_ in FEEDBACK[len(DIGITAL) :]]
    return {name: float(row[cell.signals[f"{changer}.{name}"].column]) for name in names}


def test_each_digital_signal_is_the_one_of_its_name():
    unit = Changer(bench(more=OTHER))
    for place, (name, _) in enumerate(DIGITAL):
        wires = unit.cell.state.devices.tool_changer.wires
        wires.wire[:] = 0
        wires.wire[0, place] = 1
        row = row_of(unit.cell)
        seen = [other for other, _ in DIGITAL if row[unit.cell.signals[f"Changer.{other}"].column]]
        assert seen == [name]


def test_changers_fill_their_own_blocks_and_nothing_else():
    cell = Changer(bench(more=OTHER)).cell
    written = {signal.name for signal in cell.signals if not np.isnan(row_of(cell)[signal.column])}
    assert written == {
        f"{changer}.{name}" for changer in ("Changer", "Other") for name, *_ in FEEDBACK
    }

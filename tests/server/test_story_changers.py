"""The summary of a tool changer is the same however the rows are cut into chunks."""

import numpy as np
import pytest

from twincell.server.report.devices import DeviceWatch
from twincell.sim.devices.tool_changer.report import event
from twincell.sim.devices.tool_changer.signals import (
    FAULTS,
    LOCKED_TOOL,
    LOCKING,
    STATES,
    UNLOCKING,
)
from twincell.sim.signals import Direction, Kind, Signal, SignalTable

TABLE = SignalTable(
    [
        Signal("C.State", 0, Kind.STRING, "", Direction.FEEDBACK, "", STATES),
        Signal("C.ToolId", 1, Kind.INT32, "", Direction.FEEDBACK, ""),
        Signal("C.FaultText", 2, Kind.STRING, "", Direction.FEEDBACK, "", FAULTS),
    ]
)


def told(rows, chunk):
    watch = DeviceWatch("C", event, TABLE, 0.001)
    for start in range(0, len(rows), chunk):
        watch.append(start, rows[start : start + chunk])
    return watch


@pytest.mark.parametrize("chunk", [1, 7, 1000, 3000])
def test_locking_unlocking_and_faults_are_told(chunk):
    rows = np.zeros((3000, 3))
    rows[100:, 0] = LOCKING
    rows[400:, 0] = LOCKED_TOOL
    rows[400:, 1] = 7
    rows[1000:, 0] = UNLOCKING
    rows[1300:, 0] = 0
    rows[2000:, 0] = STATES.index("Fault")
    rows[2000:, 2] = 9
    watch = told(rows, chunk)
    assert [(event.at_s, event.text) for event in watch.events] == [
        (0.4, "locked tool 7"),
        (1.3, "unlocked"),
        (2.0, "fault: The air pressure is too low"),
    ]
    assert [hold.partner for hold in watch.holds(3.0)] == [
        "UnlockedEmpty",
        "Locking",
        "LockedTool",
        "Unlocking",
        "UnlockedEmpty",
        "Fault",
    ]
    assert watch.holds(3.0)[-1].to_s == 3.0


def test_a_changer_that_chatters_is_counted():
    rows = np.zeros((1000, 3))
    rows[::2, 0] = 1
    watch = told(rows, 1000)
    assert watch.events_left_out == 800 and len(watch.holds(1.0)) == 200

"""Valve, chamber and piston: when a changer moves, how long it takes, and when it does not."""

import pytest
from changer_cell import FILL, LOCK, STROKE, VALVE, WEIGHT, changer
from pytest import approx


def states(unit, rows):
    """The states that the rows go through, with the row in which each begins."""
    signal = unit.cell.signals["Changer.State"]
    codes = rows[:, signal.column]
    return [
        (row, signal.value(code))
        for row, code in enumerate(codes)
        if row == 0 or code != codes[row - 1]
    ]


def test_locking_takes_valve_fill_and_stroke_to_the_tick():
    unit = changer()
    unit["LockValve"] = 1
    rows = unit.run(LOCK + 1)
    assert states(unit, rows) == [(0, "ReadyToLock"), (VALVE, "Locking"), (LOCK, "LockedTool")]
    piston = rows[:, unit.cell.signals["Changer.Truth.PistonPosition"].column]
    assert piston[VALVE + FILL] == 0.0
    assert piston[VALVE + FILL + 1] == 1 / STROKE
    assert piston[LOCK - 1] < 1.0 and piston[LOCK] == 1.0
    assert (unit["LastLockTime"], unit["CycleCount"]) == (LOCK, 1)


def test_the_tool_changes_hands_in_the_tick_in_which_the_piston_arrives():
    unit = changer()
    unit["LockValve"] = 1
    unit.run(LOCK)
    assert (unit.tool, unit.holder, unit["ToolId"]) == ("", "Holder", 0)
    unit.run(1)
    assert (unit.tool, unit.holder, unit["ToolId"]) == ("Gripper", "Flange", 3)
    unit.run(100)
    assert unit.cell["Gripper.Force.Z"] == approx(WEIGHT, abs=1e-9)  # it hangs still
    assert unit.cell["Flange.IsClosed"] == 1.0


def test_unlocking_in_the_stand_gives_the_tool_back_at_half_stroke():
    unit = changer().lock()
    unit["UnlockValve"] = 1
    rows = unit.run(LOCK + 1)
    assert states(unit, rows) == [(0, "LockedTool"), (VALVE, "Unlocking"), (LOCK, "ReadyToLock")]
    tool = rows[:, unit.cell.signals["Changer.ToolId"].column]
    let_go = VALVE + FILL + STROKE // 2 + 1
    assert tool[let_go - 1] == 3 and tool[let_go] == 0
    assert let_go >= 100  # contact is not lost earlier
    assert (unit.holder, unit["LastUnlockTime"]) == ("Holder", LOCK)
    locked = rows[:, unit.cell.signals["Changer.Locked"].column]
    assert locked[VALVE + FILL] == 1 and locked[VALVE + FILL + 1] == 0


def test_a_pulse_shorter_than_the_valve_delay_does_nothing():
    unit = changer()
    unit["LockValve"] = 1
    unit.run(VALVE)
    unit["LockValve"] = 0
    unit.run(LOCK)
    assert (unit.state, unit["Truth.PistonPosition"]) == ("ReadyToLock", 0.0)


def test_the_valve_is_bistable_so_a_longer_pulse_is_enough():
    unit = changer()
    unit["LockValve"] = 1
    unit.run(VALVE + 1)
    unit["LockValve"] = 0
    unit.run(LOCK)
    assert unit.state == "LockedTool"


def test_both_solenoids_change_nothing_and_are_told():
    unit = changer()
    unit.set(LockValve=1, UnlockValve=1)
    unit.run(LOCK + 1)
    assert unit["Truth.PistonPosition"] == 0.0
    assert (unit.state, unit["Fault"], unit["FaultCode"]) == ("Fault", 1, 1)
    assert unit.fault == "LockValve and UnlockValve are both on"
    # both off again: the fault stays until it is reset by a rising edge
    unit.set(LockValve=0, UnlockValve=0)
    unit.run(10)
    assert unit.state == "Fault"
    unit["FaultReset"] = 1
    unit.run(1)
    assert (unit.state, unit["Fault"], unit.fault) == ("ReadyToLock", 0, "")


def test_only_a_rising_edge_resets():
    unit = changer()
    unit["FaultReset"] = 1
    unit.run(5)
    unit.set(LockValve=1, UnlockValve=1)
    unit.run(5)
    unit.set(LockValve=0, UnlockValve=0)
    unit.run(5)
    assert unit.state == "Fault"  # FaultReset has been on all the time
    unit["FaultReset"] = 0
    unit.run(1)
    unit["FaultReset"] = 1
    unit.run(1)
    assert unit.state == "ReadyToLock"


def test_a_fault_whose_cause_is_still_there_cannot_be_reset():
    unit = changer()
    unit.set(LockValve=1, UnlockValve=1)
    unit.run(2)
    unit["FaultReset"] = 1
    unit.run(2)
    assert unit.state == "Fault"


def test_a_stroke_may_be_turned_round_on_its_way():
    unit = changer()
    unit["LockValve"] = 1
    unit.run(VALVE + FILL + 101)
    assert unit["Truth.PistonPosition"] == 0.5
    unit.set(LockValve=0, UnlockValve=1)
    unit.run(VALVE + FILL + 250)
    assert (unit.state, unit["Truth.PistonPosition"]) == ("ReadyToLock", 0.0)
    assert unit["CycleCount"] == 0 and unit.holder == "Holder"


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"gap_m": 0.5, "in_stand": True}, "no tool in reach"),
        ({"gap_m": 0.0025}, "more than the tolerance of 2 mm away"),
        ({"side_m": 0.0025}, "more than the tolerance off to the side"),
        ({"tilt_deg": 1.0}, "turned by more than 0.7 degrees"),
    ],
)
def test_with_nothing_to_lock_the_piston_travels_past_its_end(how, why):
    unit = changer(**how).lock()
    unit.run(STROKE)
    assert unit["Locked"] == 1, why
    assert unit["Truth.PistonPosition"] == approx(1.1)  # over-travel
    assert (unit.tool, unit.holder) == ("", "Holder")
    assert unit.cell["Flange.IsClosed"] == 0


def test_locked_without_a_tool_is_told_and_can_be_undone():
    unit = changer(gap_m=0.5).lock()
    assert (unit.state, unit["ToolPresent"], unit["UnlockEnabled"]) == ("LockedEmpty", 0, 1)
    unit.unlock().run(STROKE // 5)
    assert unit.state == "UnlockedEmpty"


def test_a_tool_that_arrives_late_is_not_locked():
    """The piston is past its end already: it must go back first."""
    unit = changer(gap_m=0.05).lock()
    unit.cell["Stand.Fault.OffsetZ"] = 0.05  # the stand comes up to the flange, with its tool
    unit.run(500)
    assert unit["Truth.Gap"] < 1e-6 and unit.tool == ""
    unit.unlock().run(STROKE // 5)
    unit.lock()
    assert unit.tool == "Gripper"


def test_a_flange_that_starts_closed_has_its_tool_from_the_first_tick():
    unit = changer(closed=True, in_stand=False)
    assert (unit.state, unit.tool, unit.holder) == ("LockedTool", "Gripper", "Flange")
    assert unit["CycleCount"] == 0
    assert changer(closed=True, gap_m=0.5).state == "LockedEmpty"

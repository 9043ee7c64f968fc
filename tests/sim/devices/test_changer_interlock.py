"""The interlock: when UnlockValve is obeyed, row by row of its table."""

import pytest
from changer_cell import LOCK, changer
from pytest import approx

STUCK_FALSE, STUCK_TRUE = 1, 2


@pytest.mark.parametrize(
    ("present", "in_stand", "error", "enabled"),
    [(0, 0, 0, 1), (0, 1, 0, 1), (1, 0, 0, 0), (1, 1, 0, 1)]
    + [(present, in_stand, 1, 0) for present in (0, 1) for in_stand in (0, 1)],
)
def test_the_table_of_the_interlock(present, in_stand, error, enabled):
    unit = changer()
    # the sensors say what the row of the table wants, whatever is true
    unit["Fault.ToolPresent"] = STUCK_TRUE if present else STUCK_FALSE
    for channel in "AB":
        unit[f"Fault.ToolInStand{channel}"] = STUCK_TRUE if in_stand else STUCK_FALSE
    if error:
        unit.set(LockValve=1, UnlockValve=1)
    unit.run(2)
    unit.set(LockValve=0, UnlockValve=0)
    unit.run(1)
    assert (unit["ToolPresent"], unit["ToolInStandA"], unit["Fault"]) == (present, in_stand, error)
    assert unit["UnlockEnabled"] == enabled
    unit["UnlockEnable"] = 1
    unit.run(1)
    assert unit["UnlockEnabled"] == 1  # the override asks nobody


def test_unlock_in_free_air_is_ignored():
    unit = changer(closed=True, in_stand=False)
    unit.run(50)
    unit.unlock().run(LOCK)
    assert (unit["Truth.PistonPosition"], unit.state, unit.fault) == (1.0, "LockedTool", "")
    assert (unit.tool, unit.holder) == ("Gripper", "Flange")


def test_unlock_on_error_is_ignored():
    unit = changer().lock()
    unit.set(LockValve=1, UnlockValve=1).run(2)
    unit.unlock()
    assert unit["Truth.PistonPosition"] == 1.0 and unit.tool == "Gripper"


def test_overridden_in_free_air_the_tool_really_falls():
    unit = changer(closed=True, in_stand=False)
    unit.run(50)
    unit.set(UnlockEnable=1, UnlockValve=1)
    unit.run(202)  # the tick in which the coupling lets go is the first of the fall
    assert (unit.tool, unit.holder) == ("", "")
    z = unit.cell["Gripper.Pose.Z"]
    unit.run(100)
    # free fall, but for the first-order error g h t / 2 of the integrator
    assert unit.cell["Gripper.Pose.Z"] - z == approx(-9.81 * 0.1**2 / 2, abs=0.0006 + 0.0001)


def test_a_sensor_that_lies_fools_the_interlock_and_the_tool_falls():
    unit = changer(closed=True, in_stand=False)
    unit["Fault.ToolInStandA"] = unit["Fault.ToolInStandB"] = STUCK_TRUE
    unit.run(50)
    unit.unlock()
    assert unit.tool == "" and unit.cell["Gripper.Pose.Z"] < 0.99


def test_one_channel_is_not_enough_to_unlock():
    unit = changer(closed=True, in_stand=False)
    unit["Fault.ToolInStandA"] = STUCK_TRUE
    unit.run(50)
    assert unit["UnlockEnabled"] == 0
    unit.unlock()
    assert unit.tool == "Gripper"

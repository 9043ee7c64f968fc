"""A changer and a stand with a fault: an empty stand, a bad teach point."""

from changer_cell import changer


def test_an_empty_stand_gives_nothing_to_lock():
    unit = changer()
    unit.cell["Stand.Fault.Empty"] = 1
    unit.run(300)
    unit.lock()
    assert (unit.state, unit["ToolPresent"], unit.tool) == ("LockedEmpty", 0, "")


def test_a_tool_put_into_an_empty_stand_falls_when_it_is_unlocked():
    unit = changer().lock()
    unit.cell["Stand.Fault.Empty"] = 1
    unit.run(10)
    assert unit["UnlockEnabled"] == 1  # the stand's sensor sees the tool, not its clamp
    unit.unlock()
    assert (unit.tool, unit.holder) == ("", "")
    assert unit.cell["Gripper.Pose.Z"] < 0.99


def test_a_teach_offset_beyond_the_tolerance_is_not_ready_and_locks_nothing():
    unit = changer()
    unit.cell["Stand.Fault.OffsetX"] = 0.004
    unit.run(500)
    assert (unit.state, unit["ToolPresent"]) == ("UnlockedEmpty", 1)
    unit.lock()
    assert unit.tool == "" and unit.holder == "Holder"


def test_a_teach_offset_within_the_tolerance_does_no_harm():
    unit = changer()
    unit.cell["Stand.Fault.OffsetX"] = 0.001
    unit.run(500)
    assert unit.state == "ReadyToLock"
    unit.lock()
    assert unit.tool == "Gripper"


def test_a_tool_brought_back_to_a_stand_that_moved_cannot_be_unlocked():
    unit = changer().lock()
    unit.cell["Stand.Fault.OffsetX"] = 0.02
    unit.run(10)
    assert (unit["ToolInStandA"], unit["UnlockEnabled"]) == (0, 0)
    unit.unlock()
    assert unit.tool == "Gripper"

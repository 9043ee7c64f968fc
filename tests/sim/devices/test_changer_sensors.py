"""Digital signals: what the sensors see, how it is wired, and each thing that can be wrong."""

from itertools import groupby

import pytest
from changer_cell import LOCK, changer

from twincell.sim.devices.tool_changer.signals import DIGITAL

NONE, STUCK_FALSE, STUCK_TRUE, FROZEN, FLICKERING, LATE, BROKEN_WIRE = range(7)
NAMES = [name for name, _ in DIGITAL]


def column(unit, rows, name):
    return [int(x) for x in rows[:, unit.cell.signals[f"Changer.{name}"].column]]


def test_both_ready_sensors_see_a_tool_that_is_near():
    assert [changer()[f"ReadyToLock{k}"] for k in (1, 2)] == [1, 1]
    assert [changer(gap_m=0.0019)[f"ReadyToLock{k}"] for k in (1, 2)] == [1, 1]
    assert [changer(gap_m=0.0021)[f"ReadyToLock{k}"] for k in (1, 2)] == [0, 0]


@pytest.mark.parametrize(("tilt_deg", "seen"), [(1.5, [1, 0]), (-1.5, [0, 1])])
def test_a_tilted_tool_is_seen_by_one_sensor_only(tilt_deg, seen):
    """1.5 degrees are 1.3 mm at 50 mm: with a gap of 1 mm one side is 2.3 mm away."""
    unit = changer(gap_m=0.001, tilt_deg=tilt_deg)
    assert sorted(unit[f"ReadyToLock{k}"] for k in (1, 2)) == [0, 1]
    assert [unit[f"ReadyToLock{k}"] for k in (1, 2)] == seen[::-1]
    assert unit.state == "UnlockedEmpty"  # ready needs both


def test_a_tool_is_present_before_it_is_ready():
    unit = changer(gap_m=0.008)
    assert (unit["ToolPresent"], unit["ReadyToLock1"], unit.state) == (1, 0, "UnlockedEmpty")
    assert changer(gap_m=0.012)["ToolPresent"] == 0


def test_delays_and_polarity_are_those_of_the_cell_file():
    keys = """
[tool_changer.Changer.signals.locked]
inverted = true
on_delay_s = 0.007
off_delay_s = 0.003
"""
    unit = changer(keys=keys)
    assert unit["Locked"] == 1  # the wire; the changer itself knows better
    assert unit.state == "ReadyToLock"
    unit["LockValve"] = 1
    rows = unit.run(LOCK + 20)
    assert column(unit, rows, "Locked").index(0) == LOCK + 7
    assert column(unit, rows, "StateCode").index(3) == LOCK + 7
    assert unit["LastLockTime"] == LOCK + 7
    unit.set(LockValve=0, UnlockValve=1)
    rows = unit.run(LOCK)
    assert column(unit, rows, "Locked").index(1) == 101 + 3  # the piston leaves at 101


@pytest.mark.parametrize("name", NAMES)
def test_every_digital_signal_can_be_stuck_frozen_and_broken(name):
    unit = changer()
    unit[f"Fault.{name}"] = STUCK_TRUE
    unit.run(1)
    assert unit[name] == 1
    unit[f"Fault.{name}"] = FROZEN
    unit.run(2)
    assert unit[name] == 1
    unit[f"Fault.{name}"] = STUCK_FALSE
    unit.run(1)
    assert (unit[name], unit["BadSignals"]) == (0, 0)
    unit[f"Fault.{name}"] = BROKEN_WIRE
    unit.run(1)
    assert (unit[name], unit["BadSignals"]) == (0, 1 << NAMES.index(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_digital_signal_can_flicker(name):
    unit = changer()
    unit[f"Fault.{name}"] = FLICKERING
    seen = column(unit, unit.run(100), name)
    runs = [len(list(same)) for _, same in groupby(seen)]
    assert runs[1:-1] == [20] * 4  # ticks


@pytest.mark.parametrize("name", NAMES)
def test_every_digital_signal_can_be_late(name):
    """Half a second behind: a fact that changes shows that much later than without the lever."""

    def first_change(lever):
        unit = changer()
        unit["ToolPowerEnable"] = 1
        unit["Fault.Fault"] = unit["Fault.UnlockEnabled"] = 0
        unit[f"Fault.{name}"] = lever
        before = unit[name]
        parts = []
        unit["LockValve"] = 1
        parts += column(unit, unit.run(1500), name)
        unit.cell["Stand.Fault.OffsetX"] = 0.3  # away with the stand: the tool is not in it
        parts += column(unit, unit.run(700), name)
        unit["Fault.WeakCoupling"] = 1.0  # the tool falls
        unit["Fault.AirLoss"] = 1
        parts += column(unit, unit.run(1500), name)
        return next(k for k, value in enumerate(parts) if value != before)

    on_time, late = first_change(NONE), first_change(LATE)
    assert late - on_time == 500


def test_only_one_ready_to_lock_is_not_ready():
    unit = changer()
    unit["Fault.ReadyToLock2"] = STUCK_FALSE
    unit.run(2000)
    assert (unit.state, unit["ReadyToLock1"], unit.fault) == ("UnlockedEmpty", 1, "")


def test_channels_that_disagree_for_more_than_a_second_are_a_fault():
    unit = changer()
    unit["Fault.ToolInStandB"] = STUCK_FALSE
    unit.run(1000)
    assert unit.fault == ""
    unit.run(1)
    assert unit.fault == "ToolInStandA and ToolInStandB disagree"


def test_channels_that_disagree_for_a_moment_are_none():
    unit = changer()
    unit["Fault.ToolInStandB"] = STUCK_FALSE
    unit.run(999)
    unit["Fault.ToolInStandB"] = NONE
    unit.run(1)
    unit["Fault.ToolInStandB"] = STUCK_FALSE
    unit.run(999)
    assert unit.fault == ""


def test_both_ends_at_once_are_a_fault():
    unit = changer()
    unit["Fault.Locked"] = STUCK_TRUE
    unit.run(1)
    assert unit.fault == "Locked and Unlocked are both on"


def test_a_lock_sensor_that_stays_false_times_out():
    unit = changer()
    unit["Fault.Locked"] = STUCK_FALSE
    unit["LockValve"] = 1
    unit.run(1501)
    assert (unit.state, unit.tool) == ("Locking", "Gripper")
    unit.run(1)
    assert unit.fault == "The piston did not reach its lock end in time"


def test_a_broken_wire_is_noticed():
    unit = changer()
    unit["Fault.ReadyToLock1"] = BROKEN_WIRE
    unit.run(1)
    assert (unit.fault, unit["BadSignals"]) == ("The wire of a sensor is broken", 4)

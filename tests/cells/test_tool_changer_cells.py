"""first_cell and tool_changer_atc: a tool change through valves, sensors and moves."""

import numpy as np
import pytest
from pytest import approx


def changes(trace, name):
    """When a signal of the changer changed, and to what; the first is the start."""
    signal = trace.cell.signals[f"Changer1.{name}"]
    values = trace.rows[:, signal.column]
    ticks = [0, *(np.flatnonzero(np.diff(values)) + 1)]
    return [(round(float(trace.time[k]), 6), signal.value(values[k])) for k in ticks]


@pytest.fixture(scope="module")
def first(run_cell):
    return run_cell("first_cell", 10.0)


@pytest.fixture(scope="module")
def atc(run_cell):
    return run_cell("tool_changer_atc", 28.0)


def test_the_first_cell_takes_its_tool_and_brings_it_back(first):
    assert first.partners("Gripper") == [(0.0, "Holder"), (2.9, "Flange"), (7.801, "Holder")]
    assert [state for _, state in changes(first, "State")] == [
        "UnlockedEmpty",
        "ReadyToLock",  # the flange has come down to the tool
        "Locking",
        "LockedTool",
        "Unlocking",
        "ReadyToLock",
        "UnlockedEmpty",  # and has gone up again, without it
    ]
    assert changes(first, "FaultText") == [(0.0, "")]


def test_the_first_cells_signals_come_when_its_file_says(first):
    # the order of 2.6 s: valve 20 ms, fill 80 ms, stroke 200 ms
    assert changes(first, "Unlocked")[1] == (2.701, False)
    assert changes(first, "Locked")[1] == (2.9, True)
    assert changes(first, "ToolId") == [(0.0, 0), (2.9, 3), (7.801, 0)]
    # power at 3.0 s: it goes 30 ms after the unlock order of 7.6 s, before the contacts part
    assert changes(first, "ToolPowerOk") == [(0.0, False), (3.1, True), (7.63, False)]
    assert changes(first, "ToolBusOk") == [(0.0, False), (4.1, True), (7.63, False)]
    assert changes(first, "ToolInputs") == [(0.0, 0), (5.0, 1), (7.6, 0)]
    assert first.at("Changer1.LastLockTime", 9.999) == 300.0
    assert first.at("Changer1.CycleCount", 9.999) == 1.0


def test_the_first_cell_refuses_to_drop_its_tool_in_the_air(first):
    during = slice(5600, 5900)
    assert first["Changer1.UnlockValve"][during].all()
    assert not first["Changer1.UnlockEnabled"][during].any()
    assert (first["Changer1.Truth.PistonPosition"][during] == 1.0).all()


def test_the_arm_changes_a_gripper_for_a_screwdriver(atc):
    assert atc.partners("Gripper") == [
        (0.0, "Holder1"),
        (4.3, "Robot1Flange"),
        (14.201, "Holder1"),
    ]
    assert atc.partners("Screwdriver") == [(0.0, "Holder2"), (21.3, "Robot1Flange")]
    # the lock sensor is a slow one: 5 ms behind
    assert changes(atc, "Locked") == [(0.0, False), (4.305, True), (14.106, False), (21.305, True)]
    assert changes(atc, "ToolId") == [(0.0, 0), (4.3, 11), (14.201, 0), (21.3, 12)]
    assert changes(atc, "FaultText") == [(0.0, "")]
    assert atc.at("Robot1.RefusalCount", 27.999) == 0.0


def test_the_gripper_answers_while_it_has_power(atc):
    words = [(at, value) for at, value in changes(atc, "ToolInputs")]
    assert words == [
        (0.0, 0),
        (4.6, 0x0100),  # powered: ready
        (7.0, 0x0101),  # closed
        (9.5, 0x0102),  # open
        (14.0, 0x0100),
        (14.03, 0),  # the unlock order has taken the power
        (21.6, 0x0200),  # the screwdriver's
    ]


def test_the_programs_mistake_in_the_air_costs_nothing(atc):
    during = slice(9000, 9500)
    assert atc["Changer1.UnlockValve"][during].all()
    assert (atc["Changer1.Truth.Tool"][during] > 0).all()


def test_the_arm_lifts_the_screwdriver_and_the_coupling_carries_it(atc):
    assert atc.at("Screwdriver.Pose.Z", 23.9) == approx(1.1, abs=1e-3)  # a servo arm gives way
    # at rest the flange carries 2 kg, of the 1.5 kN of a small changer; its mass is 20 mm off the
    # axis: a moment of 0.39 of 60 N m, which is less
    weight = 2 * 9.81
    assert atc.at("Changer1.Truth.LoadMargin", 23.9) == approx(1 - weight / 1500, abs=1e-3)

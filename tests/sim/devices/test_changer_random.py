"""Whatever a controller does: the changer follows a second model of it, and keeps its promises."""

from functools import cache

import numpy as np
from changer_cell import Changer, changer
from changer_reference import Orders, Reference
from hypothesis import given, settings
from hypothesis import strategies as st

SIGNALS = ("Locked", "Unlocked", "Truth.Tool", "Fault")
# around every time that means something to the changer
DURATIONS = st.sampled_from([1, 19, 20, 21, 22, 80, 101, 150, 301])
LEVERS = st.sampled_from(
    ["Locked", "Unlocked", "ToolPresent", "ToolInStandA", "ToolInStandB", "AirLoss", "ReadyToLock1"]
)
orders = st.builds(Orders, st.booleans(), st.booleans(), st.booleans(), st.booleans())
programs = st.lists(st.tuples(orders, DURATIONS), min_size=1, max_size=8)
faults = st.lists(st.tuples(orders, DURATIONS, LEVERS, st.integers(0, 1)), min_size=1, max_size=8)
often = settings(max_examples=20, deadline=None)  # a busy machine has no deadline


@cache
def made(**how) -> tuple[Changer, object, np.ndarray]:
    unit = changer(**how)
    return unit, unit.cell.snapshot(), unit.cell.commands.values.copy()


def fresh(**how) -> Changer:
    """A changer as it was after its first tick."""
    unit, state, commands = made(**how)
    unit.cell.restore(state)
    unit.cell.commands.values[:] = commands
    return unit


def give(unit: Changer, wanted: Orders) -> None:
    unit.set(
        LockValve=wanted.lock,
        UnlockValve=wanted.unlock,
        UnlockEnable=wanted.override,
        FaultReset=wanted.reset,
    )


@often
@given(programs)
def test_in_its_stand_it_does_what_the_second_model_does_tick_by_tick(program):
    unit, reference = fresh(), Reference()
    columns = [unit.cell.signals[f"Changer.{name}"].column for name in SIGNALS]
    for wanted, ticks in program:
        give(unit, wanted)
        for row in unit.run(ticks)[:, columns] > 0:
            reference.advance(wanted)
            assert tuple(row) == reference.seen


@often
@given(programs)
def test_in_the_air_it_never_drops_its_tool_unless_it_is_overridden(program):
    unit = fresh(closed=True, in_stand=False)
    for wanted, ticks in program:
        give(unit, Orders(wanted.lock, wanted.unlock, False, wanted.reset))
        unit.run(ticks)
        assert (unit.tool, unit.holder, unit["Truth.PistonPosition"]) == ("Gripper", "Flange", 1.0)


@often
@given(faults)
def test_with_anything_broken_truth_stays_consistent(program):
    unit = fresh()
    partner = unit.cell.signals["Gripper.Partner"]
    names = ("Locked", "Unlocked", "Fault", "Truth.Tool", "Truth.PistonPosition", "UnlockEnabled")
    columns = [unit.cell.signals[f"Changer.{name}"].column for name in names]
    for wanted, ticks, lever, code in program:
        give(unit, wanted)
        unit[f"Fault.{lever}"] = code
        rows = unit.run(ticks)
        locked, unlocked, fault, tool, piston, _ = rows[:, columns].T
        assert not ((locked > 0) & (unlocked > 0) & (fault == 0)).any()
        # who is coupled is held by the flange, and only while the piston is past half its stroke
        held = rows[:, partner.column] == partner.texts.index("Flange")
        assert ((tool > 0) == held).all()
        assert (piston[tool > 0] >= 0.5).all()
        # a piston at rest in its lock end keeps what it has
        assert not ((np.diff(tool) < 0) & (piston[1:] == 1.0)).any()


@often
@given(programs)
def test_it_never_leaves_its_lock_end_while_the_interlock_forbids_it(program):
    """The valve moves only in a tick in which the interlock of the tick before allowed it."""
    unit = fresh(closed=True)
    for wanted, ticks in program:
        give(unit, wanted)
        for _ in range(ticks):
            enabled, valve = (
                unit["UnlockEnabled"],
                int(unit.cell.state.devices.tool_changer.valve[0]),
            )
            unit.run(1)
            if valve == 1 and unit.cell.state.devices.tool_changer.valve[0] == 0:
                assert enabled == 1 or wanted.override


@often
@given(faults, st.integers(0, 7))
def test_a_run_repeats_bit_for_bit_from_any_snapshot(program, cut):
    unit = fresh()
    moments, rows = [], []
    for wanted, ticks, lever, code in program:
        moments.append((unit.cell.snapshot(), unit.cell.commands.values.copy()))
        give(unit, wanted)
        unit[f"Fault.{lever}"] = code
        rows.append(unit.run(ticks))
    end = unit.cell.state_hash()

    cut = min(cut, len(program) - 1)
    state, commands = moments[cut]
    unit.cell.restore(state)
    unit.cell.commands.values[:] = commands
    for (wanted, ticks, lever, code), before in zip(program[cut:], rows[cut:], strict=True):
        give(unit, wanted)
        unit[f"Fault.{lever}"] = code
        assert np.array_equal(unit.run(ticks), before)
    assert unit.cell.state_hash() == end

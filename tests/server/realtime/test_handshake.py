"""The controller's cycle counter moves the cell, one cycle a value."""

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.realtime.looped_cell import CYCLE_TICKS, LoopedCell
from twincell.server.realtime.shared.order_box import Kind, Result
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import TimeMode
from twincell.sim.cell import Cell

STEP = 10_000  # units of 100 ns between two stamps


def test_without_a_counter_the_cell_stands_still_and_lives(cell):
    beat_ns = cell.link.vitals["beat_ns"]
    cell.turn(20)
    assert cell.ticks == [0] and cell.echoes == [0]
    assert cell.link.vitals.state is LoopState.RUNNING
    assert cell.link.vitals["beat_ns"] > beat_ns


def test_a_new_counter_is_exactly_one_cycle_and_its_last_row_has_the_echo(cell):
    cell.ask(1)
    cell.turn(5)
    assert cell.ticks == [0, 1, 2, 3, 4]
    assert cell.echoes == [0, 0, 0, 0, 1]
    cell.ask(2)
    cell.turn(5)
    assert cell.ticks == list(range(9))
    assert cell.echoes == [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_the_same_counter_again_does_nothing(cell):
    for _ in range(3):
        cell.ask(1)
        cell.turn(3)
    assert cell.ticks == [0, 1, 2, 3, 4]
    cell.ask(2)
    cell.ask(2)
    cell.turn(5)
    assert len(cell.ticks) == 9


def test_a_counter_of_nought_is_not_new_to_a_cell_that_has_just_begun(cell):
    cell.ask(0)
    cell.turn(3)
    assert cell.ticks == [0]


@pytest.mark.parametrize("counters", [(1, 7, 3), (2**32 - 1, 0, 1), (5, 4, 5)])
def test_a_counter_may_jump_wrap_around_and_go_back(cell, counters):
    for counter in counters:
        cell.ask(counter)
        cell.turn(3)
    assert len(cell.ticks) == 1 + 3 * CYCLE_TICKS
    assert cell.echoes[::CYCLE_TICKS] == [0, *counters]


def test_counters_that_wait_together_are_one_cycle_each_in_their_order(cell):
    for counter in (1, 2, 2, 3):
        cell.ask(counter)
    cell.turn(10)
    assert cell.echoes == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3]


def test_commands_before_and_with_the_counter_count_from_the_first_tick_of_its_cycle(cell):
    cell.write(Flange_Closed=1)
    cell.turn(3)
    cell.ask(1)
    cell.turn(3)
    cell.ask(2, Flange_Closed=0)
    cell.turn(3)
    assert cell.column("Flange.Closed") == [0, 1, 1, 1, 1, 0, 0, 0, 0]


def test_commands_after_the_counter_wait_for_the_next_cycle(cell):
    cell.ask(1)
    cell.write(Flange_Closed=1)
    cell.turn(5)
    assert cell.column("Flange.Closed") == [0] * 5
    cell.ask(2)
    cell.turn(3)
    assert cell.column("Flange.Closed") == [0] * 5 + [1] * 4


def test_a_pulse_before_the_counter_is_in_its_cycle(cell):
    cell.write(Flange_Closed=1)
    cell.write(Flange_Closed=0)
    cell.ask(1)
    cell.turn(5)
    assert cell.column("Flange.Closed") == [0, 1, 0, 0, 0]
    assert cell.echoes == [0, 0, 0, 0, 1]


def test_more_pulses_than_a_cycle_has_ticks_go_on_in_the_next(cell):
    for value in (1, 0, 1, 0, 1, 0):
        cell.write(Flange_Closed=value)
    cell.ask(1)
    cell.turn(5)
    assert cell.column("Flange.Closed") == [0, 1, 0, 1, 0]
    assert cell.echoes[-1] == 1
    cell.turn(5)
    assert len(cell.ticks) == 5
    cell.ask(2)
    cell.turn(5)
    assert cell.column("Flange.Closed") == [0, 1, 0, 1, 0, 1, 0, 0, 0]
    assert cell.echoes[-1] == 2


def test_a_counter_that_is_late_behind_pulses_is_not_counted_twice(cell):
    for value in (1, 0) * 6:
        cell.write(Flange_Closed=value)
    for counter in (1, 2, 1):
        cell.ask(counter)
        cell.turn(5)
    assert len(cell.ticks) == 1 + 3 * CYCLE_TICKS
    assert cell.echoes[::CYCLE_TICKS] == [0, 1, 2, 1]


def test_stamps_follow_simulated_time_however_long_the_controller_thinks(cell):
    for counter in range(1, 6):
        cell.clock.now_ns += counter * 777_777_777
        cell.ask(counter)
        cell.turn(3)
    assert {b - a for a, b in pairwise(cell.stamps)} == {STEP}


# ---------------------------------------------------------------- the same bits as in lock step


batches = st.lists(st.lists(st.sampled_from([0.0, 1.0]), max_size=3), min_size=1, max_size=12)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(batches)
def test_rows_are_those_of_lock_step_bit_for_bit(small_cell_text, cycles):
    handshake, lock_step = (LoopedCell(Cell.load(small_cell_text)) for _ in range(2))
    handshake.begin(timeline=False, mode=TimeMode.HANDSHAKE, cycle_ticks=CYCLE_TICKS)
    lock_step.begin(timeline=False, mode=TimeMode.LOCK_STEP)
    for counter, writes in enumerate(cycles, start=1):
        for value in writes[:-1]:
            handshake.write(Flange_Closed=value)
            lock_step.write(Flange_Closed=value)
        if writes:
            handshake.ask(counter, Flange_Closed=writes[-1])
            lock_step.write(Flange_Closed=writes[-1])
        else:
            handshake.ask(counter)
        handshake.turn(counter % 3 + 3)
        assert lock_step.order(Kind.STEP, CYCLE_TICKS).result is Result.DONE
    assert handshake.ticks == lock_step.ticks
    assert handshake.rows.tobytes() == lock_step.rows.tobytes()


@pytest.fixture(scope="module")
def small_cell_text(tmp_path_factory):
    from tests.server.conftest import SMALL_CELL

    path = tmp_path_factory.mktemp("cell") / "small.toml"
    path.write_text(SMALL_CELL, encoding="utf-8")
    return path


def test_the_timeline_goes_on_in_cycles_until_a_command_ends_it(looped, small_cell):
    looped.begin(mode=TimeMode.HANDSHAKE, cycle_ticks=50)
    for counter in range(1, 4):
        looped.ask(counter)
        looped.turn(20)
    assert looped.rows.tobytes() == Cell.load(small_cell).run(151).tobytes()

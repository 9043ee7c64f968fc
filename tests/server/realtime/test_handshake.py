"""The controller's cycle counter moves the cell, one cycle a value, whatever else happens."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.realtime.order_box import Answer, Kind, Result
from server.realtime.timing import TimeMode
from server.realtime.vitals import LoopState
from sim.cell import Cell
from tests.server.realtime.looped_cell import LoopedCell

STEP = 10_000  # units of 100 ns between two stamps
CYCLE_TICKS = 4
DONE = Answer(Result.DONE, 0.0, "")


@pytest.fixture
def looped(small_cell):
    return LoopedCell(Cell.load(small_cell))


@pytest.fixture
def cell(looped):
    """In handshake, after tick 0."""
    return looped.begin(timeline=False, mode=TimeMode.HANDSHAKE, cycle_ticks=CYCLE_TICKS)


def mode(cell, mode, cycle_ticks=CYCLE_TICKS):
    return cell.order(Kind.MODE, float(mode), pickle.dumps(cycle_ticks))


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


# ---------------------------------------------------------------- orders


def test_an_order_waits_for_the_end_of_the_cycle(cell):
    cell.ask(1)
    assert cell.order(Kind.PAUSE) == DONE
    assert cell.ticks == [0, 1, 2, 3, 4] and cell.echoes[-1] == 1


def test_an_order_is_carried_out_after_a_long_cycle_not_in_it(looped):
    looped.begin(timeline=False, mode=TimeMode.HANDSHAKE, cycle_ticks=100)
    looped.clock.look_ns = 1_000_000  # a turn has time for five ticks
    looped.ask(1)
    assert looped.order(Kind.RESET) == DONE
    assert looped.ticks == [*range(101), 0]
    assert looped.echoes[100:] == [1, 1]


def test_a_paused_cell_keeps_the_counter_until_it_is_resumed(cell):
    cell.order(Kind.PAUSE)
    cell.ask(1, Flange_Closed=1)
    cell.turn(5)
    assert cell.ticks == [0] and cell.link.vitals.state is LoopState.PAUSED
    cell.order(Kind.RESUME)
    cell.turn(3)
    assert cell.column("Flange.Closed") == [0, 1, 1, 1, 1] and cell.echoes[-1] == 1


def test_a_paused_cell_is_stepped_without_the_waiting_cycle(cell):
    cell.order(Kind.PAUSE)
    cell.write(Flange_Closed=1)
    cell.ask(1, Flange_Closed=0)
    assert cell.order(Kind.STEP, 2.0).result is Result.DONE
    assert cell.column("Flange.Closed") == [0, 1, 1] and cell.echoes == [0, 0, 0]
    cell.order(Kind.RESUME)
    cell.turn(3)
    assert cell.column("Flange.Closed") == [0, 1, 1, 0, 0, 0, 0] and cell.echoes[-1] == 1


def test_a_step_is_refused_while_the_counter_moves_the_cell(cell):
    answer = cell.order(Kind.STEP, 1.0)
    assert answer.result is Result.REFUSED
    assert answer.text == "the controller's cycle counter moves the cell: pause it first"
    assert cell.ticks == [0]


def test_a_reset_keeps_the_echo_and_forgets_what_waits(cell):
    cell.ask(1)
    cell.turn(3)
    cell.order(Kind.PAUSE)
    cell.ask(2, Flange_Closed=1)
    cell.order(Kind.RESET)
    cell.order(Kind.RESUME)
    cell.turn(5)
    assert cell.ticks == [0, 1, 2, 3, 4, 0] and cell.echoes[-1] == 1
    cell.ask(2, Flange_Closed=1)  # the controller tries again
    cell.turn(3)
    assert cell.ticks[-5:] == [0, 1, 2, 3, 4] and cell.echoes[-1] == 2


def test_a_restored_cell_shows_its_row_with_the_echo_of_now(cell):
    assert cell.order(Kind.SNAPSHOT).value == 1.0
    cell.ask(1)
    cell.turn(3)
    cell.order(Kind.RESTORE, 1.0)
    assert cell.ticks[-2:] == [4, 0] and cell.echoes[-1] == 1
    assert np.array_equal(cell.rows[-1], cell.rows[0])


def test_a_fault_in_a_cycle_ends_it_without_an_echo(exploding_cell):
    cell = LoopedCell(Cell.load(exploding_cell))
    cell.begin(mode=TimeMode.HANDSHAKE, cycle_ticks=1000)
    cell.ask(1)
    cell.turn(300)
    assert cell.link.vitals.state is LoopState.FAULT
    assert set(cell.echoes) == {0} and len(cell.ticks) < 1000
    assert cell.order(Kind.RESET) == DONE
    cell.ask(1)
    cell.turn(300)
    assert cell.link.vitals.state is LoopState.FAULT  # it was tried again


def test_a_fault_in_the_last_tick_of_a_cycle_leaves_no_echo_either(exploding_cell):
    broken = LoopedCell(Cell.load(exploding_cell)).begin()
    broken.turn(300)
    last = broken.ticks[-1]  # the tick of the fault
    cell = LoopedCell(Cell.load(exploding_cell))
    cell.begin(mode=TimeMode.HANDSHAKE, cycle_ticks=last)
    cell.ask(1)
    cell.turn(300)
    assert cell.link.vitals.state is LoopState.FAULT
    assert cell.ticks[-1] == last and set(cell.echoes) == {0}


# ---------------------------------------------------------------- changes of the mode


def test_a_running_cell_stands_still_in_handshake_and_goes_on_in_free_run(looped):
    looped.begin(timeline=False)
    looped.turn(5)
    assert mode(looped, TimeMode.HANDSHAKE) == DONE
    ticks = len(looped.ticks)
    looped.turn(5)
    assert len(looped.ticks) == ticks
    looped.ask(9)
    looped.turn(2)
    assert len(looped.ticks) == ticks + CYCLE_TICKS and looped.echoes[-1] == 9
    assert mode(looped, TimeMode.FREE_RUN) == DONE
    looped.turn(5)
    assert len(looped.ticks) == ticks + CYCLE_TICKS + 6
    assert looped.ticks == list(range(len(looped.ticks)))
    assert all(b > a for a, b in pairwise(looped.stamps))
    assert looped.echoes[-1] == 9


def test_the_length_of_a_cycle_can_be_changed_between_two(cell):
    cell.ask(1)
    assert mode(cell, TimeMode.HANDSHAKE, 7) == DONE
    cell.ask(2)
    cell.turn(3)
    assert cell.echoes == [0] * 4 + [1] * 7 + [2]
    assert cell.link.vitals["cycle_ticks"] == 7


def test_a_cycle_that_waits_is_not_lost_when_its_length_changes(cell):
    cell.order(Kind.PAUSE)
    cell.ask(1)
    mode(cell, TimeMode.HANDSHAKE, 2)
    cell.order(Kind.RESUME)
    cell.turn(3)
    assert cell.echoes == [0, 0, 1]


def test_counters_mean_nothing_outside_the_handshake(cell):
    cell.order(Kind.PAUSE)
    cell.ask(1, Flange_Closed=1)
    assert mode(cell, TimeMode.LOCK_STEP) == DONE
    cell.order(Kind.STEP, 3.0)
    assert cell.column("Flange.Closed") == [0, 1, 1, 1] and set(cell.echoes) == {0}


def test_lock_step_stands_still_whether_it_is_paused_or_not(looped):
    looped.begin(timeline=False, mode=TimeMode.LOCK_STEP)
    for order in (Kind.RESUME, Kind.PAUSE, Kind.RESUME):
        assert looped.order(order) == DONE
        looped.turn(5)
        assert looped.order(Kind.STEP, 2.0).result is Result.DONE
    assert looped.ticks == list(range(7))
    assert {b - a for a, b in pairwise(looped.stamps)} == {STEP}


def test_the_speed_is_kept_for_the_next_free_run(looped):
    looped.begin(timeline=False, mode=TimeMode.LOCK_STEP)
    assert looped.order(Kind.SPEED, 2.0) == DONE
    looped.order(Kind.STEP, 3.0)
    mode(looped, TimeMode.FREE_RUN)
    looped.turn(5)
    gaps = [b - a for a, b in pairwise(looped.stamps)]
    assert gaps[:3] == [STEP] * 3 and gaps[-3:] == [STEP // 2] * 3


def test_a_broken_cell_changes_no_mode(exploding_cell):
    cell = LoopedCell(Cell.load(exploding_cell)).begin()
    cell.turn(300)
    answer = mode(cell, TimeMode.LOCK_STEP)
    assert answer.result is Result.REFUSED and "grew beyond all bounds" in answer.text


# ---------------------------------------------------------------- after a restart, with a recorder


def test_another_loop_goes_on_with_the_echo_of_the_last(cell, small_cell):
    cell.ask(5)
    cell.turn(3)
    cell.ask(6)  # the first loop dies before it sees this
    again = LoopedCell(Cell.load(small_cell), cell.link)
    again.begin(timeline=False, mode=TimeMode.HANDSHAKE, cycle_ticks=CYCLE_TICKS)
    again.turn(3)
    assert again.ticks[-2:] == [4, 0] and again.echoes[-1] == 5
    again.ask(6)
    again.turn(3)
    assert again.ticks[-5:] == [0, 1, 2, 3, 4] and again.echoes[-1] == 6


@pytest.mark.parametrize("how", [TimeMode.HANDSHAKE, TimeMode.LOCK_STEP])
def test_a_stepped_cell_waits_for_its_recorder_and_loses_no_row(looped, how):
    ring, recorded = looped.link.ring, looped.link.recorded
    looped.begin(timeline=False, mode=how, cycle_ticks=10_000)
    recorded[0] = 0
    kept: list[np.ndarray] = []
    if how is TimeMode.HANDSHAKE:
        looped.ask(1)
        looped.ask(2)
    else:
        looped.link.orders.post(Kind.STEP, 10_000.0)
        looped.link.orders.post(Kind.STEP, 10_000.0)
    for _ in range(200):
        looped.turn(5)
        assert ring.written - recorded[0] <= ring.readable
        if ring.written - recorded[0] == ring.readable:  # a recorder as slow as can be
            rows = ring.read(int(recorded[0]), int(recorded[0]) + 5000)
            assert rows.first == recorded[0]
            kept.append(rows.values)
            recorded[0] += len(rows.values)
    kept.append(ring.read(int(recorded[0]), ring.written).values)
    ticks = np.concatenate(kept)[:, ring.tick_column]
    assert ticks.tolist() == list(range(20_001))


def test_a_recorder_that_has_gone_is_not_waited_for(looped):
    looped.begin(timeline=False, mode=TimeMode.LOCK_STEP)
    for _ in range(2):
        looped.order(Kind.STEP, 10_000.0)
    assert looped.ticks[-1] == 20_000


def test_in_free_run_nobody_is_waited_for(looped):
    looped.begin(timeline=False)
    looped.link.recorded[0] = 0
    looped.link.ring._arrays.written[0] = looped.link.ring.length
    rows = looped.link.ring.written
    looped.turn(5)
    assert looped.link.ring.written == rows + 5

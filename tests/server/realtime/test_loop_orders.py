"""Every order to the loop: what it does, when it is refused, and what a reader sees then."""

import math
from itertools import pairwise

import numpy as np
import pytest

from tests.server.realtime.looped_cell import LoopedCell
from twincell.server.realtime.cell_runner import LONGEST_WORK_NS
from twincell.server.realtime.orders import MOST_SNAPSHOTS, MOST_STEPS
from twincell.server.realtime.shared.command_queue import TIMELINE_OFF
from twincell.server.realtime.shared.order_box import Answer, Kind, Result
from twincell.server.realtime.shared.vitals import LoopState
from twincell.sim.cell import Cell

MS = 1_000_000
STEP = 10_000  # units of 100 ns between two stamps
DONE = Answer(Result.DONE, 0.0, "")


@pytest.fixture
def looped(small_cell):
    return LoopedCell(Cell.load(small_cell))


@pytest.fixture
def running(looped):
    looped.begin()
    looped.turn(9)  # ticks 0 to 9
    return looped


@pytest.fixture
def paused(running):
    assert running.order(Kind.PAUSE) == DONE
    return running


# ---------------------------------------------------------------- pause, resume


def test_a_paused_cell_runs_no_tick_but_gives_signs_of_life(paused):
    assert paused.link.vitals.state is LoopState.PAUSED
    paused.turn(30)
    assert paused.ticks == list(range(10))
    assert paused.link.vitals["beat_ns"] == paused.clock.now_ns


def test_a_resumed_cell_goes_on_at_the_next_tick_and_at_the_wall_clock(paused, small_cell):
    paused.clock.now_ns += 60_000 * MS
    assert paused.order(Kind.RESUME) == DONE
    assert paused.link.vitals.state is LoopState.RUNNING
    paused.turn(10)
    assert paused.rows.tobytes() == Cell.load(small_cell).run(21).tobytes()
    gaps = [b - a for a, b in pairwise(paused.stamps)]
    assert gaps[:9] == [STEP] * 9 and gaps[10:] == [STEP] * 10
    assert gaps[9] >= 60_000 * STEP
    assert paused.link.vitals["overruns"] == 0  # a pause is no lateness
    assert paused.link.vitals["worst_late_ns"] == 0


def test_pausing_a_paused_cell_and_resuming_a_running_one_changes_nothing(running):
    assert running.order(Kind.RESUME) == DONE
    assert {b - a for a, b in pairwise(running.stamps)} == {STEP}
    running.order(Kind.PAUSE)
    assert running.order(Kind.PAUSE) == DONE
    running.order(Kind.STEP, 1)
    assert {b - a for a, b in pairwise(running.stamps)} == {STEP}


# ---------------------------------------------------------------- step


def test_a_step_runs_so_many_ticks_and_answers_the_number_of_the_next(paused, small_cell):
    assert paused.order(Kind.STEP, 1) == Answer(Result.DONE, 11.0, "")
    assert paused.order(Kind.STEP, 150) == Answer(Result.DONE, 161.0, "")
    assert paused.rows.tobytes() == Cell.load(small_cell).run(161).tobytes()
    assert paused.link.vitals.state is LoopState.PAUSED


def test_steps_are_stamped_in_simulated_time_whenever_they_come(running):
    running.order(Kind.SPEED, 4.0)
    running.order(Kind.PAUSE)
    newest = running.link.ring.written - 1
    for _ in range(5):
        running.clock.now_ns += 1000 * MS
        running.order(Kind.STEP, 3)
    assert [b - a for a, b in pairwise(running.stamps[newest:])] == [STEP] * 15


def test_a_long_step_is_made_in_parts_between_which_the_loop_gives_signs_of_life(paused):
    paused.clock.look_ns = MS // 2  # each look at the clock, so each tick, takes so long
    number = paused.link.orders.post(Kind.STEP, 100.0)
    beats = []
    while paused.link.orders.answer_to(number) is None:
        paused.turn()
        beats.append(paused.link.vitals["beat_ns"])
    assert len(beats) > 5
    assert max(b - a for a, b in pairwise(beats)) <= LONGEST_WORK_NS + 2 * MS
    assert paused.link.orders.answer_to(number).value == 110.0


def test_orders_after_a_long_step_wait_for_it(paused):
    paused.clock.look_ns = MS
    step, resume = paused.link.orders.post(Kind.STEP, 50.0), paused.link.orders.post(Kind.RESUME)
    while paused.link.orders.answer_to(resume) is None:
        paused.turn()
    assert paused.link.orders.answer_to(step).value == 60.0


@pytest.mark.parametrize("ticks", [0, -1, 1.5, MOST_STEPS + 1, math.nan, math.inf])
def test_a_step_of_no_sensible_number_is_refused(paused, ticks):
    answer = paused.order(Kind.STEP, ticks)
    assert answer.result is Result.REFUSED and "from 1 to 10000" in answer.text
    assert paused.ticks == list(range(10))


def test_the_longest_step_is_done(paused):
    assert paused.order(Kind.STEP, MOST_STEPS).value == 10_010.0
    assert paused.ticks == list(range(10_010))


def test_a_running_cell_is_not_stepped(running):
    answer = running.order(Kind.STEP, 1)
    assert answer == Answer(Result.REFUSED, 0.0, "the cell is running: pause it first")


def test_each_step_latches_commands_and_keeps_pulses(paused):
    paused.link.commands.put([(TIMELINE_OFF, 1.0)])
    paused.write(Flange_Closed=True)
    paused.turn(5)  # without a tick
    paused.write(Flange_Closed=False)
    paused.turn(5)
    paused.order(Kind.STEP, 3)
    assert paused.column("Flange.Closed")[-4:] == [0, 1, 0, 0]


# ---------------------------------------------------------------- speed


def test_a_change_of_speed_begins_a_new_schedule(running):
    assert running.order(Kind.SPEED, 2.0) == DONE
    start_ns, first = running.clock.now_ns, running.link.ring.written - 1
    running.turn(100)
    assert running.clock.now_ns == start_ns + 50 * MS
    assert {b - a for a, b in pairwise(running.stamps[first:])} == {STEP // 2}
    assert min(b - a for a, b in pairwise(running.stamps)) >= STEP // 2
    assert running.link.vitals.speed == 2.0 and running.link.vitals["overruns"] == 0


@pytest.mark.parametrize("speed", [0.0, 0.009, -1.0, 100.1, math.nan, math.inf])
def test_a_speed_beyond_the_bounds_is_refused(running, speed):
    answer = running.order(Kind.SPEED, speed)
    assert answer.result is Result.REFUSED and "from 0.01 to 100" in answer.text
    assert running.link.vitals.speed == 1.0


def test_a_paused_cell_resumes_with_the_speed_it_was_given(paused):
    assert paused.order(Kind.SPEED, 10.0) == DONE
    paused.order(Kind.RESUME)
    start_ns = paused.clock.now_ns
    paused.turn(10)
    assert paused.clock.now_ns == start_ns + MS


# ---------------------------------------------------------------- reset


def test_a_reset_goes_back_to_the_start_and_the_timeline_plays_again(running, small_cell):
    running.turn(140)  # the flange has taken the tool
    assert running.order(Kind.RESET) == DONE
    running.turn(149)
    offline = Cell.load(small_cell).run(150)
    assert running.rows[-150:].tobytes() == offline.tobytes()
    assert running.ticks[-151:] == [149, *range(150)]
    assert all(b > a for a, b in pairwise(running.stamps))


def test_a_reset_forgets_commands_that_were_written_before_it(running):
    running.link.commands.put([(TIMELINE_OFF, 1.0)])
    running.turn()
    running.write(Flange_Closed=True)
    running.write(Flange_Closed=False)
    running.write(Flange_Closed=True)  # waits for the tick after the next but one
    running.order(Kind.RESET)
    running.turn(5)
    assert running.column("Flange.Closed")[-6:] == [0] * 6


def test_after_a_reset_a_timeline_that_was_ended_stays_so(running):
    running.write(Flange_Closed=False)
    running.link.commands.put([(TIMELINE_OFF, 1.0)])
    running.order(Kind.RESET)
    running.turn(150)
    assert not any(running.column("Flange.Closed"))
    assert running.link.vitals["timeline_on"] == 0


def test_a_paused_cell_shows_its_start_after_a_reset_and_stays_paused(paused, small_cell):
    paused.order(Kind.STEP, 200)
    assert paused.order(Kind.RESET) == DONE
    # at once, and it was not resumed
    assert paused.ticks[-1] == 0 and paused.link.vitals.state is LoopState.PAUSED
    paused.turn(5)
    assert paused.order(Kind.STEP, 4).value == 5.0
    assert paused.rows[-5:].tobytes() == Cell.load(small_cell).run(5).tobytes()


# ---------------------------------------------------------------- snapshot, restore


def test_a_restored_cell_runs_on_bit_for_bit_as_after_the_snapshot(paused):
    paused.order(Kind.STEP, 140)
    newest = paused.rows[-1].copy()
    assert paused.order(Kind.SNAPSHOT) == Answer(Result.DONE, 1.0, "")
    paused.order(Kind.STEP, 50)
    once = paused.rows[-50:].copy()
    paused.write(Flange_Closed=False)
    paused.order(Kind.STEP, 500)

    assert paused.order(Kind.RESTORE, 1) == DONE
    assert paused.ticks[-1] == 149 and (paused.rows[-1] == newest).all()  # as it was then
    assert paused.order(Kind.STEP, 50).value == 200.0
    assert paused.rows[-50:].tobytes() == once.tobytes()
    assert all(b > a for a, b in pairwise(paused.stamps))


def test_a_running_cell_goes_on_from_the_snapshot_at_once(running):
    running.turn(120)
    assert running.order(Kind.SNAPSHOT).value == 1.0
    tick = running.ticks[-1]  # its tick came right after the snapshot
    running.turn(50)
    once = running.rows[-51:].copy()
    assert running.order(Kind.RESTORE, 1) == DONE
    running.turn(50)
    assert running.ticks[-51:] == list(range(tick, tick + 51))
    assert running.rows[-51:].tobytes() == once.tobytes()


def test_a_snapshot_has_the_commands_that_were_written_before_it(paused):
    paused.link.commands.put([(TIMELINE_OFF, 1.0)])
    paused.write(Flange_Closed=True)
    paused.order(Kind.SNAPSHOT)
    paused.order(Kind.STEP, 1)
    paused.write(Flange_Closed=False)
    paused.order(Kind.STEP, 1)
    paused.order(Kind.RESTORE, 1)
    paused.order(Kind.STEP, 1)
    assert paused.column("Flange.Closed")[-4:] == [1, 0, 0, 1]


@pytest.mark.parametrize("number", [0, 2, -1, 1.5, math.nan])
def test_a_snapshot_that_was_never_made_is_unknown(paused, number):
    paused.order(Kind.SNAPSHOT)
    answer = paused.order(Kind.RESTORE, number)
    assert answer.result is Result.UNKNOWN and "there is no snapshot" in answer.text
    assert paused.ticks == list(range(10))


def test_of_too_many_snapshots_the_oldest_goes(paused):
    numbers = [paused.order(Kind.SNAPSHOT).value for _ in range(MOST_SNAPSHOTS + 1)]
    assert numbers == list(range(1, MOST_SNAPSHOTS + 2))
    assert paused.order(Kind.RESTORE, 1.0).result is Result.UNKNOWN
    for number in numbers[1:]:
        assert paused.order(Kind.RESTORE, number) == DONE


# ---------------------------------------------------------------- many at once


def test_orders_are_carried_out_in_the_order_they_came(running):
    kinds = [Kind.PAUSE, Kind.STEP, Kind.SNAPSHOT, Kind.RESUME, Kind.STEP]
    numbers = [running.link.orders.post(kind, 1.0) for kind in kinds]
    running.turn(10)
    answers = [running.link.orders.answer_to(number) for number in numbers]
    assert [answer.result for answer in answers] == [Result.DONE] * 4 + [Result.REFUSED]
    assert np.diff(running.ticks).tolist() == [1] * (len(running.ticks) - 1)

"""The loop, turn by turn: the same rows as offline, commands at their tick, signs of life."""

from itertools import pairwise

import numpy as np
import pytest

from tests.server.realtime.looped_cell import LoopedCell
from twincell.server.offline import time_of
from twincell.server.realtime.pace import LONGEST_LAG_NS
from twincell.server.realtime.shared.command_queue import TIMELINE_OFF
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind, Result
from twincell.server.realtime.shared.vitals import LoopState
from twincell.sim.cell import Cell

MS = 1_000_000
STEP = 10_000  # units of 100 ns between two stamps


@pytest.fixture
def looped(small_cell):
    return LoopedCell(Cell.load(small_cell))


def test_rows_are_those_of_an_offline_run_bit_for_bit(looped, small_cell):
    looped.begin()
    looped.turn(1199)  # past both entries of the timeline
    offline = Cell.load(small_cell).run(1200)
    assert looped.rows.tobytes() == np.ascontiguousarray(offline).tobytes()
    assert looped.ticks == list(range(1200))


@pytest.mark.parametrize("name", ["tool_change_single", "tool_change_multi"])
def test_rows_of_a_shipped_cell_are_those_of_an_offline_run_bit_for_bit(name):
    file = f"config/cells/{name}.toml"
    looped = LoopedCell(Cell.load(file)).begin()
    looped.turn(2999)  # several moves of robots begin in it
    offline = Cell.load(file).run(3000)
    assert looped.rows.tobytes() == np.ascontiguousarray(offline).tobytes()


def test_a_row_tells_its_tick_and_its_time(looped):
    looped.begin()
    looped.turn(20)
    ring = looped.link.ring
    rows = ring.read(0, 21)
    assert rows.values[:, ring.time_column].tolist() == [time_of(k, 0.001) for k in range(21)]
    assert rows.values[9, ring.time_column] == 0.009


def test_stamps_are_equally_spaced_and_lateness_stands_beside_them(looped):
    looped.begin()
    looped.clock.wakes_late_ns = 30_000
    looped.turn(50)
    assert {b - a for a, b in pairwise(looped.stamps)} == {STEP}
    assert looped.link.ring.lateness(50).tolist() == [30_000] * 50
    assert looped.link.vitals["worst_late_ns"] == 30_000


def test_a_command_takes_effect_at_the_tick_whose_row_shows_it(looped, small_cell):
    looped.begin(timeline=False)
    looped.turn(4)
    looped.write(Flange_Closed=True)
    looped.turn(5)
    offline = Cell.load(small_cell)
    offline.ignore_timeline()
    before = offline.run(5)
    offline["Flange.Closed"] = True
    expected = np.concatenate([before, offline.run(5)])
    assert looped.rows.tobytes() == np.ascontiguousarray(expected).tobytes()
    assert looped.column("Flange.Closed") == [0] * 5 + [1] * 5


def test_a_pulse_is_seen_by_one_tick(looped):
    looped.begin(timeline=False)
    looped.write(Flange_Closed=True)
    looped.write(Flange_Closed=False)
    looped.turn(3)
    assert looped.column("Flange.Closed") == [0, 1, 0, 0]


def test_the_timeline_plays_until_somebody_ends_it(looped):
    looped.begin()
    assert looped.link.vitals["timeline_on"] == 1
    looped.turn(110)
    assert looped.column("Flange.Closed")[99:102] == [0, 1, 1]
    looped.link.commands.put([(TIMELINE_OFF, 1.0)])
    looped.turn(1000)
    assert looped.link.vitals["timeline_on"] == 0
    assert looped.column("Flange.Closed")[-1] == 1  # the timeline would have opened it


def test_without_a_timeline_nobody_commands(looped):
    looped.begin(timeline=False)
    looped.turn(150)
    assert looped.link.vitals["timeline_on"] == 0 and not any(looped.column("Flange.Closed"))


def test_a_cell_without_a_timeline_says_so(exploding_cell):
    looped = LoopedCell(Cell.load(exploding_cell)).begin()
    assert looped.link.vitals["timeline_on"] == 0


def test_a_running_loop_shows_its_state_speed_and_signs_of_life(looped):
    vitals = looped.link.vitals
    assert vitals.state is LoopState.DOWN  # warming up is no sign of life
    assert looped.link.ring.written == 0
    looped.begin()
    assert vitals.state is LoopState.RUNNING and vitals.speed == 1.0
    assert looped.link.ring.written == 1
    for _ in range(5):
        looped.turn()
        assert vitals["beat_ns"] == looped.clock.now_ns


def test_a_slow_cell_still_gives_signs_of_life_and_hears_orders(small_cell):
    looped = LoopedCell(Cell.load(small_cell), speed=0.01).begin()
    start_ns = looped.clock.now_ns
    looped.turn(3)  # three sleeps, and the tick is not due yet
    assert looped.ticks == [0] and looped.link.vitals["beat_ns"] == looped.clock.now_ns
    assert looped.order(Kind.PAUSE).result is Result.DONE
    assert looped.ticks == [0] and looped.clock.now_ns < start_ns + 100 * MS


@pytest.mark.parametrize("speed", [0.5, 3.0, 100.0])
def test_speed_is_how_many_times_as_fast_as_the_clock(small_cell, speed):
    looped = LoopedCell(Cell.load(small_cell), speed=speed).begin()
    start_ns = looped.clock.now_ns
    looped.turn(300)
    assert looped.clock.now_ns == start_ns + round(300 * MS / speed)
    assert looped.stamps[-1] - looped.stamps[0] == round(300 * STEP / speed)
    assert looped.link.vitals.speed == speed


def test_overruns_are_counted_and_caught_up(looped):
    looped.begin()
    looped.turn(10)
    start_ns = looped.clock.now_ns
    looped.clock.now_ns += 5 * MS
    looped.turn(10)
    assert looped.clock.now_ns == start_ns + 10 * MS
    assert looped.link.vitals["overruns"] == 4  # the fifth ended just in time
    assert looped.link.vitals["slips"] == 0
    assert {b - a for a, b in pairwise(looped.stamps)} == {STEP}  # as if nothing had happened


def test_when_a_lag_is_given_up_the_stamps_go_back_to_the_wall_clock(looped):
    looped.begin()
    looped.turn(10)
    looped.clock.wakes_late_ns = LONGEST_LAG_NS + 7 * MS
    looped.turn()
    looped.clock.wakes_late_ns = 0
    looped.turn(9)
    vitals = looped.link.vitals
    assert (vitals["slips"], vitals["worst_late_ns"]) == (1, LONGEST_LAG_NS + 7 * MS)
    gaps = [b - a for a, b in pairwise(looped.stamps)]
    assert gaps == [STEP] * 10 + [58 * STEP] + [STEP] * 9
    assert looped.ticks == list(range(21))  # no tick is left out


def test_a_restarted_loop_begins_anew_and_goes_on_with_rows_stamps_and_counts(looped, small_cell):
    looped.begin()
    looped.turn(10)
    looped.link.vitals["overruns"] = 5
    looped.write(Flange_Closed=True)
    numbers = [looped.link.orders.post(kind) for kind in (Kind.PAUSE, Kind.RESET)]

    again = LoopedCell(Cell.load(small_cell), looped.link)  # its clock is ten ticks behind
    again.begin()
    again.turn(2)
    assert again.ticks == [*range(11), 0, 1, 2]
    assert {b - a for a, b in pairwise(again.stamps)} == {STEP}
    assert again.column("Flange.Closed") == [0] * 14  # written to the loop before
    assert again.link.vitals["overruns"] == 5
    for number in numbers:
        answer = again.link.orders.answer_to(number)
        assert (answer.result, answer.text) == (Result.REFUSED, "the loop was restarted")
    assert again.link.vitals.state is LoopState.RUNNING


def test_a_restarted_loop_does_not_forget_that_the_timeline_was_to_end(looped):
    looped.link.commands.put([(TIMELINE_OFF, 1.0)])
    looped.begin()
    assert looped.link.vitals["timeline_on"] == 0
    looped.turn(150)
    assert not any(looped.column("Flange.Closed"))


def test_a_cell_that_starts_paused_has_run_its_first_tick(looped, small_cell):
    looped.begin(paused=True)
    assert looped.link.vitals.state is LoopState.PAUSED
    looped.turn(20)
    assert looped.ticks == [0]
    assert looped.rows.tobytes() == Cell.load(small_cell).run(1).tobytes()
    assert looped.link.vitals["beat_ns"] == looped.clock.now_ns


def test_a_flood_of_equal_commands_does_not_fill_the_queue_of_a_paused_cell(looped):
    looped.begin(paused=True)
    for _ in range(100):
        looped.write(Flange_Closed=True)
        looped.turn()
    assert looped.link.commands.waiting == 0


def test_a_loop_told_to_end_ends_after_its_turn(looped):
    looped.begin()
    looped.loop.end()
    looped.loop.run()
    assert looped.ticks == [0]


def test_the_link_has_room_for_a_default_ring():
    assert Link(3).ring.length == 16_384

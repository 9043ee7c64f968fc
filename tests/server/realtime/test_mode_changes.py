"""Who moves simulated time can be changed while the cell runs."""

from itertools import pairwise

from tests.server.realtime.looped_cell import CYCLE_TICKS, LoopedCell
from twincell.server.realtime.shared.order_box import Answer, Kind, Result
from twincell.server.realtime.time_mode import TimeMode
from twincell.sim.cell import Cell

STEP = 10_000  # units of 100 ns between two stamps
DONE = Answer(Result.DONE, 0.0, "")


def test_a_running_cell_stands_still_in_handshake_and_goes_on_in_free_run(looped):
    looped.begin(timeline=False)
    looped.turn(5)
    assert looped.mode(TimeMode.HANDSHAKE) == DONE
    ticks = len(looped.ticks)
    looped.turn(5)
    assert len(looped.ticks) == ticks
    looped.ask(9)
    looped.turn(2)
    assert len(looped.ticks) == ticks + CYCLE_TICKS and looped.echoes[-1] == 9
    assert looped.mode(TimeMode.FREE_RUN) == DONE
    looped.turn(5)
    assert len(looped.ticks) == ticks + CYCLE_TICKS + 6
    assert looped.ticks == list(range(len(looped.ticks)))
    assert all(b > a for a, b in pairwise(looped.stamps))
    assert looped.echoes[-1] == 9


def test_the_length_of_a_cycle_can_be_changed_between_two(cell):
    cell.ask(1)
    assert cell.mode(TimeMode.HANDSHAKE, 7) == DONE
    cell.ask(2)
    cell.turn(3)
    assert cell.echoes == [0] * 4 + [1] * 7 + [2]
    assert cell.link.vitals["cycle_ticks"] == 7


def test_a_cycle_that_waits_is_not_lost_when_its_length_changes(cell):
    cell.order(Kind.PAUSE)
    cell.ask(1)
    cell.mode(TimeMode.HANDSHAKE, 2)
    cell.order(Kind.RESUME)
    cell.turn(3)
    assert cell.echoes == [0, 0, 1]


def test_counters_mean_nothing_outside_the_handshake(cell):
    cell.order(Kind.PAUSE)
    cell.ask(1, Flange_Closed=1)
    assert cell.mode(TimeMode.LOCK_STEP) == DONE
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
    looped.mode(TimeMode.FREE_RUN)
    looped.turn(5)
    gaps = [b - a for a, b in pairwise(looped.stamps)]
    assert gaps[:3] == [STEP] * 3 and gaps[-3:] == [STEP // 2] * 3


def test_a_broken_cell_changes_no_mode(exploding_cell):
    cell = LoopedCell(Cell.load(exploding_cell)).begin()
    cell.turn(300)
    answer = cell.mode(TimeMode.LOCK_STEP)
    assert answer.result is Result.REFUSED and "grew beyond all bounds" in answer.text

"""Orders, faults and restarts between the cycles of a handshake."""

import numpy as np

from tests.server.realtime.looped_cell import CYCLE_TICKS, LoopedCell
from twincell.server.realtime.shared.order_box import Answer, Kind, Result
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import TimeMode
from twincell.sim.cell import Cell

DONE = Answer(Result.DONE, 0.0, "")


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


def test_an_order_does_not_wait_for_all_counters_that_wait(cell):
    for counter in range(1, 301):
        cell.ask(counter)
    pause = cell.link.orders.post(Kind.PAUSE)
    cell.turn(2)
    assert cell.link.orders.answer_to(pause) == DONE
    assert cell.ticks == [0, 1, 2, 3, 4] and cell.echoes[-1] == 1
    cell.turn(5)
    assert len(cell.ticks) == 5
    cell.order(Kind.RESUME)
    cell.turn(300)
    assert len(cell.ticks) == 1 + 300 * CYCLE_TICKS and cell.echoes[-1] == 300


def test_an_order_at_a_cycle_at_hand_holds_the_next_one(looped):
    looped.begin(timeline=False, mode=TimeMode.HANDSHAKE, cycle_ticks=100)
    looped.clock.look_ns = 1_000_000  # a turn has time for five ticks
    looped.ask(1)
    looped.ask(2)
    looped.turn()
    assert 1 < len(looped.ticks) < 100
    assert looped.order(Kind.PAUSE) == DONE
    assert looped.ticks == list(range(101))


def test_a_counter_that_was_written_after_an_order_waits_for_its_answer(cell):
    cell.link.orders.post(Kind.RESET)
    cell.ask(1)
    cell.turn(3)
    assert cell.ticks == [0, 0]  # the reset has forgotten it
    cell.link.orders.post(Kind.SNAPSHOT)
    cell.ask(1)
    cell.turn(3)
    assert cell.order(Kind.RESTORE, 1.0) == DONE
    assert cell.ticks == [0, 0, 1, 2, 3, 4, 0]


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

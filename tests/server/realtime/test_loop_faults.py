"""A cell whose mechanics failed: it stops, says why, and goes on from a reset or a restore."""

import pytest

from tests.server.realtime.looped_cell import LoopedCell
from twincell.server.realtime.orders import DONE
from twincell.server.realtime.shared.order_box import Kind, Result
from twincell.server.realtime.shared.vitals import LoopState
from twincell.sim.cell import Cell


@pytest.fixture
def offline(exploding_cell):
    """Rows of the same cell until its fault."""
    cell = Cell.load(exploding_cell)
    return cell, cell.run(10_000)


@pytest.fixture
def faulted(exploding_cell):
    looped = LoopedCell(Cell.load(exploding_cell)).begin()
    for _ in range(10_000):
        if looped.link.vitals.state is LoopState.FAULT:
            return looped
        looped.turn()
    raise AssertionError("no fault")


def test_a_fault_stops_the_ticks_with_the_row_in_which_it_happened(faulted, offline):
    _, rows = offline
    faulted.turn(20)
    assert faulted.rows.tobytes() == rows.tobytes()
    assert faulted.link.vitals["beat_ns"] == faulted.clock.now_ns  # the loop itself lives


def test_a_fault_is_told_with_its_object_its_tick_and_its_time(faulted, offline):
    fault = offline[0].fault
    text = faulted.link.vitals.text("fault")
    at = f"at tick {fault.tick} (t = {fault.tick / 1000:g} s)"
    assert text == f"Bullet: its motion grew beyond all bounds {at}"


@pytest.mark.parametrize("kind", [Kind.PAUSE, Kind.RESUME, Kind.STEP, Kind.SNAPSHOT])
def test_an_order_that_needs_a_sound_cell_is_refused_with_the_fault(faulted, kind):
    answer = faulted.order(kind, 1)
    assert answer.result is Result.REFUSED
    assert answer.text == faulted.link.vitals.text("fault")
    assert faulted.link.vitals.state is LoopState.FAULT


def test_a_reset_clears_the_fault_and_runs_again(faulted, offline):
    n = len(offline[1])
    assert faulted.order(Kind.RESET) == DONE
    assert faulted.link.vitals.state is LoopState.RUNNING
    assert faulted.link.vitals.text("fault") == ""
    faulted.turn(n - 1)  # and into the same fault
    assert faulted.rows.tobytes() == 2 * offline[1].tobytes()
    assert faulted.link.vitals.state is LoopState.FAULT


def test_a_restore_clears_the_fault(exploding_cell, offline):
    looped = LoopedCell(Cell.load(exploding_cell)).begin(paused=True)
    looped.order(Kind.SNAPSHOT)
    answer = looped.order(Kind.STEP, 10_000)
    assert answer.result is Result.REFUSED and answer.text.startswith("Bullet:")
    assert looped.order(Kind.RESTORE, 1) == DONE
    assert looped.link.vitals.state is LoopState.PAUSED  # as it was before the fault
    assert looped.order(Kind.STEP, 1).value == 2.0
    assert looped.rows[-2:].tobytes() == offline[1][:2].tobytes()


def test_the_speed_can_be_set_during_a_fault(faulted):
    assert faulted.order(Kind.SPEED, 2.0) == DONE
    assert faulted.link.vitals.state is LoopState.FAULT
    assert faulted.order(Kind.RESET) == DONE
    start_ns = faulted.clock.now_ns
    faulted.turn()
    assert faulted.clock.now_ns == start_ns + 500_000


def test_a_cell_that_fails_in_its_first_tick_is_at_fault_from_the_start(exploding_cell, tmp_path):
    file = tmp_path / "at_once.toml"
    text = exploding_cell.read_text(encoding="utf-8")
    # with a step as long as this, one is enough
    coarse = text.replace("gravity", "step_s = 0.1\ngravity").replace("eta = 50", "eta = 5")
    file.write_text(coarse, encoding="utf-8")
    looped = LoopedCell(Cell.load(file)).begin()
    assert looped.link.vitals.state is LoopState.FAULT
    assert looped.ticks == [0]

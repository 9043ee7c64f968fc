"""A cell that is stepped waits for its recorder; in free run nobody is waited for."""

import numpy as np
import pytest

from tests.server.realtime.looped_cell import LoopedCell
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind, Result
from twincell.server.realtime.time_mode import TimeMode
from twincell.sim.cell import Cell


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


@pytest.fixture
def full(small_cell):
    """In lock step, with a snapshot of tick 0 and a ring full of rows for the recorder."""
    cell = Cell.load(small_cell)
    looped = LoopedCell(cell, Link(len(cell.signals), 512))
    looped.begin(timeline=False, mode=TimeMode.LOCK_STEP)
    looped.link.recorded[0] = 0
    looped.order(Kind.SNAPSHOT)
    looped.order(Kind.STEP, float(looped.link.ring.readable - 1))
    return looped


def test_a_restored_moment_is_shown_once_the_recorder_has_room_for_its_row(full):
    ring, recorded = full.link.ring, full.link.recorded
    restore = full.link.orders.post(Kind.RESTORE, 1.0)
    full.turn(20)
    assert ring.written == ring.readable and ring.read(0, 1).first == 0
    assert full.link.orders.answer_to(restore) is None
    recorded[0] = 1
    full.turn(2)
    assert ring.written == ring.readable + 1
    assert full.link.orders.answer_to(restore) is not None


def test_a_restore_that_nobody_waits_for_any_more_is_not_carried_out(full):
    rows = full.link.ring.written
    restore = full.link.orders.post(Kind.RESTORE, 1.0)
    full.turn(3)
    full.link.orders.withdraw(restore)
    full.link.recorded[0] = 100
    full.turn(3)
    assert full.link.orders.answer_to(restore).result is Result.REFUSED
    assert full.link.ring.written == rows

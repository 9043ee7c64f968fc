"""The ring of rows: complete, in order, and honest about what was overtaken."""

import multiprocessing
import os
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import (
    GUARD_ROWS,
    LEAST_ROWS,
    MOST_BYTES,
    MOST_ROWS,
    NOBODY_RECORDS,
    Ring,
    RingArrays,
    row_bytes,
    rows_for,
)

N_SIGNAL = 5
LENGTH = GUARD_ROWS + 50


@pytest.fixture
def ring():
    return Link(N_SIGNAL, LENGTH).ring


def append(ring, count=1):
    """Append rows in which every value tells the number of the row."""
    for _ in range(count):
        number = ring.written
        ring.next_row()[:] = number
        ring.append(number, float(number), number, number, number)


def test_the_ring_of_a_large_cell_has_fewer_rows_and_no_more_bytes():
    assert rows_for(1) == rows_for(2045) == MOST_ROWS
    for n_signal in (2046, 5000, 16_000):
        assert LEAST_ROWS < rows_for(n_signal) < MOST_ROWS
        unused = MOST_BYTES - rows_for(n_signal) * row_bytes(n_signal)
        assert 0 <= unused < row_bytes(n_signal)
    assert Link(5000).ring.length == rows_for(5000)


def test_the_largest_cell_still_keeps_two_seconds():
    assert rows_for(210_000) == LEAST_ROWS  # of 3000 objects


def test_an_empty_ring_has_no_newest_row(ring):
    assert ring.newest() is None and ring.written == 0 and ring.oldest == 0
    assert len(ring.read(0, 10).stamp) == 0 and len(ring.lateness(10)) == 0


def test_a_row_holds_the_signals_then_tick_time_and_echo(ring):
    ring.next_row()[0] = [1, 2, 3, 4, 5]
    ring.append(tick=70, time_s=0.07, stamp=999, late_ns=12, echo=8)
    newest = ring.newest()
    assert newest.values.tolist() == [[1, 2, 3, 4, 5, 70, 0.07, 8]]
    assert (newest.first, newest.stamp.tolist()) == (0, [999])
    assert (ring.tick_column, ring.time_column, ring.echo_column) == (5, 6, 7)
    assert ring.lateness(1).tolist() == [12]


def test_a_row_that_is_not_recorded_yet_can_be_read_until_there_is_no_room(ring):
    append(ring, ring.readable + 9)
    assert ring.has_room_for(NOBODY_RECORDS)
    assert ring.has_room_for(10) and ring.oldest <= 10
    append(ring)
    assert not ring.has_room_for(10) and ring.oldest == 10
    assert ring.has_room_for(11)


def test_a_row_is_not_visible_before_it_is_complete(ring):
    append(ring)
    ring.next_row()[:] = 77.0
    assert ring.written == 1 and ring.newest().values[0, 0] == 0.0


def test_rows_are_read_in_order_and_across_the_end_of_the_ring(ring):
    append(ring, 2 * LENGTH + 7)
    rows = ring.read(2 * LENGTH - 10, 2 * LENGTH + 5)
    assert rows.first == 2 * LENGTH - 10
    assert rows.stamp.tolist() == list(range(2 * LENGTH - 10, 2 * LENGTH + 5))
    assert (rows.values == rows.stamp[:, None]).all()


def test_some_columns_are_read_in_the_order_asked_for(ring):
    ring.next_row()[0] = [10, 11, 12, 13, 14]
    ring.append(3, 0.3, 1, 0)
    columns = np.array([ring.time_column, 4, 0])
    assert ring.read(0, 1, columns).values.tolist() == [[0.3, 14, 10]]


def test_a_reader_that_was_overtaken_gets_what_is_left_and_sees_where_it_begins(ring):
    append(ring, 3 * LENGTH)
    rows = ring.read(5, 3 * LENGTH)
    assert rows.first == ring.oldest == 2 * LENGTH + GUARD_ROWS
    assert rows.stamp.tolist() == list(range(rows.first, 3 * LENGTH))
    assert len(ring.read(5, 10).stamp) == 0  # all of it is gone


def test_rows_that_are_not_written_yet_are_left_out(ring):
    append(ring, 4)
    assert ring.read(2, 100).stamp.tolist() == [2, 3]
    assert len(ring.read(9, 12).stamp) == 0


def test_what_is_read_is_a_copy(ring):
    append(ring, LENGTH)
    rows = ring.read(LENGTH - 2, LENGTH)
    append(ring, LENGTH)
    assert rows.values[:, 0].tolist() == [LENGTH - 2, LENGTH - 1]


def test_lateness_is_that_of_the_newest_ticks(ring):
    append(ring, 2 * LENGTH)
    assert ring.lateness(3).tolist() == [2 * LENGTH - 3, 2 * LENGTH - 2, 2 * LENGTH - 1]
    assert len(ring.lateness(10 * LENGTH)) == LENGTH - GUARD_ROWS


class OvertakingRing(Ring):
    """A ring whose writer goes once around while the first copy is made."""

    overtakes = True

    def _copy(self, slots, columns):
        if self.overtakes:
            self.overtakes = False
            append(self, LENGTH)
        return super()._copy(slots, columns)


def test_a_copy_that_was_overtaken_is_made_again():
    arrays = (np.zeros((LENGTH, 7)), *(np.zeros(n, dtype=np.int64) for n in (LENGTH, LENGTH, 1)))
    ring = OvertakingRing(RingArrays(*arrays))
    append(ring, 10)
    rows = ring.read(0, 10)  # also the very first rows, whose slots come first around
    assert rows.first == ring.oldest or len(rows.stamp) == 0
    assert (rows.values == rows.stamp[:, None]).all()


# ---------------------------------------------------------------- from another process


def write_for_ever(ring):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        append(ring, 1000)


@pytest.fixture(scope="module")
def busy_ring():
    """A ring that another process writes to as fast as it can: a hundred thousand rows a second.

    Without guard rows, so that a reader of the oldest rows is overtaken nearly always.
    """
    ring = Link(200, LENGTH).ring
    forked = multiprocessing.get_context("fork")
    process = forked.Process(target=write_for_ever, args=(ring,), daemon=True)
    process.start()
    while ring.written < LENGTH:
        os.sched_yield()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("twincell.server.realtime.shared.ring.GUARD_ROWS", 1)
        yield ring
    process.kill()
    process.join()


@settings(deadline=None, max_examples=300)
@given(
    back=st.integers(0, LENGTH),
    count=st.integers(1, LENGTH),
    columns=st.none() | st.lists(st.integers(0, 201), min_size=1, max_size=50),
)
def test_a_reader_never_sees_a_torn_row(busy_ring, back, count, columns):
    first = busy_ring.written - back
    asked = None if columns is None else np.array(columns)
    rows = busy_ring.read(first, first + count, asked)
    assert rows.first >= first and rows.first + len(rows.stamp) <= max(first + count, rows.first)
    assert rows.stamp.tolist() == list(range(rows.first, rows.first + len(rows.stamp)))
    assert (rows.values == rows.stamp[:, None]).all()

"""The journal: what happened between ticks, for whoever reads in time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.server.realtime.looped_cell import LoopedCell
from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.array_bytes import pack_arrays, unpack_arrays
from twincell.server.realtime.shared.journal import ENTRIES, Entry
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind
from twincell.sim.cell import Cell

shapes = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)
floats = arrays.arrays(np.float64, shapes)
ints = arrays.arrays(np.int64, shapes)


@pytest.fixture
def book():
    return Link(1, 512).journal


def test_entries_are_read_as_they_were_written(book):
    book.write(3, 2, journal.MOVE, 1.0, b"plan")
    book.write(4, 3, journal.RESET)
    entries = [Entry(3, 2, "move", 1.0, b"plan"), Entry(4, 3, "reset", 0.0, b"")]
    assert book.read(0) == (0, entries)
    assert book.read(1) == (1, entries[1:])
    assert book.read(2) == (2, [])


def test_who_is_overtaken_learns_which_entries_are_left(book):
    for number in range(ENTRIES + 10):
        book.write(number, number, "step")
    first, entries = book.read(0)
    # the oldest one left is next to be written over, so it is not trusted any more
    assert first == 11
    assert [entry.row for entry in entries] == list(range(11, ENTRIES + 10))


def test_a_payload_around_the_end_of_the_ring_stays_whole(monkeypatch):
    monkeypatch.setattr(journal, "BYTES", 64)
    book = Link(1, 512).journal
    for number in range(20):
        payload = bytes([number]) * 30
        book.write(number, number, "move", payload=payload)
        assert book.read(number)[1][-1].payload == payload
    # of the older ones only those count whose bytes are still there
    assert [entry.row for entry in book.read(0)[1]] == [18, 19]


def test_a_payload_larger_than_the_ring_is_left_out(monkeypatch):
    monkeypatch.setattr(journal, "BYTES", 64)
    book = Link(1, 512).journal
    book.write(0, 0, "state", payload=bytes(65))
    assert book.read(0)[1][0].payload == b""


class Killed(BaseException):
    """Ends a loop at once."""


def test_a_loop_killed_while_it_writes_leaves_no_hole(book, monkeypatch):
    def killed(*_):
        raise Killed

    book.write(1, 1, "reset", payload=b"one")
    with monkeypatch.context() as patch:
        patch.setattr(journal, "_places", killed)
        with pytest.raises(Killed):
            book.write(2, 2, "move", payload=b"never")
    assert [entry.row for entry in book.read(0)[1]] == [1]
    book.write(3, 0, "begin", payload=b"next")
    assert book.read(0) == (0, [Entry(1, 1, "reset", 0, b"one"), Entry(3, 0, "begin", 0, b"next")])


def test_a_journal_says_when_it_fills_up(book):
    assert not book.is_filling(0, 0)
    for number in range(600):
        book.write(number, number, "pause")
    assert book.is_filling(0, 0)
    assert not book.is_filling(book.written, book.payload_bytes)
    for number in range(4):
        book.write(number, number, "state", payload=bytes(700_000))
    assert book.is_filling(book.written, 0)


@given(st.dictionaries(st.text(max_size=20), floats | ints, max_size=4))
def test_arrays_come_back_bit_by_bit(given_arrays):
    found = unpack_arrays(pack_arrays(given_arrays))
    assert list(found) == list(given_arrays)
    for name, array in given_arrays.items():
        assert found[name].dtype.kind == array.dtype.kind
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("data", [b"", b"\x01\0\0\0", b"\x01\0\0\0\x01ax\x01\1\0\0\0"])
def test_other_bytes_are_no_arrays(data):
    with pytest.raises(ValueError, match="no arrays"):
        unpack_arrays(data)


def noted(cell: LoopedCell) -> list[tuple[int, int, str, float]]:
    return [entry[:4] for entry in cell.link.journal.read(0)[1]]


@pytest.fixture
def cell(small_cell):
    return LoopedCell(Cell.load(small_cell))


def test_the_loop_notes_its_start_and_orders_but_not_steps(cell):
    cell.begin()
    cell.turn(5)
    assert cell.order(Kind.PAUSE)
    cell.order(Kind.STEP, 3)
    cell.order(Kind.SPEED, 2.0)
    cell.order(Kind.RESET)
    rows = cell.link.ring.written
    names = [(kind, argument) for _, _, kind, argument in noted(cell)]
    assert names == [("begin", 1.0), ("pause", 0.0), ("speed", 2.0), ("reset", 0.0)]
    assert noted(cell)[0][:2] == (0, 0)
    assert noted(cell)[-1][0] == rows - 1  # the row after it


def test_an_order_that_is_refused_is_not_noted(cell):
    cell.begin()
    cell.order(Kind.SPEED, -1.0)
    assert [kind for _, _, kind, _ in noted(cell)] == ["begin"]


def test_the_first_command_from_outside_notes_the_end_of_the_timeline(cell):
    cell.begin()
    cell.turn(3)
    cell.link.commands.put([(-1, 1.0)])
    cell.turn()
    row, tick, kind, _ = noted(cell)[-1]
    assert (kind, row, tick) == ("timeline off", 4, 4)


def test_a_loop_without_the_timeline_says_so_at_once(cell):
    cell.begin(timeline=False)
    assert [entry[2] for entry in noted(cell)] == ["begin", "timeline off"]


def test_a_fault_is_noted_with_its_reason(exploding_cell):
    cell = LoopedCell(Cell.load(exploding_cell)).begin()
    cell.turn(200)
    last = cell.link.journal.read(0)[1][-1]
    assert last.kind == journal.FAULT
    assert last.row == cell.link.ring.written - 1
    assert b"grew beyond all bounds" in last.payload

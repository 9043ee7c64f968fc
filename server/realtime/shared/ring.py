"""The last rows of the cell, shared between processes: one writer, any number of readers.

Row number n (counted from 0, through resets and restarts) lies in slot n mod length. The writer
fills a slot and only then counts it as written; so a reader takes complete rows, and knows from
the count alone which of them may have been overwritten while it copied. This counts on stores
becoming visible in their order, which x86-64 guarantees.

A row has one column a signal, then the tick, the simulated time and the echo of the controller's
cycle counter, so that these three are read and sampled like any signal. Beside the rows stand
their source time and, as diagnostics, how late the tick began.

The writer waits for no reader, with one exception: a cell that is stepped waits for its recorder
before it would overwrite a row that this one has not taken yet.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_ROWS = 16_384  # 16 s at 1 kHz
LEAST_ROWS = 2_048  # 2 s at 1 kHz, for a reader that another process keeps waiting; chosen
MOST_BYTES = (
    256 * 2**20
)  # of rows, unless LEAST_ROWS need more; 2045 signals have MOST_ROWS; chosen
GUARD_ROWS = 256  # oldest rows that readers leave alone: time to copy before the writer is there
EXTRA_COLUMNS = 3  # after the signals: tick, time, echo
NOBODY_RECORDS = -1  # in place of the number of the first row that is not recorded yet


class RingArrays(NamedTuple):
    """The memory of a ring."""

    rows: Floats  # signals, tick, time [s], echo                   (length, n_signal + 3)
    stamp: Ints  # source time: 100 ns since 1601, as OPC UA counts  (length,)
    late_ns: Ints  # start of the tick after its deadline            (length,)
    written: Ints  # how many rows there have been                   (1,)


class Rows(NamedTuple):
    """A part of the ring: row numbers `first` to `first + len(stamp) - 1`."""

    first: int
    values: Floats  # (n, columns asked for)
    stamp: Ints  # (n,)


class Row(NamedTuple):
    """One row."""

    values: Floats  # (columns,)
    stamp: int


def row_bytes(n_signal: int) -> int:
    """Memory of a row, without what stands beside it."""
    return np.dtype(np.float64).itemsize * (n_signal + EXTRA_COLUMNS)


def rows_for(n_signal: int) -> int:
    """How many rows the ring of a cell has: fewer, the more signals a row has."""
    return max(LEAST_ROWS, min(MOST_ROWS, MOST_BYTES // row_bytes(n_signal)))


class Ring:
    """The newest rows of a running cell."""

    def __init__(self, arrays: RingArrays) -> None:
        self._arrays = arrays
        self.length = len(arrays.rows)
        columns = arrays.rows.shape[1]
        self.n_signal = columns - EXTRA_COLUMNS
        self.tick_column = self.n_signal
        self.time_column = self.n_signal + 1
        self.echo_column = self.n_signal + 2

    @property
    def written(self) -> int:
        """Number of rows so far, which is the number of the next row."""
        return int(self._arrays.written[0])

    @property
    def readable(self) -> int:
        """How many rows can be read once the ring is full."""
        return self.length - GUARD_ROWS

    @property
    def oldest(self) -> int:
        """Number of the oldest row that can be read."""
        return max(0, self.written - self.readable)

    def has_room_for(self, recorded: int) -> bool:
        """Whether row number `recorded` can still be read after the next row."""
        return recorded == NOBODY_RECORDS or self.written - recorded < self.readable

    def next_row(self) -> Floats:
        """Where the next row's signals go: shape (1, n_signal), not yet visible to readers."""
        slot = self.written % self.length
        return self._arrays.rows[slot : slot + 1, : self.n_signal]

    def append(self, tick: int, time_s: float, stamp: int, late_ns: int, echo: int = 0) -> None:
        """Make the row that `next_row` gave visible."""
        arrays = self._arrays
        number = int(arrays.written[0])
        slot = number % self.length
        arrays.rows[slot, self.n_signal] = tick
        arrays.rows[slot, self.n_signal + 1] = time_s
        arrays.rows[slot, self.n_signal + 2] = echo
        arrays.stamp[slot] = stamp
        arrays.late_ns[slot] = late_ns
        arrays.written[0] = number + 1

    def newest(self) -> Rows | None:
        """The newest row, all columns; None before the first tick."""
        last = self.written
        return self.read(last - 1, last) if last else None

    @property
    def time_s(self) -> float:
        """Simulated time of the newest row; 0 before the first tick."""
        newest = self.newest()
        return float(newest.values[0, self.time_column]) if newest else 0.0

    def read(self, first: int, end: int, columns: Ints | None = None) -> Rows:
        """Copy rows `first` to `end - 1`, or what is left of them; all columns, or some."""
        while True:
            first = max(first, self.oldest)
            end = max(min(end, self.written), first)
            values = np.concatenate([self._copy(part, columns) for part in self._slots(first, end)])
            stamp = np.concatenate([self._arrays.stamp[part] for part in self._slots(first, end)])
            if first > self.written - self.length:  # the slot being written is not among them
                return Rows(first, values, stamp)

    def lateness(self, count: int) -> Ints:
        """How late the newest ticks began [ns]."""
        return self.lateness_since(self.written - count)[1]

    def lateness_since(self, first: int) -> tuple[int, Ints]:
        """The number of the next row; how late ticks began [ns], from row `first` on if left."""
        end = self.written
        first = max(first, self.oldest)
        slots = self._slots(first, end)
        return end, np.concatenate([self._arrays.late_ns[part] for part in slots])

    def _copy(self, slots: slice, columns: Ints | None) -> Floats:
        rows = self._arrays.rows[slots]
        return rows.copy() if columns is None else rows.take(columns, axis=1)

    def _slots(self, first: int, end: int) -> list[slice]:
        """Where a range of rows lies: one piece, or two around the end of the ring."""
        start, stop = first % self.length, first % self.length + (end - first)
        if stop <= self.length:
            return [slice(start, stop)]
        return [slice(start, self.length), slice(0, stop - self.length)]

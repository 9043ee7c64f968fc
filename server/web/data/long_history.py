"""The last minutes of all signals: of each tenth of a second the least and the greatest value.

The ring of the cell holds some seconds, at the full rate. What goes through it is gathered here, so
that a trend goes back ten minutes, and a peak of one tick is in it.
"""

import asyncio

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Floats
from twincell.server.web.data.history import HEADER, since_reset, thinned

BLOCK_S = 0.1  # of simulated time that one least and greatest value stand for; chosen
LONGEST_S = 600.0
MOST_BYTES = 64_000_000  # of memory; a cell of 1300 signals has its ten minutes; chosen
LOOK_S = 0.5

Singles = npt.NDArray[np.float32]


class LongHistory:
    """Gathers, and answers how it was."""

    def __init__(self, link: Link, step_s: float, n_signal: int) -> None:
        self._link = link
        self._rows = max(1, round(BLOCK_S / step_s))  # of a block
        self._block_s = self._rows * step_s
        wanted = round(LONGEST_S / self._block_s)
        self._length = max(1, min(wanted, MOST_BYTES // (2 * 4 * max(n_signal, 1))))
        self._columns = np.arange(n_signal, dtype=np.int64)
        self._least: Singles = np.zeros((self._length, n_signal), dtype=np.float32)
        self._greatest = self._least.copy()
        self._time: Floats = np.zeros(self._length)
        self._next = link.ring.written  # row
        self._count = 0  # blocks so far

    async def run(self) -> None:
        """Gather for ever."""
        while True:
            self.gather()
            await asyncio.sleep(LOOK_S)

    def gather(self) -> None:
        """Take what has been written since the last time, in whole blocks."""
        ring = self._link.ring
        self._next = max(self._next, ring.oldest)
        while ring.written - self._next >= self._rows:
            rows = ring.read(self._next, self._next + self._rows)
            self._next += self._rows
            if not len(rows.values):
                continue  # overtaken: this process hung for as long as the ring is
            place = self._count % self._length
            values = rows.values[:, self._columns]
            self._least[place], self._greatest[place] = values.min(axis=0), values.max(axis=0)
            self._time[place] = rows.values[0, ring.time_column]
            self._count += 1

    def span(self, columns: list[int], from_s: float, points: int) -> bytes:
        """The time since some seconds ago, as `history.span` gives it."""
        kept = min(self._count, self._length, round(from_s / self._block_s))
        places = np.arange(self._count - kept, self._count) % self._length
        least, greatest = (
            table[places][:, columns].astype(np.float64) for table in (self._least, self._greatest)
        )
        values = since_reset(zigzag(self._time[places], least, greatest))
        values = thinned(values, points)
        return HEADER.pack(*values.shape) + values.T.astype("<f8").tobytes()


def zigzag(times: Floats, least: Floats, greatest: Floats) -> Floats:
    """Two points for each block, in the order that goes on to the next one; times stand first."""
    if not len(times):
        return np.empty((0, least.shape[1] + 1))
    middle = 0.5 * (least + greatest)
    rises = np.vstack([middle[1:] >= middle[:-1], np.ones((1, least.shape[1]), dtype=bool)])
    first, second = np.where(rises, least, greatest), np.where(rises, greatest, least)
    halves = np.append(np.diff(times), 0.0).clip(min=0.0) / 2
    early, late = np.column_stack([times, first]), np.column_stack([times + halves, second])
    return np.stack([early, late], axis=1).reshape(-1, least.shape[1] + 1)

"""Curves for a plot: each cut into time slices of which only the least and greatest value is kept.

A picture has some two thousand columns of pixels. Keeping both extremes of every slice draws the
same picture as keeping every value, peaks included. When the slices run out, neighbours are folded
together: a run of any length needs the same memory, and a short one is kept in full.
"""

import numpy as np
from numpy.typing import NDArray

from twincell.server.offline import Rows
from twincell.sim.signals import Signal

N_SLICES = 4096  # chosen: at least half are in use, one for each column of pixels of our plots


class Curves:
    """Some signals of a run, ready to be drawn."""

    def __init__(self, signals: list[Signal], step_s: float) -> None:
        self._columns = [signal.column for signal in signals]
        self._place = {signal.name: index for index, signal in enumerate(signals)}
        self._ticks_per_slice = 1
        self._least = np.full((N_SLICES, len(signals)), np.nan)
        self._greatest = np.full((N_SLICES, len(signals)), np.nan)
        self._step_s = step_s
        self._tick = 0

    def __contains__(self, name: str) -> bool:
        return name in self._place

    def append(self, rows: Rows) -> None:
        if len(rows) == 0:
            return
        while self._tick + len(rows) > N_SLICES * self._ticks_per_slice:
            self._fold()

        slice_of_row = (self._tick + np.arange(len(rows))) // self._ticks_per_slice
        first, last = slice_of_row[0], slice_of_row[-1]
        starts = np.searchsorted(slice_of_row, np.arange(first, last + 1))
        values = rows[:, self._columns]

        # the first slice may have been begun by the chunk before; fmin and fmax pass over NaN
        touched = slice(first, last + 1)
        least, greatest = np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)
        self._least[touched] = np.fmin(self._least[touched], least)
        self._greatest[touched] = np.fmax(self._greatest[touched], greatest)
        self._tick += len(rows)

    def curve(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times and values of a signal, both extremes of each slice one after the other."""
        n_slices = -(-self._tick // self._ticks_per_slice)
        least = self._least[:n_slices, self._place[name]]
        greatest = self._greatest[:n_slices, self._place[name]]
        times = np.arange(n_slices, dtype=np.float64) * (self._ticks_per_slice * self._step_s)
        if self._ticks_per_slice == 1:
            return times, least

        # a rising curve passes its least value first, a falling one its greatest
        rising = np.diff(least + greatest, prepend=0.0) > 0
        pairs = np.where(rising, (least, greatest), (greatest, least))
        return np.repeat(times, 2), pairs.T.ravel()

    def peak(self, name: str) -> float:
        """Greatest magnitude of a signal; 0 if it never had a value."""
        place = self._place[name]
        extremes = np.abs([self._least[:, place], self._greatest[:, place]])
        return float(np.nanmax(extremes, initial=0.0))

    def _fold(self) -> None:
        """Make one slice of every two, so that half of them are free again."""
        half = N_SLICES // 2
        self._least[:half] = np.fmin(self._least[0::2], self._least[1::2])
        self._greatest[:half] = np.fmax(self._greatest[0::2], self._greatest[1::2])
        self._least[half:] = np.nan
        self._greatest[half:] = np.nan
        self._ticks_per_slice *= 2

"""Compares two recordings of a cell, row by row.

    |a - b| <= absolute + relative · max(|a|, |b|)      equal; without tolerances: equal bits

Both begin where the later one does, by the tick, and are compared for as long as both go on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.shared.ring import Floats, Ints

Part = tuple[Ints, Floats]  # ticks, and values of the signals that are compared


@dataclass(frozen=True)
class FirstDeviation:
    """Where two recordings part."""

    tick: int
    signal: str
    one: float
    other: float


@dataclass
class Worst:
    """The greatest deviation of a signal."""

    signal: str
    deviation: float = 0.0
    tick: int = 0
    count: int = 0  # rows in which it deviates


class Comparison:
    """What two recordings have in common, and where they differ."""

    def __init__(self, names: Sequence[str], absolute: float, relative: float) -> None:
        self._names = names
        self._absolute, self._relative = absolute, relative
        self.rows = 0  # compared
        self.only_in_one = self.only_in_other = 0  # rows at the end
        self.first: FirstDeviation | None = None
        self._worst = [Worst(name) for name in names]

    @property
    def worst(self) -> list[Worst]:
        """Signals that deviate, the one that does so most first."""
        deviating = [worst for worst in self._worst if worst.count]
        return sorted(deviating, key=lambda worst: -worst.deviation)

    def run(self, one: Iterator[Part], other: Iterator[Part]) -> None:
        """Go through both; begin where both have a row of the same tick."""
        left, right = _Stream(one), _Stream(other)
        while left.fill() and right.fill() and left.ticks[0] != right.ticks[0]:
            behind, ahead = (left, right) if left.ticks[0] < right.ticks[0] else (right, left)
            behind.drop(int(np.count_nonzero(behind.ticks < ahead.ticks[0])) or 1)
        while left.fill() and right.fill():
            count = min(len(left.ticks), len(right.ticks))
            self._compare(left, right, count)
            left.drop(count)
            right.drop(count)
        self.only_in_one, self.only_in_other = left.rest(), right.rest()

    def _compare(self, left: "_Stream", right: "_Stream", count: int) -> None:
        ticks, a, b = left.ticks[:count], left.values[:count], right.values[:count]
        jumps = ticks != right.ticks[:count]
        deviates = self._deviates(a, b)
        self.rows += count
        if self.first is None and (jumps.any() or deviates.any()):
            row = int(np.argmax(jumps | deviates.any(axis=1)))
            if jumps[row]:
                other = float(right.ticks[row])
                self.first = FirstDeviation(int(ticks[row]), "tick", float(ticks[row]), other)
            else:
                column = int(np.argmax(deviates[row]))
                values = float(a[row, column]), float(b[row, column])
                self.first = FirstDeviation(int(ticks[row]), self._names[column], *values)
        for column in np.flatnonzero(deviates.any(axis=0)).tolist():
            rows = np.flatnonzero(deviates[:, column])
            with np.errstate(invalid="ignore"):
                size = np.nan_to_num(np.abs(a[rows, column] - b[rows, column]), nan=np.inf)
            k, worst = int(np.argmax(size)), self._worst[column]
            worst.count += len(rows)
            if size[k] > worst.deviation or worst.count == len(rows):
                worst.deviation, worst.tick = float(size[k]), int(ticks[rows[k]])

    def _deviates(self, a: Floats, b: Floats) -> npt.NDArray[np.bool_]:
        different: npt.NDArray[np.bool_] = a.view(np.int64) != b.view(np.int64)
        if self._absolute or self._relative:
            with np.errstate(invalid="ignore"):
                bound = self._absolute + self._relative * np.maximum(np.abs(a), np.abs(b))
                close = (np.abs(a - b) <= bound) | (a == b) | (np.isnan(a) & np.isnan(b))
            different = different & ~close
        return different


class _Stream:
    """The rows of a recording, as far as they were not used yet."""

    def __init__(self, parts: Iterator[Part]) -> None:
        self._parts = parts
        self.ticks: Ints = np.empty(0, dtype=np.int64)
        self.values: Floats = np.empty((0, 0))

    def fill(self) -> bool:
        """See to it that there is a row; False at the end."""
        while not len(self.ticks):
            part = next(self._parts, None)
            if part is None:
                return False
            self.ticks, self.values = part
        return True

    def drop(self, count: int) -> None:
        self.ticks, self.values = self.ticks[count:], self.values[count:]

    def rest(self) -> int:
        """How many rows there still are."""
        return len(self.ticks) + sum(len(ticks) for ticks, _ in self._parts)

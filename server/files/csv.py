"""A run as CSV: the time and every signal, one line a tick.

Numbers are written so that reading them gives the same bits; Booleans are 0 and 1, texts are texts.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from twincell.server.files.atomic import blamed
from twincell.server.offline import Rows, time_of
from twincell.sim.signals import Kind, Signal, SignalTable


class CsvFile:
    """A CSV file that grows by chunks of rows; `known_as` is what its errors call it."""

    def __init__(self, path: Path, known_as: Path, signals: SignalTable, step_s: float) -> None:
        self._known_as = known_as
        self._signals = signals
        self._step_s = step_s
        self._tick = 0
        with blamed(known_as):
            self._file = path.open("w", encoding="utf-8", newline="")
            self._lines = csv.writer(self._file, lineterminator="\n")
            self._lines.writerow(["time", *(signal.name for signal in signals)])

    def append(self, rows: Rows, ticks: Sequence[int] | None = None) -> None:
        """Add rows: of these ticks, or of those that follow the last ones."""
        if ticks is None:
            ticks = range(self._tick, self._tick + len(rows))
        times = (time_of(tick, self._step_s) for tick in ticks)
        columns = (_as_written(signal, rows[:, signal.column].tolist()) for signal in self._signals)
        with blamed(self._known_as):
            self._lines.writerows(zip(times, *columns, strict=True))
        self._tick += len(rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        with blamed(self._known_as):
            self._file.close()  # writes what is still in the buffer


def _as_written(signal: Signal, numbers: list[float]) -> Iterable[float | int | str]:
    """A column of numbers as a reader expects it."""
    if signal.kind is Kind.DOUBLE:
        return numbers
    if signal.kind is Kind.STRING:
        return [signal.texts[int(number)] for number in numbers]
    return [int(number) for number in numbers]

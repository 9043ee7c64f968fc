"""What a cell told since it began: the value of every signal in every tick.

A server reports changes only. A tick's stamp is the same for all values of that tick, so the value
of a signal in a tick is the last one reported with a stamp not later than the tick's.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from twincell.server.kit.catalogue import Catalogue, Kind, SignalFacts
from twincell.server.kit.samples import Floats, Ints, Samples, SamplesLost

TICK, TIME = "Simulation.Tick", "Simulation.Time"  # the clock: they change in every tick

Value = bool | int | float | str


@dataclass(frozen=True)
class Trace:
    """One signal, tick by tick."""

    signal: SignalFacts
    tick: Ints
    time_s: Floats
    numbers: Floats  # a Boolean is 0 or 1, a text its place in `texts`
    texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: int) -> Value:
        """Value in the tick at a place; -1 is the newest."""
        return self.value(float(self.numbers[place]))

    def value(self, number: float) -> Value:
        """What a number of this trace means."""
        if self.signal.kind is Kind.BOOLEAN:
            return bool(number)
        if self.signal.kind is Kind.TEXT:
            return self.texts[int(number)]
        return int(number) if self.signal.kind is Kind.WHOLE else number

    @property
    def values(self) -> npt.NDArray[np.generic]:
        """All values: Booleans, numbers or texts."""
        if self.signal.kind is Kind.TEXT:
            return np.array(self.texts)[self.numbers.astype(int)]
        return self.numbers.astype(
            {Kind.BOOLEAN: bool, Kind.WHOLE: int}.get(self.signal.kind, float)
        )

    @property
    def changes(self) -> Ints:
        """Places of the first tick and of every tick with another value than the one before."""
        differs = np.flatnonzero(np.diff(self.numbers)) + 1
        return np.concatenate([[0], differs]) if len(self) else np.array([], dtype=np.int64)

    def at(self, time_s: float) -> Value:
        """Value at a simulated time: that of the tick then, or of the last one before."""
        place = int(np.searchsorted(self.time_s, time_s + 1e-9, side="right")) - 1
        return self[max(place, 0)]

    def between(self, from_s: float, to_s: float) -> "Trace":
        """The part of it between two simulated times."""
        first, end = np.searchsorted(self.time_s, [from_s - 1e-9, to_s + 1e-9])
        return self.part(int(first), int(end))

    def part(self, first: int, end: int | None = None) -> "Trace":
        """The part of it from one place to before another."""
        part = slice(first, end)
        return Trace(
            self.signal, self.tick[part], self.time_s[part], self.numbers[part], self.texts
        )


class Traces:
    """All that was told, and from which tick on it counts: whenever time goes back, from there.

    One thread brings samples, another one looks at them.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        n_signal = len(catalogue)
        self._stamps: list[list[Ints]] = [[] for _ in range(n_signal)]
        self._values: list[list[Floats]] = [[] for _ in range(n_signal)]
        self._texts: dict[str, int] = {}
        self._tick_handle = catalogue.handle(TICK)
        self._time_handle = catalogue.handle(TIME)
        self._first_stamp = 0  # of the tick from which on the traces count
        self._newest = (-1, 0.0, 0)  # tick, simulated time, stamp
        self._lock = threading.Lock()

    def code_of(self, text: str) -> int:
        """The number that stands for a text."""
        return self._texts.setdefault(text, len(self._texts))

    def take(self, arrived: Iterable[Samples]) -> None:
        """Put samples to those of their signals."""
        with self._lock:
            for samples in arrived:
                order = np.argsort(samples.handle, kind="stable")
                handles, starts = np.unique(samples.handle[order], return_index=True)
                stamps = np.split(samples.stamp[order], starts[1:])
                values = np.split(samples.value[order], starts[1:])
                for handle, stamp, value in zip(handles.tolist(), stamps, values, strict=True):
                    self._stamps[handle].append(stamp)
                    self._values[handle].append(value)
            if self._values[self._tick_handle]:
                tick = int(self._values[self._tick_handle][-1][-1])
                time_s = float(self._values[self._time_handle][-1][-1])
                self._newest = tick, time_s, int(self._stamps[self._tick_handle][-1][-1])

    @property
    def newest_tick(self) -> int:
        """Number of the newest tick; -1 before there is one."""
        return self._newest[0]

    @property
    def newest_time_s(self) -> float:
        """Its simulated time."""
        return self._newest[1]

    @property
    def newest_stamp(self) -> int:
        """Its stamp, which always grows."""
        return self._newest[2]

    def start_after(self, stamp: int) -> int:
        """Stamp of the newest tick 0 behind a stamp; 0 if there is none yet."""
        with self._lock:
            stamps, ticks = self._joined(self._tick_handle)
            starts = stamps[(stamps > stamp) & (ticks == 0)]
            return int(starts[-1]) if len(starts) else 0

    def forget_all_before(self, stamp: int) -> None:
        """Let the traces begin with the tick of this stamp."""
        with self._lock:
            self._first_stamp = stamp
            for handle in range(len(self._stamps)):
                stamps, values = self._joined(handle)
                # the value that holds in that tick may have been told before it
                first = max(int(np.searchsorted(stamps, stamp, side="right")) - 1, 0)
                self._stamps[handle], self._values[handle] = [stamps[first:]], [values[first:]]

    def traces(self, names: Iterable[str]) -> list[Trace]:
        """Some signals in every tick, all of the same ticks; raises SamplesLost at a gap."""
        with self._lock:
            stamps, ticks, times = self._clock()
            texts = tuple(self._texts)
            return [
                Trace(self._catalogue[name], ticks, times, self._filled(name, stamps), texts)
                for name in names
            ]

    def _clock(self) -> tuple[Ints, Ints, Floats]:
        """Stamp, number and simulated time of every tick."""
        stamps, ticks = self._joined(self._tick_handle)
        _, times = self._joined(self._time_handle)
        first = int(np.searchsorted(stamps, self._first_stamp))
        went_back = np.flatnonzero(np.diff(ticks[first:]) <= 0)
        if len(went_back):
            first += int(went_back[-1]) + 1
            self._first_stamp = int(stamps[first])
        numbers = ticks[first:].astype(np.int64)
        gaps = np.flatnonzero(np.diff(numbers) != 1)
        if len(gaps):
            gap = f"between tick {numbers[gaps[0]]} and tick {numbers[gaps[0] + 1]}"
            raise SamplesLost(f"samples were lost {gap}")
        return stamps[first:], numbers, times[first:]

    def _filled(self, name: str, stamps: Ints) -> Floats:
        """The values of a signal at the ticks of the clock: each holds until the next change."""
        told, values = self._joined(self._catalogue.handle(name))
        place = np.searchsorted(told, stamps, side="right") - 1
        return values[np.maximum(place, 0)]

    def _joined(self, handle: int) -> tuple[Ints, Floats]:
        """All samples of a signal as one piece, which they stay."""
        if len(self._stamps[handle]) != 1:
            none: tuple[Ints, Floats] = np.zeros(0, dtype=np.int64), np.zeros(0)
            self._stamps[handle] = [np.concatenate([none[0], *self._stamps[handle]])]
            self._values[handle] = [np.concatenate([none[1], *self._values[handle]])]
        return self._stamps[handle][0], self._values[handle][0]

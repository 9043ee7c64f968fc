"""Golden traces: how signals went in a run that was found good, to compare later runs with.

A file is small and readable: of the ticks it keeps those between which a straight line is off by
no more than a tenth of the tolerance, found by the swinging door: a line from the last kept tick
may swing as long as it passes all ticks since within that error.

    |value - golden| ≤ abs + rel · greatest |golden|        in every tick, for numbers
    value = golden                                          for Booleans, whole numbers and texts

With a shift s, golden is what it was at any tick of ± s: a PLC's cycle is not always the same.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from twincell.server.files.atomic import blamed, whole_file
from twincell.server.kit.catalogue import Kind
from twincell.server.kit.conditions import Bools, shown
from twincell.server.kit.samples import Floats
from twincell.server.kit.traces import Trace
from twincell.sim.spec.problems import number

FILE_SHARE = 0.1  # of the tolerance, for what the file leaves out


class GoldenDiffers(AssertionError):
    """A run differs from its golden trace, or there is none; the text says where."""


@dataclass(frozen=True)
class Tolerance:
    """How far a run may be from its golden trace."""

    abs: float = 0.0
    rel: float = 0.0  # of the greatest magnitude of the golden trace
    shift_s: float = 0.0

    def of(self, golden: Floats) -> float:
        """The tolerance of one signal."""
        return self.abs + self.rel * float(np.max(np.abs(golden), initial=0.0))


@dataclass(frozen=True)
class Goldens:
    """Where the golden traces of a test are, and whether they are to be written."""

    folder: Path
    update: bool

    def check(self, name: str, traces: Sequence[Trace], tolerance: Tolerance) -> None:
        """Compare with the file, or write it when that was asked for."""
        if not re.fullmatch(r"[\w .-]+", name) or name.startswith("."):
            hint = "letters, digits, spaces, '-', '_' and '.', such as lift"
            raise ValueError(f"{name!r} is no name of a golden trace\n  hint: {hint}")
        path = self.folder / f"{name}.csv"
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, traces, tolerance)
        elif not path.exists():
            hint = "run this test once with --twincell-update-goldens, and look at the file"
            raise GoldenDiffers(f"there is no golden trace {path}\n  hint: {hint}")
        else:
            compare(path, traces, tolerance)


def write(path: Path, traces: Sequence[Trace], tolerance: Tolerance) -> None:
    """Write the ticks of traces that matter."""
    kept = np.zeros(len(traces[0]), dtype=bool)
    kept[[0, -1]] = True
    for trace in traces:
        if trace.signal.kind is Kind.NUMBER:
            error = FILE_SHARE * tolerance.of(trace.numbers)
            kept |= _swinging_door(trace.time_s, trace.numbers, error)
        else:
            kept[trace.changes] = True
    with whole_file(path) as hidden, blamed(path), hidden.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["tick", "time", *(trace.signal.name for trace in traces)])
        for place in np.flatnonzero(kept).tolist():
            values = [shown_exactly(trace[place]) for trace in traces]
            time_s = number(float(traces[0].time_s[place]))
            lines.writerow([int(traces[0].tick[place]), time_s, *values])


def shown_exactly(value: object) -> str:
    """A value so that reading it gives the same bits."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def compare(path: Path, traces: Sequence[Trace], tolerance: Tolerance) -> None:
    """Raise GoldenDiffers unless all traces are as in the file."""
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    columns = {name: [row[place] for row in rows] for place, name in enumerate(head)}
    names = [trace.signal.name for trace in traces]
    if missing := [name for name in names if name not in columns]:
        hint = "if it is to be compared as well: --twincell-update-goldens"
        raise GoldenDiffers(f"{path}: has no {', '.join(missing)}\n  hint: {hint}")
    ticks = np.array(columns["tick"], dtype=np.int64)
    shift = round(tolerance.shift_s / _step_s(traces[0]))
    newest = int(traces[0].tick[-1])
    if abs(int(ticks[-1]) - newest) > shift:
        raise GoldenDiffers(f"{path}: ends at tick {ticks[-1]}, this run at tick {newest}")
    problems = [_problem(trace, ticks, columns[trace.signal.name], tolerance) for trace in traces]
    if found := [problem for problem in problems if problem]:
        hint = "if the new one is right: --twincell-update-goldens"
        raise GoldenDiffers("\n".join([f"{path}: this run differs", *found, f"  hint: {hint}"]))


def _problem(trace: Trace, ticks: np.ndarray, texts: list[str], tolerance: Tolerance) -> str:
    """Where a trace first leaves the golden one, and where it is farthest from it."""
    shift = round(tolerance.shift_s / _step_s(trace))
    unit = f" {trace.signal.unit}" if trace.signal.unit else ""
    if trace.signal.kind is Kind.NUMBER:
        golden = np.interp(trace.tick, ticks, np.array(texts, dtype=float))
        allowed = tolerance.of(golden)
        low, high = (f(golden, 2 * shift + 1) for f in (minimum_filter1d, maximum_filter1d))
        off = np.maximum(low - trace.numbers, trace.numbers - high)
        wrong = np.flatnonzero(~(off <= allowed))
        if not len(wrong):
            return ""
        first, worst = int(wrong[0]), int(np.argmax(off))
        return (
            f"  {trace.signal.name}: from {trace.time_s[first]:.3f} s on:"
            f" {shown(float(trace.numbers[first]), unit)} instead of"
            f" {shown(float(golden[first]), unit)}; farthest off at {trace.time_s[worst]:.3f} s:"
            f" by {shown(float(off[worst]), unit)}, allowed {shown(allowed, unit)}"
        )
    then = np.array(texts)[np.searchsorted(ticks, trace.tick, side="right") - 1]
    now = np.array([shown_exactly(trace.value(one)) for one in trace.numbers])
    wrong = np.flatnonzero(~_same_within(now, then, shift))
    if not len(wrong):
        return ""
    first = int(wrong[0])
    seen = f"{str(now[first])!r} instead of {str(then[first])!r}"
    return f"  {trace.signal.name}: at {trace.time_s[first]:.3f} s: {seen}"


def _same_within(now: np.ndarray, then: np.ndarray, shift: int) -> Bools:
    """Where a value is what the golden one was, some ticks earlier or later."""
    same = np.zeros(len(now), dtype=bool)
    for value in np.unique(now):
        near = maximum_filter1d((then == value).astype(np.int8), 2 * shift + 1)
        same |= (now == value) & (near > 0)
    return same


def _step_s(trace: Trace) -> float:
    """Simulated time of one tick."""
    return float(trace.time_s[1] - trace.time_s[0]) if len(trace) > 1 else 1.0


def _swinging_door(times: Floats, values: Floats, error: float) -> Bools:
    """Which points to keep so that lines between them are off by no more than an error."""
    kept = np.zeros(len(values), dtype=bool)
    kept[[0, -1]] = True
    at, steepest, flattest = 0, np.inf, -np.inf
    time_list, value_list = times.tolist(), values.tolist()
    for place in range(1, len(values)):
        way = time_list[place] - time_list[at]
        rise = value_list[place] - value_list[at]
        slope = rise / way
        if flattest <= slope <= steepest:
            steepest = min(steepest, (rise + error) / way)
            flattest = max(flattest, (rise - error) / way)
            continue
        # the line cannot pass all points: it ends at the one before, and a new one begins there
        at = place - 1
        kept[at] = True
        way, rise = time_list[place] - time_list[at], value_list[place] - value_list[at]
        steepest, flattest = (rise + error) / way, (rise - error) / way
    return kept

"""The picture of a scenario as SVG: signals over simulated time, steps and failures marked.

Booleans and texts are lanes, numbers are curves with the bounds they were checked against; the
forces on an object share a panel. Colours come from the page, so that it can be light or dark.
"""

import math
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from twincell.server.kit.catalogue import Kind
from twincell.server.kit.conditions import shown
from twincell.server.kit.samples import Floats
from twincell.server.kit.scenario_result import Outcome, ScenarioResult
from twincell.server.kit.scenario_run import conditions
from twincell.server.kit.traces import Trace

WIDTH, LEFT, RIGHT = 1056.0, 56.0, 12.0
INNER = WIDTH - LEFT - RIGHT
HEAD, AXIS = 26.0, 30.0  # above the first panel: the numbers of the steps; below the last: time
TITLE, LANE, PANEL, GAP = 20.0, 18.0, 84.0, 12.0
COLUMNS = 700  # of a curve: each keeps its least and greatest value
COLOURS = 6
LETTER = 6.2  # width of a letter in a lane; measured
GREATEST = 1e100  # chosen: far beyond all physics, and nothing that is worked out here overflows
TICKS = 8  # on the time axis, about


def plot(result: ScenarioResult) -> str:
    """All panels of a scenario below each other."""
    if not result.traces or len(result.traces[0]) < 2:
        return ""
    picture = _Picture(result)
    panels = list(picture.panels())  # they decide how high it becomes
    height = picture.y + AXIS
    head = f'<svg class="plot" viewBox="0 0 {WIDTH:g} {height:g}" role="img"'
    label = f' aria-label="signals of {escape(result.scenario.name)}">'
    drawn = [*picture.time_axis(), *panels, *picture.steps()]
    return "".join([head, label, *drawn, "</svg>"])


class _Picture:
    """Grows downwards, panel by panel."""

    def __init__(self, result: ScenarioResult) -> None:
        self._result = result
        self._times = result.traces[0].time_s - result.start_s
        self._end_s = max(float(self._times[-1]), 1e-6)
        self._bounds = _bounds(result)
        self.y = HEAD

    def panels(self) -> Iterator[str]:
        """Lanes first, then forces, then everything else."""
        traces = self._result.traces
        for trace in traces:
            if trace.signal.kind is not Kind.NUMBER:
                yield from self._lane(trace)
        for title, group in _groups([one for one in traces if _is_force(one)]).items():
            yield from self._curves(f"{title}.Force", group)
        for trace in traces:
            if trace.signal.kind is Kind.NUMBER and not _is_force(trace):
                yield from self._curves(trace.signal.name, [trace])

    def _x(self, time_s: float) -> float:
        return LEFT + INNER * time_s / self._end_s

    def _lane(self, trace: Trace) -> Iterator[str]:
        """A bar for each time that a signal had one value."""
        yield _text(LEFT, self.y + 13, trace.signal.name, "title")
        self.y += TITLE
        places = trace.changes.tolist()
        codes = sorted({trace.numbers[place] for place in places})
        for first, following in zip(places, [*places[1:], None], strict=True):
            from_s = float(self._times[first])
            to_s = self._end_s if following is None else float(self._times[following])
            value, width = trace[first], INNER * (to_s - from_s) / self._end_s
            is_off = value in (False, 0, "")
            shade = codes.index(trace.numbers[first]) if trace.signal.kind is Kind.TEXT else 0
            colour = "off" if is_off else f"f{shade % COLOURS}"
            x = self._x(from_s)
            yield _rect(f"lane {colour}", x, self.y, max(width, 1.0), LANE)
            words = "" if is_off else shown(value).strip('"')
            if words and width > LETTER * len(words) + 10:
                yield _text(x + 6, self.y + 13, words, "lane-text")
        self.y += LANE + GAP

    def _curves(self, title: str, traces: Sequence[Trace]) -> Iterator[str]:
        """Curves that share a panel, their unit, and the bounds they were checked against."""
        unit = traces[0].signal.unit
        yield _text(LEFT, self.y + 13, f"{title} [{unit}]" if unit else title, "title")
        if len(traces) > 1:
            for place, trace in enumerate(traces):
                x = WIDTH - RIGHT - 26 * (len(traces) - place) + 8
                yield _text(x, self.y + 13, trace.signal.name[-1], f"title f{place % COLOURS}")
        self.y += TITLE
        bounds = [bound for trace in traces for bound in self._bounds.get(trace.signal.name, ())]
        low, high = _span(traces, bounds)
        yield _rect("frame", LEFT, self.y, INNER, PANEL)
        for value in _ticks(low, high, 3):
            yield _level("grid", self._y(value, low, high))
            yield _text(LEFT - 6, self._y(value, low, high) + 4, f"{value:g}", "", "end")
        if low < 0 < high:
            yield _level("zero", self._y(0.0, low, high))
        for bound in bounds:
            yield _level("bound", self._y(bound, low, high))
        for place, trace in enumerate(traces):
            for times, values in _pieces(self._times, trace.numbers):
                points = [
                    f"{self._x(time_s):.1f},{self._y(value, low, high):.1f}"
                    for time_s, value in zip(*_thinned(times, values), strict=True)
                ]
                yield f'<polyline class="curve s{place % COLOURS}" points="{" ".join(points)}"/>'
        self.y += PANEL + GAP

    def _y(self, value: float, low: float, high: float) -> float:
        return self.y + PANEL * (high - value) / (high - low)

    def time_axis(self) -> Iterator[str]:
        """Lines through all panels, and their times below."""
        for time_s in _ticks(0.0, self._end_s, TICKS):
            x = self._x(time_s)
            yield _line("grid", x, HEAD, x, self.y)
            yield _text(x, self.y + 14, f"{time_s:g}", "", "middle")
        yield _text(WIDTH - RIGHT, self.y + 27, "simulated time [s]", "", "end")

    def steps(self) -> Iterator[str]:
        """Where each step began, by its number, and where a check failed."""
        free = -math.inf
        for number, step in enumerate(self._result.steps, 1):
            if step.outcome is Outcome.NOT_RUN:
                continue
            x = self._x(min(step.begun_s, self._end_s))
            yield _line("begin", x, HEAD - 8, x, self.y)
            at = max(x, free + 17)  # steps that begin together stand side by side
            free = at
            yield f'<circle class="knob" cx="{at:.1f}" cy="10" r="8"/>' + _text(
                at, 13.5, str(number), "number"
            )
        for step, check in self._result.failures:
            x = self._x(min(max(check.at_s, 0.0), self._end_s))
            yield _line("wrong", x, HEAD - 4, x, self.y)
            what = escape(f"{step.name}: {check.signal} {check.seen}")
            arrow = f"M{x - 6:.1f} {HEAD - 12:g} h12 l-6 10 z"
            yield f'<path class="knob bad" d="{arrow}"><title>{what}</title></path>'


def _bounds(result: ScenarioResult) -> dict[str, set[float]]:
    """The bounds that each signal was checked against."""
    scenario = result.scenario
    tables = [scenario.never, *(t for s in scenario.step for t in (s.when, s.expect, s.never))]
    found: dict[str, set[float]] = {}
    for table in tables:
        for condition in conditions(table):
            found.setdefault(condition.signal, set()).update(condition.bounds)
    return found


def _is_force(trace: Trace) -> bool:
    return ".Force." in trace.signal.name


def _groups(traces: Sequence[Trace]) -> dict[str, list[Trace]]:
    """Forces by their objects; objects that felt nothing are left out."""
    groups: dict[str, list[Trace]] = {}
    for trace in traces:
        groups.setdefault(trace.signal.name.partition(".")[0], []).append(trace)
    return {
        name: sorted(group, key=lambda one: one.signal.name)
        for name, group in groups.items()
        if any(one.numbers.any() for one in group)
    }


def _span(traces: Sequence[Trace], bounds: Sequence[float]) -> tuple[float, float]:
    """From where to where a panel reaches: all values, and bounds that are not far away."""
    values = np.concatenate([trace.numbers for trace in traces])
    values = values[np.abs(values) < GREATEST]
    low, high = (float(np.min(values)), float(np.max(values))) if len(values) else (0.0, 0.0)
    reach = max(high - low, 1e-3 * max(abs(high), abs(low))) or 1.0
    near = [bound for bound in bounds if low - 2 * reach <= bound <= high + 2 * reach]
    low, high = min([low, *near]), max([high, *near])
    room = 0.12 * max(high - low, reach)
    return low - room, high + room


def _pieces(times: Floats, values: Floats) -> Iterator[tuple[Floats, Floats]]:
    """The parts of a curve that can be drawn: NaN, inf and what is as good as that are gaps."""
    drawn = np.abs(values) < GREATEST
    cuts = np.flatnonzero(np.diff(drawn)) + 1
    for part in np.split(np.arange(len(values)), cuts):
        if drawn[part[0]]:
            yield times[part], values[part]


def _thinned(times: Floats, values: Floats) -> tuple[list[float], list[float]]:
    """As many points as the picture can show: least and greatest of each column."""
    if len(values) <= 2 * COLUMNS:
        return times.tolist(), values.tolist()
    parts = np.array_split(np.arange(len(values)), COLUMNS)
    kept = sorted({int(part[f(values[part])]) for part in parts for f in (np.argmin, np.argmax)})
    kept = sorted({0, *kept, len(values) - 1})
    return times[kept].tolist(), values[kept].tolist()


def _ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers between two values, about as many as wanted."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * one for one in (1, 2, 2.5, 5, 10) if power * one >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _text(x: float, y: float, words: str, class_: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{class_}" {place}>{escape(words)}</text>'


def _rect(class_: str, x: float, y: float, width: float, height: float) -> str:
    size = f'width="{width:.1f}" height="{height:g}" rx="3"'
    return f'<rect class="{class_}" x="{x:.1f}" y="{y:g}" {size}/>'


def _line(class_: str, x1: float, y1: float, x2: float, y2: float) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line class="{class_}" {ends}/>'


def _level(class_: str, y: float) -> str:
    """A line across a panel."""
    return _line(class_, LEFT, y, WIDTH - RIGHT, y)

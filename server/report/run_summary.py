"""What happened to the constrained objects in a run: who caught them when, and with which force.

It is read off the rows while they pass, from `<object>.Partner`, `<object>.Force.X/Y/Z` and
`<surface>.ContactForce.X/Y/Z`. Of a cell that chatters only the first events are kept; the rest is
counted. What happened to robots is told by `robots.py`, to devices by `devices.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from twincell.server.offline import Rows, time_of
from twincell.server.report.devices import DeviceWatch, watch_devices
from twincell.server.report.robots import RobotWatch
from twincell.server.report.summary_text import Hold
from twincell.sim.signals import SignalTable
from twincell.sim.spec import CellSpec
from twincell.sim.spec.robot_model import ModelJoint

MOST_EVENTS = 1000  # chosen: an object with more is not read any more, it is debugged
AROUND_S = 0.5  # chosen: before and after an event; longer than usual transitions


@dataclass
class Event:
    """A constrained object changes its partner; "" stands for none."""

    object: str
    at_s: float
    before: str
    after: str
    peak_n: float  # greatest force within AROUND_S of it, but not beyond the events next to it

    def __str__(self) -> str:
        if not self.before:
            return f"caught by {self.after}"
        if not self.after:
            return f"released by {self.before}"
        return f"handed over from {self.before} to {self.after}"


@dataclass
class Peak:
    """The greatest force on an object in a run."""

    object: str
    force_n: float = 0.0
    at_s: float = 0.0


class ForceWatch:
    """The greatest force on one object, by the constraints or by contact."""

    def __init__(
        self, name: str, signals: SignalTable, step_s: float, quantity: str = "Force"
    ) -> None:
        self.peak = Peak(name)
        self._columns = [signals[f"{name}.{quantity}.{axis}"].column for axis in "XYZ"]
        self._step_s = step_s

    def norm(self, rows: Rows) -> NDArray[np.float64]:
        norm: NDArray[np.float64] = np.linalg.norm(rows[:, self._columns], axis=1)
        return norm

    def append(self, first_tick: int, norm: NDArray[np.float64]) -> None:
        row = int(np.argmax(norm))
        if norm[row] > self.peak.force_n:
            self.peak.force_n = float(norm[row])
            self.peak.at_s = time_of(first_tick + row, self._step_s)


class PartnerWatch:
    """The partners of one constrained object, and the force around each change."""

    def __init__(self, name: str, signals: SignalTable, step_s: float) -> None:
        self.force = ForceWatch(name, signals, step_s)
        self.events: list[Event] = []
        self.events_left_out = 0
        self._first_left_out_s: float | None = None  # from then on its partners are not known
        self._name = name
        self._partner = signals[f"{name}.Partner"]
        self._step_s = step_s
        self._around = max(1, round(AROUND_S / step_s))  # in ticks
        self._code = float(self._partner.texts.index(""))  # partner in the last row seen
        self._recent = np.zeros(0)  # forces since the last event, of the last ticks before a chunk
        self._ticks_to_watch = 0  # how long the last event's peak may still come

    def append(self, first_tick: int, rows: Rows) -> None:
        norm = self.force.norm(rows)
        self.force.append(first_tick, norm)
        codes = np.concatenate([[self._code], rows[:, self._partner.column]])
        changes = np.flatnonzero(np.diff(codes)).tolist()

        # what comes before the first change belongs to the last event of the chunk before
        self._watch(norm[: changes[0] if changes else len(norm)])
        for start, end in pairwise([*changes, len(norm)]):
            self._note(first_tick + start, codes[start], codes[start + 1])
            self._watch(norm[start:end])
        self._code = codes[-1]

    def holds(self, end_s: float) -> list[Hold]:
        """When it was held by whom, up to the end of the run or of what is known."""
        if not self.events:
            return []
        last_s = end_s if self._first_left_out_s is None else self._first_left_out_s
        ends = [*(later.at_s for _, later in pairwise(self.events)), last_s]
        return [
            Hold(event.after, event.at_s, to_s)
            for event, to_s in zip(self.events, ends, strict=True)
            if event.after
        ]

    def _note(self, tick: int, before: float, after: float) -> None:
        """An event; its peak so far is that of the moments before it."""
        peak = float(self._recent.max(initial=0.0))
        self._recent = self._recent[:0]
        if len(self.events) >= MOST_EVENTS:
            if self._first_left_out_s is None:
                self._first_left_out_s = time_of(tick, self._step_s)
            self.events_left_out += 1
            self._ticks_to_watch = 0
            return
        event = Event(
            self._name,
            time_of(tick, self._step_s),
            str(self._partner.value(before)),
            str(self._partner.value(after)),
            peak,
        )
        self.events.append(event)
        self._ticks_to_watch = self._around

    def _watch(self, norm: NDArray[np.float64]) -> None:
        """Forces after the last event; they are also the forces before the next one."""
        still = norm[: self._ticks_to_watch]
        if len(still):
            event = self.events[-1]
            event.peak_n = max(event.peak_n, float(still.max()))
            self._ticks_to_watch -= len(still)
        self._recent = np.concatenate([self._recent, norm])[-self._around :]


class RunSummary:
    """All objects, robots and devices of a cell, watched through a run."""

    def __init__(
        self,
        constrained: list[str],
        collision: list[str],
        robots: Mapping[str, Sequence[ModelJoint]],
        signals: SignalTable,
        step_s: float,
        devices: Mapping[str, Mapping[str, DeviceWatch]] | None = None,
        surfaces: Sequence[str] = (),
    ) -> None:
        self.constrained = {name: PartnerWatch(name, signals, step_s) for name in constrained}
        self.collision = {name: ForceWatch(name, signals, step_s) for name in collision}
        self.robots = {
            name: RobotWatch(name, joints, signals, step_s) for name, joints in robots.items()
        }
        self.devices = devices or {}  # kind by kind
        self.surfaces = {
            name: ForceWatch(name, signals, step_s, "ContactForce") for name in surfaces
        }
        self._tick = 0

    def append(self, rows: Rows) -> None:
        for partner_watch in self.constrained.values():
            partner_watch.append(self._tick, rows)
        for force_watch in (*self.collision.values(), *self.surfaces.values()):
            force_watch.append(self._tick, force_watch.norm(rows))
        for robot_watch in self.robots.values():
            robot_watch.append(self._tick, rows)
        for watches in self.devices.values():
            for device_watch in watches.values():
                device_watch.append(self._tick, rows)
        self._tick += len(rows)

    @property
    def objects(self) -> list[str]:
        return [*self.constrained, *self.collision]

    @property
    def events(self) -> list[Event]:
        """Object by object, each in the order of time."""
        return [event for watch in self.constrained.values() for event in watch.events]

    @property
    def events_left_out(self) -> int:
        return sum(watch.events_left_out for watch in self.constrained.values())

    @property
    def peaks(self) -> list[Peak]:
        watches = [watch.force for watch in self.constrained.values()]
        watches += [*self.collision.values(), *self.surfaces.values()]
        return [watch.peak for watch in watches]


def story_of(spec: CellSpec, signals: SignalTable, step_s: float) -> RunSummary:
    """The summary of a cell, ready for its first rows."""
    robots = {name: spec.robot_models[name].axes for name in spec.robot}
    collision = list(spec.collision_object)
    devices = watch_devices(spec, signals, step_s)
    constrained, surfaces = list(spec.constrained_object), list(spec.surface)
    return RunSummary(constrained, collision, robots, signals, step_s, devices, surfaces)

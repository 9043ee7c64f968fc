"""A recording as the page shows it: its scene, its frames, its signals, what happened when.

A browser holds all frames of a recording, so dragging the slider needs no server. The values of all
signals stay here, one row a frame, with the least and the greatest value until the next one: so a
trend loses no peak. Of a long recording there are fewer frames a second.
"""

import asyncio
import secrets
import struct
from collections import OrderedDict
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from twincell.server.client.mistake import Mistake
from twincell.server.realtime.shared.ring import Floats, Ints
from twincell.server.realtime.stamps import UNIT_NS, UNITS_1601_TO_1970
from twincell.server.recording.rebuilt_cell import NotBuilt, rebuilt
from twincell.server.recording.recording import Event, Fault, NoRecording, Recording, Rows
from twincell.server.web.data import history
from twincell.server.web.data.event_kinds import SERIOUS, kind_of, level_of
from twincell.server.web.data.long_history import Singles, zigzag
from twincell.server.web.data.scene import Scene, scene_of
from twincell.sim.signals import SignalTable

MOST_BYTES = (
    32_000_000  # of rows; chosen: a tablet holds their frames, the server three such tables
)
FRAMES_A_SECOND = 30
KEPT = 4  # recordings that are open at a time
MOST_EVENTS = 5_000  # of a recording
HEADER = struct.Struct("<II")  # frames, slots; then for each frame its time and its slots as f32
MS_IN_NS = 1_000_000


@dataclass(frozen=True)
class Moment:
    """Something that happened in a recording."""

    number: int
    at_s: float  # since its first row
    tick: int
    kind: str
    source: str
    text: str
    level: str


@dataclass(frozen=True)
class ThinnedRows:
    """Some rows of a recording, and the extremes until the next of them."""

    number: Ints  # of the row, since the first one                  (n,)
    rows: Singles  # all signals                                     (n, n_signal)
    least: Singles  # of the rows from this one on, before the next  (n, n_signal)
    greatest: Singles

    @classmethod
    def of(cls, number: Ints, values: Floats, stride: int) -> "ThinnedRows":
        """Of every `stride`-th row, and those between."""
        rows = values.astype(np.float32)
        return cls(number, rows, rows, rows).thinned(stride)

    @classmethod
    def joined(cls, parts: list["ThinnedRows"]) -> "ThinnedRows":
        names = ("number", "rows", "least", "greatest")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def thinned(self, stride: int) -> "ThinnedRows":
        """One row for all that have the same number, counted in strides."""
        if not len(self.number):
            return self
        starts = np.flatnonzero(np.diff(self.number // stride, prepend=-1))
        return ThinnedRows(
            self.number[starts],
            self.rows[starts],
            np.minimum.reduceat(self.least, starts),
            np.maximum.reduceat(self.greatest, starts),
        )


@dataclass(frozen=True)
class Replay:
    """A recording that is open."""

    name: str
    scene: Scene
    signals: SignalTable
    step_s: float
    began_ms: int  # since 1970
    table: ThinnedRows
    events: list[Moment]
    note: str  # what a person should know about it

    @property
    def times_s(self) -> Floats:
        return np.asarray(self.table.number * self.step_s, dtype=np.float64)

    @cached_property
    def frames(self) -> bytes:
        """All frames, as the browser gets them."""
        columns = np.array(self.scene.columns, dtype=np.int64)
        packed = np.column_stack([self.times_s, self.table.rows[:, columns]])
        return HEADER.pack(len(packed), len(columns)) + packed.astype("<f4").tobytes()

    def row(self, frame: int) -> bytes | None:
        """The values of all signals in a frame."""
        rows = self.table.rows
        return rows[frame].astype("<f4").tobytes() if 0 <= frame < len(rows) else None

    def row_at(self, seconds: float) -> Singles:
        """The last row that is not later."""
        place = int(np.searchsorted(self.times_s, seconds + 1e-6, side="right")) - 1
        return self.table.rows[max(place, 0)]

    def history(self, columns: list[int], points: int) -> bytes:
        """All of some signals, as `history.span` gives it."""
        wanted = np.array(columns[: history.MOST_SIGNALS], dtype=np.int64)
        least = self.table.least[:, wanted].astype(np.float64)
        greatest = self.table.greatest[:, wanted].astype(np.float64)
        values = history.thinned(zigzag(self.times_s, least, greatest), points)
        return history.HEADER.pack(*values.shape) + values.T.astype("<f8").tobytes()

    def about(self) -> dict[str, Any]:
        """What a browser has to know besides."""
        return {
            "name": self.name,
            "scene": self.scene.as_json(),
            "events": [asdict(event) for event in self.events],
            "note": self.note,
        }


def open_replay(path: Path) -> Replay:
    """Read a recording; a Mistake says why that cannot be done."""
    try:
        recording = Recording(path)
        scene = scene_of(rebuilt(recording.facts.files).spec, recording.signals)
        reading = _Reading(recording)
        table = reading.read()
    except (NoRecording, NotBuilt) as problem:
        raise Mistake(str(problem).replace(f"{path}", path.name)) from None
    except OSError as error:
        raise Mistake(f"{path.name}: cannot be read: {error.strerror}") from None
    if len(table.number) == 0:
        raise Mistake(f"{path.name}: has no rows yet", "wait a second, and open it again")
    return Replay(
        path.name,
        scene,
        recording.signals,
        recording.facts.step_s,
        reading.began_ms,
        table,
        reading.events,
        recording.damage,
    )


class _Reading:
    """Goes through a recording once."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        facts = recording.facts
        self._first = facts.first_row
        self._step_s = facts.step_s
        self._stride = max(1, round(1.0 / (FRAMES_A_SECOND * facts.step_s)))  # rows a frame
        self._stride = max(facts.every, self._stride // facts.every * facts.every)
        self._parts: list[ThinnedRows] = []
        self.began_ms = 0
        self.events: list[Moment] = []

    def read(self) -> ThinnedRows:
        """Its rows, as many as may be kept, and with them its end."""
        n_signal = len(self._recording.signals)
        empty = np.empty((0, n_signal))
        last = ThinnedRows.of(np.empty(0, dtype=np.int64), empty, 1)
        self._parts.append(last)
        for part in self._recording.parts():
            if isinstance(part, Event):
                kind, level = kind_of(part.type), level_of(part.type)
                self._note(part, kind, part.source, level)
            elif isinstance(part, Fault):
                self._note(part, "Faults", "Cell", SERIOUS)
            elif isinstance(part, Rows):
                if not self.began_ms:
                    units = int(part.stamps[0]) - UNITS_1601_TO_1970
                    self.began_ms = units * UNIT_NS // MS_IN_NS
                numbers = part.first + part.kept - self._first
                self._parts.append(ThinnedRows.of(numbers, part.values, self._stride))
                if len(numbers):
                    last = ThinnedRows.of(numbers[-1:], part.values[-1:], 1)
                self._thin()
        table = ThinnedRows.joined(self._parts).thinned(self._stride)
        # with the end, whatever the frame rate
        is_in = len(table.number) and table.number[-1] == last.number[-1]
        return table if is_in or not len(last.number) else ThinnedRows.joined([table, last])

    def _thin(self) -> None:
        """It is long: half as many frames a second, also of what was read before."""
        while sum(part.rows.nbytes for part in self._parts) > MOST_BYTES:
            self._stride *= 2
            self._parts = [ThinnedRows.joined(self._parts).thinned(self._stride)]

    def _note(self, part: Event | Fault, kind: str, source: str, level: str) -> None:
        if len(self.events) < MOST_EVENTS:
            at_s = (part.row - self._first) * self._step_s
            number = len(self.events) + 1
            self.events.append(Moment(number, at_s, part.tick, kind, source, part.text, level))


class Replays:
    """Recordings that pages have open, under names that nobody guesses."""

    def __init__(self) -> None:
        self._by_name: OrderedDict[str, Replay] = OrderedDict()  # the one used last is the last
        self._reading = asyncio.Lock()  # one at a time for everybody: it takes memory and time

    async def open(self, path: Path) -> tuple[str, Replay]:
        """Read one and keep it for a while, under a name; a Mistake says why that cannot be."""
        async with self._reading:
            replay = await asyncio.to_thread(open_replay, path)
        name = secrets.token_urlsafe(16)
        self._by_name[name] = replay
        while len(self._by_name) > KEPT:
            self._by_name.popitem(last=False)
        return name, replay

    def get(self, name: str) -> Replay | None:
        """One that is open; None if it never was, or others have been used since."""
        replay = self._by_name.get(name)
        with suppress(KeyError):  # whoever opens another may have pushed it out meanwhile
            self._by_name.move_to_end(name)
        return replay

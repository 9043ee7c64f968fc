"""A recording as the browser plays it: its scene, its frames, what happened when.

A browser holds all frames of a recording, so dragging the slider needs no server. Of a long one it
gets fewer frames a second; a peak between two of them is not the 3-D view's matter.
"""

import asyncio
import secrets
import struct
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from server.client.mistake import Mistake
from server.realtime.ring import Floats
from server.recording.rebuilt_cell import NotBuilt, rebuilt
from server.recording.recording import Event, NoRecording, Recording, Rows
from server.web.scene import Scene, scene_of

MOST_BYTES = 24_000_000  # of frames that a browser gets; chosen: a tablet holds it
FRAMES_A_SECOND = 30
KEPT = 4  # recordings that are open at a time
HEADER = struct.Struct("<II")  # frames, slots; then for each frame its time and its slots as f32


@dataclass(frozen=True)
class Moment:
    """Something that happened in a recording."""

    at_s: float  # since its first row
    text: str


@dataclass(frozen=True)
class Replay:
    """A recording that is open."""

    scene: Scene
    data: bytes
    events: list[Moment]
    note: str  # what a person should know about it


def open_replay(path: Path) -> Replay:
    """Read a recording; a Mistake says why that cannot be done."""
    try:
        recording = Recording(path)
        scene = scene_of(rebuilt(recording.facts.files).spec, recording.signals)
        frames, events = _read(recording, scene)
    except (NoRecording, NotBuilt) as problem:
        raise Mistake(str(problem).replace(f"{path}", path.name)) from None
    except OSError as error:
        raise Mistake(f"{path.name}: cannot be read: {error.strerror}") from None
    if len(frames) == 0:
        raise Mistake(f"{path.name}: has no rows yet", "wait a second, and open it again")
    data = HEADER.pack(len(frames), frames.shape[1] - 1) + frames.astype("<f4").tobytes()
    return Replay(scene, data, events, recording.damage)


def _read(recording: Recording, scene: Scene) -> tuple[Floats, list[Moment]]:
    """Frames with their times in front, and what happened."""
    facts = recording.facts
    columns = np.array(scene.columns, dtype=np.int64)
    each = max(1, round(1.0 / (FRAMES_A_SECOND * facts.step_s * facts.every)))
    blocks: list[Floats] = []
    last = np.empty((0, len(columns) + 1))  # the newest row so far
    events: list[Moment] = []
    for part in recording.parts():
        if isinstance(part, Event):
            at_s = (part.row - facts.first_row) * facts.step_s
            events.append(Moment(at_s, part.text))
        if isinstance(part, Rows):
            numbers = part.first + part.kept - facts.first_row
            rows = np.hstack([numbers[:, None], part.values[:, columns]])
            last = rows[-1:] if len(rows) else last
            blocks.append(rows[numbers // facts.every % each == 0])
            # it is long: half as many frames a second, also of what was read before
            while sum(block.size for block in blocks) * 4 > MOST_BYTES:
                each *= 2
                blocks = [block[block[:, 0] // facts.every % each == 0] for block in blocks]
    frames = np.concatenate([*blocks, last])  # with the end, whatever the frame rate
    if len(frames) > 1 and frames[-1, 0] == frames[-2, 0]:
        frames = frames[:-1]
    frames[:, 0] *= facts.step_s
    return frames, events


class Replays:
    """Recordings that pages have open, under names that nobody guesses."""

    def __init__(self) -> None:
        self._by_name: OrderedDict[str, Replay] = OrderedDict()
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

    def data(self, name: str) -> bytes | None:
        replay = self._by_name.get(name)
        return replay.data if replay else None

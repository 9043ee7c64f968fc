"""The places that child processes fill: each knows when its process is ready, hangs or has ended.

When the real-time process ends, values are Bad until it runs again, and the cell begins at its
start. When the OPC UA process ends, the cell goes on, and clients connect again at the same port.
When the recorder ends, so does its recording, which stays readable; the next one can be started.
Should it end too often, the cell goes on without one, and whoever asks for a recording is refused.
What a cell can do without is in supervisor_spares.py.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from twincell.server.config import Serving
from twincell.server.logging.pipe import LogPipe
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.record_box import Outcome
from twincell.server.realtime.shared.ring import NOBODY_RECORDS
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import Timing
from twincell.server.supervisor import entry_points as work
from twincell.server.supervisor.child_process import Child
from twincell.sim.cell import Cell

if TYPE_CHECKING:
    from twincell.server.recording.recorder import Wanted

MOST_RESTARTS = 5  # within a minute; chosen: more is no accident
WITHIN_S = 60.0
SILENCE_S = 3.0  # a loop without a sign of life for so long hangs
START_S = 30.0  # or for so long while it starts
RECORDER_SILENCE_S = 10.0  # of a recorder; chosen: a slow disk may keep it for some seconds
NO_RECORDER = "the recorder ended too often: nothing is recorded until the cell is started anew"
UNWATCHED_S = 1.0  # between two looks: then we were stopped ourselves, and judge nobody


class SignOfLife:
    """Notices when somebody gives no new sign of life."""

    def __init__(self) -> None:
        self._last: Hashable = None  # the last one seen
        self._new_s = 0.0  # when it was new
        self._looked_s = 0.0

    def silent_s(self, sign: Hashable, now_s: float) -> float:
        """For how long the sign has been the same."""
        if sign != self._last or now_s - self._looked_s > UNWATCHED_S:
            self._last, self._new_s = sign, now_s
        self._looked_s = now_s
        return now_s - self._new_s

    def wait_from(self, now_s: float) -> None:
        """Somebody new begins."""
        self._new_s = now_s


class GaveUp(Exception):
    """A process does not stay alive; the text says which one and how it ended."""


class PortInUse(Exception):
    """Somebody else listens at the port."""


class Post(ABC):
    """A place for one child process."""

    name: str  # what people call it
    short_name: str  # what the system calls it: 15 characters at most

    def __init__(self, log_pipe: LogPipe) -> None:
        self._log_pipe = log_pipe
        self._restarts: deque[float] = deque()  # when they were
        self.child: Child | None = None

    @abstractmethod
    def look(self, now_s: float) -> list[str]:
        """See to the process; what there is to say about it."""

    def start(self) -> None:
        self.child = Child(self.short_name, self._work(), self._log_pipe)

    @abstractmethod
    def _work(self) -> Callable[[], None]:
        """What a process that is started now does."""

    def _count_restart(self, now_s: float) -> int:
        """How often it was started again lately, this time included."""
        while self._restarts and now_s - self._restarts[0] > WITHIN_S:
            self._restarts.popleft()
        self._restarts.append(now_s)
        return len(self._restarts)

    def _start_again(self, now_s: float, end: str) -> None:
        if self._count_restart(now_s) > MOST_RESTARTS:
            times = f"{MOST_RESTARTS + 1} times within a minute"
            raise GaveUp(f"the {self.name} ended {times}, the last time with {end}")
        self.start()


class LoopPost(Post):
    """Keeps the cell ticking."""

    name = "real-time process"
    short_name = "twincell loop"

    def __init__(
        self,
        cell: Cell,
        link: Link,
        log_pipe: LogPipe,
        timing: Timing,
        timeline: bool,
        core: int | None = None,
    ) -> None:
        super().__init__(log_pipe)
        self._cell, self._link = cell, link
        self._timing, self._timeline = timing, timeline
        self._core = core
        self._sign = SignOfLife()

    @property
    def is_ready(self) -> bool:
        return self._link.vitals.state is not LoopState.DOWN and self._link.ring.written > 0

    def look(self, now_s: float) -> list[str]:
        hangs = self._hangs(now_s)
        if hangs and self.child:
            self.child.kill()
        if self.child is None or self.child.code is None:
            return []
        self._link.vitals["state"] = LoopState.DOWN
        end = "no sign of life" if hangs else self.child.end
        self._start_again(now_s, end)
        self._sign.wait_from(now_s)
        self._link.vitals["restarts"] += 1
        return [f"the {self.name} ended ({end}); started again, the cell begins at its start"]

    def _work(self) -> Callable[[], None]:
        return partial(work.tick, self._cell, self._link, self._timing, self._timeline, self._core)

    def _hangs(self, now_s: float) -> bool:
        """Whether there was no sign of life for too long; and note what a restart must know."""
        vitals = self._link.vitals
        if vitals.state is not LoopState.DOWN:
            self._timeline = bool(vitals["timeline_on"])
            is_paused = vitals.state is LoopState.PAUSED
            self._timing = Timing(vitals.speed, is_paused, vitals.mode, vitals["cycle_ticks"])
        patience_s = START_S if vitals.state is LoopState.DOWN else SILENCE_S
        return self._sign.silent_s((vitals.state, vitals["beat_ns"]), now_s) > patience_s


class ServerPost(Post):
    """Keeps the cell in reach of clients."""

    name = "OPC UA process"
    short_name = "twincell opcua"

    def __init__(self, cell: Cell, link: Link, log_pipe: LogPipe, serving: Serving) -> None:
        super().__init__(log_pipe)
        self._cell, self._link = cell, link
        self._serving = serving
        self._last_port = serving.port  # 0 until a free one was found

    @property
    def port(self) -> int:
        """Where it listens, or did last; a restart takes the same one."""
        return self._link.vitals["port"] or self._last_port

    @property
    def is_ready(self) -> bool:
        return self._link.vitals["port"] != 0

    def look(self, now_s: float) -> list[str]:
        if self.child is None or self.child.code is None:
            return []
        if self.child.code == work.PORT_IN_USE:
            raise PortInUse
        self._last_port = self.port
        self._link.vitals["port"] = self._link.vitals["clients"] = 0
        end = self.child.end
        self._start_again(now_s, end)
        self._link.vitals["server_restarts"] += 1
        return [f"the {self.name} ended ({end}); started again, clients have to connect again"]

    def _work(self) -> Callable[[], None]:
        serving = replace(self._serving, port=self.port)
        return partial(work.serve, self._cell, self._link, serving)


class RecorderPost(Post):
    """Keeps somebody there who can record."""

    name = "recorder"
    short_name = "twincell record"

    def __init__(self, link: Link, log_pipe: LogPipe, wanted: "Wanted") -> None:
        super().__init__(log_pipe)
        self._link = link
        self._wanted = wanted
        self._sign = SignOfLife()
        self._is_given_up = False

    def look(self, now_s: float) -> list[str]:
        if self._is_given_up:
            self._refuse()
        if self.child is None:
            return []
        hangs = self._hangs(now_s)
        if hangs:
            self.child.kill()
        if self.child.code is None:
            return []
        self._link.recorded[0] = NOBODY_RECORDS  # a cell that waits for it goes on
        self._wanted = replace(self._wanted, at_once=None)
        file = self._link.recording.file
        what = f"; the recording {file} ended there" if file else ""
        end = "no sign of life" if hangs else self.child.end
        if self._count_restart(now_s) > MOST_RESTARTS:
            self._give_up(file)
            return [f"the {self.name} ended ({end}) too often{what}: the cell goes on without it"]
        self._link.vitals["recorder_beat_ns"] = 0
        self._link.vitals["recorder_restarts"] += 1
        self.start()
        self._sign.wait_from(now_s)
        return [f"the {self.name} ended ({end}){what}; started again"]

    def _hangs(self, now_s: float) -> bool:
        beat_ns = self._link.vitals["recorder_beat_ns"]
        patience_s = RECORDER_SILENCE_S if beat_ns else START_S
        return self._sign.silent_s(beat_ns, now_s) > patience_s

    def _give_up(self, file: str) -> None:
        """Leave the box as a recorder would that does not record."""
        self.child = None
        self._is_given_up = True
        box = self._link.recording
        box.show("", box.rows, box.lost)
        what = f"{file}: what was written is in the file; " if file else ""
        box.show_error(what + NO_RECORDER)
        self._refuse()

    def _refuse(self) -> None:
        if self._link.recording.next() is not None:
            self._link.recording.reply(Outcome.NOT_WRITABLE, NO_RECORDER)

    def _work(self) -> Callable[[], None]:
        return partial(work.record, self._link, self._wanted)

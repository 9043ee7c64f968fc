"""The places of processes that a cell can do without: clients of our own server, and metrics.

When the demo, a bridge or the web page ends, the cell goes on; it is started again a few times,
later each time. When the metrics end, they are started again at the same port. Whoever ends too
often is given up.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from socket import SHUT_RDWR, socket
from typing import TYPE_CHECKING

from twincell.server.bridge.ends import Ends
from twincell.server.config import Serving
from twincell.server.logging.pipe import LogPipe
from twincell.server.realtime.shared.link import Link
from twincell.server.supervisor import entry_points as work
from twincell.server.supervisor.essential import MOST_RESTARTS, START_S, Post, SignOfLife
from twincell.sim.cell import Cell

if TYPE_CHECKING:
    from twincell.server.web.showing import Showing

BRIDGE_SILENCE_S = 10.0  # of a bridge; chosen: it beats four times a second
NO_SIGN = "no sign of life"


class ClientPost(Post):
    """Keeps a client of our own server there, as long as it wants to."""

    def __init__(self, log_pipe: LogPipe) -> None:
        super().__init__(log_pipe)
        self._due_s: float | None = None  # when to start it again
        self.endpoint = ""  # known when the server is ready

    def look(self, now_s: float) -> list[str]:
        if self._due_s is not None and now_s >= self._due_s:
            self._due_s = None
            self.start()
        if self.child is None:
            return []
        hangs = self._hangs(now_s)
        if hangs:
            self.child.kill()
        if self.child.code is None:
            return []
        end, is_content = self.child.end, self.child.code == 0
        end = NO_SIGN if hangs else end
        self.child = None
        if is_content:  # it has said why
            return []
        times = self._count_restart(now_s)
        if times > MOST_RESTARTS:
            self._give_up()
            return [f"the {self.name} ended ({end}) too often: the cell goes on without it"]
        delay_s = 2.0 ** (times - 1)
        self._due_s = now_s + delay_s
        return [f"the {self.name} ended ({end}); it starts again in {delay_s:g} s"]

    def _hangs(self, now_s: float) -> bool:
        """Whether it gave no sign of life for too long; who owes none never hangs."""
        return False

    def _give_up(self) -> None:
        """Nobody comes any more."""


class DemoPost(ClientPost):
    """Keeps the demo playing."""

    name = "demo"
    short_name = "twincell demo"

    def __init__(self, cell: Cell, log_pipe: LogPipe, password: str) -> None:
        super().__init__(log_pipe)
        self._cell = cell
        self._password = password

    def _work(self) -> Callable[[], None]:
        return partial(work.play, self._cell, self.endpoint, self._password)


class BridgePost(ClientPost):
    """Keeps a bridge to a controller up."""

    short_name = "twincell bridge"

    def __init__(
        self, cell: Cell, link: Link, log_pipe: LogPipe, serving: Serving, place: int
    ) -> None:
        super().__init__(log_pipe)
        self._cell = cell
        self._serving = serving
        self._place = place  # in the cell file
        self._state = link.bridges.bridges[place]
        self._sign = SignOfLife()
        self.name = f"bridge {self._state.name}"

    def look(self, now_s: float) -> list[str]:
        said = super().look(now_s)
        if self.child is None:
            self._state["connected"] = self._state["beat_ns"] = 0
            self._sign.wait_from(now_s)
        return said

    def _hangs(self, now_s: float) -> bool:
        beat_ns = self._state["beat_ns"]
        patience_s = BRIDGE_SILENCE_S if beat_ns else START_S
        return self._sign.silent_s(beat_ns, now_s) > patience_s

    def _work(self) -> Callable[[], None]:
        spec, serving = self._cell.spec, self._serving
        ends = Ends(
            spec.bridge[self._place],
            Path(spec.source.file),
            self._cell.signals,
            serving.security.trust.folder,
            self.endpoint,
            serving.bridge_password,
        )
        return partial(work.bridge, ends, self._state)


class MetricsPost(Post):
    """Keeps somebody there who tells how the cell is."""

    name = "metrics process"
    short_name = "twincell metric"

    def __init__(self, cell: Cell, link: Link, log_pipe: LogPipe, listening: socket) -> None:
        super().__init__(log_pipe)
        self._cell, self._link = cell, link
        self._listening = listening  # ours: whoever is started again finds the port as it was

    def look(self, now_s: float) -> list[str]:
        if self.child is None or self.child.code is None:
            return []
        end = self.child.end
        self.child = None
        if self._count_restart(now_s) > MOST_RESTARTS:
            # who asks is told at once that nobody is there; other children have the socket as well
            self._listening.shutdown(SHUT_RDWR)
            return [f"the {self.name} ended ({end}) too often: the cell goes on without it"]
        self._link.vitals["metrics_restarts"] += 1
        self.start()
        return [f"the {self.name} ended ({end}); started again"]

    def _work(self) -> Callable[[], None]:
        return partial(work.measure, self._cell, self._link, self._listening)


class WebPost(ClientPost):
    """Keeps the web page in reach of browsers."""

    name = "web page"
    short_name = "twincell web"

    def __init__(
        self, cell: Cell, link: Link, log_pipe: LogPipe, serving: Serving, showing: "Showing"
    ) -> None:
        super().__init__(log_pipe)
        self._cell, self._link = cell, link
        self._serving, self._showing = serving, showing

    def _give_up(self) -> None:
        # browsers are told at once that nobody is there; other children have the socket as well
        self._showing.address.listener.shutdown(SHUT_RDWR)

    def _work(self) -> Callable[[], None]:
        showing = replace(self._showing, endpoint=self.endpoint)
        return partial(work.show, self._cell, self._link, self._serving, showing)

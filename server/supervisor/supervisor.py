"""Starts the processes of a running cell, sees to it that they stay, and stops them all.

All of them are forked from here: after the cell was compiled and warmed up, so that a restarted
loop begins at once, and before anything has threads.
Should this process be killed, the system ends the others.
"""

import os
import time
from multiprocessing.connection import wait
from socket import socket
from types import TracebackType
from typing import TYPE_CHECKING, Self

from twincell.server.config import Serving
from twincell.server.listening import endpoint_of
from twincell.server.logging.log_line import SUPERVISOR, Level, Said
from twincell.server.logging.pipe import LogPipe
from twincell.server.realtime.cores import keep_to, share_out
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import ON_THE_CLOCK, Timing
from twincell.server.supervisor.child_process import KILL_S, signals_held
from twincell.server.supervisor.essential import GaveUp, LoopPost, Post, RecorderPost, ServerPost
from twincell.server.supervisor.optional import (
    BridgePost,
    ClientPost,
    DemoPost,
    MetricsPost,
    WebPost,
)
from twincell.sim.cell import Cell

if TYPE_CHECKING:
    from twincell.server.recording.recorder import Wanted
    from twincell.server.web.showing import Showing

START_S = 120.0  # longest start; chosen: a large cell on a slow machine takes some of it
STOP_S = 2.0  # what a child gets to end by itself; the server says goodbye to its clients


class Supervisor:
    """The processes of a running cell, for as long as the `with` block lasts."""

    def __init__(
        self,
        cell: Cell,
        link: Link,
        serving: Serving,
        demo: bool = True,
        timing: Timing = ON_THE_CLOCK,
        wanted: "Wanted | None" = None,
        metrics: socket | None = None,
        level: Level = Level.info,
        showing: "Showing | None" = None,
    ) -> None:
        self._link = link
        self._host = serving.host
        self._log_pipe = LogPipe(level)
        self._cores = share_out(os.sched_getaffinity(0))
        # with a demo, the loop leaves the timeline to it
        self._loop = LoopPost(cell, link, self._log_pipe, timing, not demo, self._cores.loop)
        self._server = ServerPost(cell, link, self._log_pipe, serving)
        bridges = range(len(link.bridges.bridges))
        self._clients: list[ClientPost] = [
            BridgePost(cell, link, self._log_pipe, serving, place) for place in bridges
        ]
        if demo:
            self._clients.append(DemoPost(cell, self._log_pipe, serving.demo_password))
        if showing:
            self._clients.append(WebPost(cell, link, self._log_pipe, serving, showing))
        self._recorder = RecorderPost(link, self._log_pipe, wanted) if wanted else None
        self._metrics = MetricsPost(cell, link, self._log_pipe, metrics) if metrics else None
        self._started_s = 0.0
        self.is_ready = False  # all are up for the first time

    def __enter__(self) -> Self:
        self._started_s = time.monotonic()
        try:
            with signals_held():
                self._server.start()  # it takes longest
                self._loop.start()
                if self._recorder:
                    self._recorder.start()
                if self._metrics:
                    self._metrics.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def port(self) -> int:
        """Where clients find the cell; 0 while a free port is wanted and not yet found."""
        return self._server.port

    @property
    def endpoint(self) -> str:
        return endpoint_of(self._host, self.port)

    def watch(self, timeout_s: float) -> list[Said]:
        """Wait a while, or until something happens; mend it, and return what there is to say."""
        ends = [post.child.sentinel for post in self._posts if post.child]
        wait([*ends, self._log_pipe.read_end], timeout_s)
        now_s = time.monotonic()
        with signals_held():
            said = self._log_pipe.lines()
            for post in self._posts:
                said += [Said.now(SUPERVISOR, text, Level.warning) for text in post.look(now_s)]
            if not self.is_ready:
                self._look_for_start(now_s)
        return said

    def stop(self) -> None:
        """End all processes: asked kindly, then by force."""
        with signals_held():
            children = [post.child for post in self._posts if post.child]
            for child in children:
                child.ask_to_stop()
            until_s = time.monotonic() + STOP_S
            left = [child for child in children if not child.wait(until_s)]
            for child in left:
                child.end_by_force()
            until_s = time.monotonic() + KILL_S
            for child in left:
                child.wait(until_s)
            self._link.vitals["state"] = LoopState.DOWN
            self._log_pipe.close()
            keep_to(self._cores.all, os.getpid())

    @property
    def _posts(self) -> list[Post]:
        """In the order in which they stop: clients say goodbye to a server that is there."""
        watching = [post for post in (self._recorder, self._metrics) if post]
        return [*self._clients, *watching, self._server, self._loop]

    def _look_for_start(self, now_s: float) -> None:
        self.is_ready = self._loop.is_ready and self._server.is_ready
        if self.is_ready:
            self._leave_the_loop_its_core()
            for client in self._clients:
                client.endpoint = self.endpoint
                client.start()
        if not self.is_ready and now_s - self._started_s > START_S:
            late = self._server if self._loop.is_ready else self._loop
            raise GaveUp(f"the {late.name} is not ready after {START_S:g} s")

    def _leave_the_loop_its_core(self) -> None:
        """From now on; a start may use all cores. Who is forked later keeps to ours."""
        others = [post.child.pid for post in self._posts if post.child and post is not self._loop]
        for pid in (os.getpid(), *others):
            keep_to(self._cores.rest, pid)

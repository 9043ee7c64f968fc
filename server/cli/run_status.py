"""How a running cell is, in one line: live on a terminal, now and then anywhere else."""

from __future__ import annotations

import math
import signal
import time
from types import TracebackType
from typing import Self

import numpy as np
from rich.live import Live
from rich.text import Text

from twincell.server.cli import screen
from twincell.server.cli.run_log import RunLog, heard_or_not
from twincell.server.logging.log_line import SUPERVISOR, Level, Said
from twincell.server.realtime.rates import Rates
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import TimeMode

LIVE_S = 0.25  # between two looks of a terminal's line
PLAIN_S = 10.0  # between two lines where nobody watches
WINDOW_S = 1.0  # over which rates are measured
PLAIN = RunLog()
LATENESS_TICKS = 10_000  # the newest ones, for the percentile


class Status:
    """Takes the pulse of a cell."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._rates = Rates(WINDOW_S)
        self.look()

    def __str__(self) -> str:
        vitals = self._link.vitals
        ticks, notifications = self._rates.a_second()
        late_ns = self._link.ring.lateness(LATENESS_TICKS)
        p99_us = np.percentile(late_ns, 99) / 1e3 if len(late_ns) else 0.0
        speed = f" at speed {vitals.speed:g}" if vitals.speed not in (0.0, 1.0) else ""
        is_free = vitals.mode is TimeMode.FREE_RUN
        mode = "" if is_free else f" in {vitals.mode.name.lower().replace('_', ' ')}"
        parts = [
            f"{vitals.state.name.lower()}{mode}{speed}, {ticks:.0f} ticks/s",
            f"t = {self._link.ring.time_s:.1f} s",
            f"late p99 {p99_us:.0f} us, worst {vitals['worst_late_ns'] / 1e3:.0f} us",
            f"overruns {vitals['overruns']}",
            f"clients {vitals['clients']}, {notifications:.0f} notifications/s",
            f"control: {vitals.text('control')}",
        ]
        if vitals["controller_lost"]:
            parts.append("the controller is lost")
        for bridge in self._link.bridges.bridges:
            broken = f", {bridge['problems']} wires broken" if bridge["problems"] else ""
            how = f"connected{broken}" if bridge.is_connected else "not connected"
            parts.append(f"bridge {bridge.name}: {how}")
        recording = self._link.recording
        if recording.file:
            lost = f", {recording.lost} lost" if recording.lost else ""
            parts.append(f"recording {recording.rows} rows{lost}")
        if vitals.state is LoopState.FAULT:
            parts.append(vitals.text("fault"))
        return " | ".join(parts)

    def look(self) -> None:
        """Count, so that rates can be told."""
        self._rates.look(self._link.ring.written, self._link.vitals["notifications"])


class StatusLine:
    """The status on standard error, under whatever else is said there.

    No thread draws it: the processes of the cell are forked from here.
    """

    def __init__(self, link: Link, log: RunLog = PLAIN) -> None:
        self._status = Status(link)
        self._log = log
        self._live: Live | None = None
        if screen.somebody_watches() and not log.is_json:
            self._live = Live(
                console=screen.notes(),
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
        self._period_s = LIVE_S if self._live else PLAIN_S
        self._due_s = math.inf  # until the first look

    def __enter__(self) -> Self:
        with heard_or_not():
            if self._live:
                self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with heard_or_not():
            if self._live:
                self._live.stop()

    def say(self, lines: list[Said]) -> None:
        """Print lines above the status."""
        for said in lines:
            if self._live and self._log.wants(said.level):
                with heard_or_not():
                    self._live.console.print(Text(self._log.text(said)), soft_wrap=True)
            else:
                self._log.write(said)  # rich would end us when a pipe breaks

    def show(self) -> None:
        """Bring the status up to date, if it is time to."""
        self._status.look()
        now_s = time.monotonic()
        if self._due_s == math.inf:  # rates are not known yet
            self._due_s = now_s + self._period_s
        if now_s < self._due_s:
            return
        self._due_s = now_s + self._period_s
        if self._live and not screen.somebody_watches():
            # the terminal is gone, but the signal may have reached only who started us, as make
            signal.raise_signal(signal.SIGHUP)
        text = str(self._status)
        if self._live:
            with heard_or_not():
                # one line, however narrow the terminal: what matters most comes first
                line = Text(text, no_wrap=True, overflow="ellipsis")
                self._live.update(line, refresh=True)
        else:
            # programs that read logs have the metrics
            level = Level.debug if self._log.is_json else Level.info
            self._log.write(Said.now(SUPERVISOR, text, level))

"""A cell that is looked at, from within: `python -m bench.web_watch SECONDS PAIRS`, as JSON.

A cell of a hundred moving objects, and a client that takes every sample of a hundred variables. In
turns nobody and five viewers look at its page; both times it is seen how late ticks begin, whether
a sample is lost, and what the web process takes.
"""

import json
import os
import socket
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.lab_serving import lab_serving
from bench.loop_watch import WatchedCell
from bench.ua_cells import doubles, many_tools
from bench.ua_listen import Job, heard
from bench.ua_processes import children, cpu_s
from bench.web_viewers import frames_seen, start_viewers
from twincell.server.cli.web_address import showing_of
from twincell.server.listening import LOOPBACK
from twincell.server.opcua.space.namespaces import CELL
from twincell.server.realtime.shared.link import Link
from twincell.server.supervisor.supervisor import Supervisor
from twincell.server.web.guard.listening_socket import WebAddress
from twincell.sim.cell import Cell
from twincell.sim.spec import load_cell

OBJECTS, VARIABLES, VIEWERS = 100, 100, 5
PUBLISHING_MS = 50.0
LONGER_S = 8.0  # viewers and clients stay than we measure: they come before, and go after
SETTLE_S = 5.0


@dataclass(frozen=True)
class Seen:
    """What was measured in one turn."""

    late_p99_us: float
    overruns: int
    wrong_samples: int
    web_cores: float
    frames: float  # a second, of the viewer who got least; 0 without viewers


class LookedAt(WatchedCell):
    """A cell with a page."""

    def __init__(self, link: Link, supervisor: Supervisor, names: list[str], url: str) -> None:
        super().__init__(link, supervisor, names)
        self._names, self._url = names, url

    @property
    def _web_pid(self) -> int:
        comm = {pid: Path(f"/proc/{pid}/comm").read_text().strip() for pid in children(os.getpid())}
        return next(pid for pid, name in comm.items() if name == "twincell web")

    def turn(self, seconds: float, viewers: int) -> Seen:
        """Watch for a while, with so many viewers."""
        whole_s = seconds + LONGER_S
        endpoint = self._supervisor.endpoint
        listening = Job(endpoint, CELL, [self._names], PUBLISHING_MS, whole_s, os.getpid()).start()
        looking = start_viewers(self._url, viewers, whole_s) if viewers else None
        self._lateness_us(SETTLE_S)
        before, used_s = self._link.vitals["overruns"], cpu_s(self._web_pid)
        late_us = self._lateness_us(seconds)
        overruns, used_s = self._link.vitals["overruns"] - before, cpu_s(self._web_pid) - used_s
        frames = min(frames_seen(looking)) if looking else 0.0
        p99_us = float(np.percentile(late_us, 99))
        return Seen(p99_us, overruns, heard(listening).count.wrong, used_s / seconds, frames)


def main(seconds: float, pairs: int) -> None:
    """Watch in turns, and print what was seen."""
    with tempfile.TemporaryDirectory(prefix="twincell-bench-") as folder:
        file = Path(folder) / "tools.toml"
        file.write_text(many_tools(OBJECTS), encoding="utf-8")
        names = doubles(file, VARIABLES)
        cell = Cell(load_cell(file))
        cell.warm_up()
        link, serving = Link(len(cell.signals)), lab_serving()
        address = WebAddress(LOOPBACK, socket.create_server((LOOPBACK, 0)))
        showing = showing_of(address, Path(folder), serving)
        with Supervisor(cell, link, serving, demo=False, showing=showing) as supervisor:
            watched = LookedAt(link, supervisor, names, address.url)
            watched.wait_until_ready()
            watched.turn(1.0, 1)  # the web process has started, and built its first page
            turns = [[watched.turn(seconds, n) for n in (0, VIEWERS)] for _ in range(pairs)]
            alone = watched.turn(seconds, 1)
    sys.stdout.write(json.dumps([[asdict(one) for one in pair] for pair in (*turns, [alone])]))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))

"""A running cell watched from within: `python -m bench.loop_watch SECONDS ...`, results as JSON.

Starts the same processes as `twincell run` and shares their memory: so it sees how late each tick
began. The first time is with ten clients and beside cyclictest, the others are without and with
clients, in turns.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench import loop_cyclictest as cyclictest
from bench.lab_serving import lab_serving
from bench.ua_cells import doubles, many_tools
from bench.ua_listen import SETTLE_S, Job, heard
from bench.ua_processes import other_cores, real_time_processes
from bench.ua_samples import CLIENTS, DOUBLES_PER_TOOL, EACH, PUBLISHING_MS, shares
from twincell.server.opcua.space.namespaces import CELL
from twincell.server.realtime.shared.link import Link
from twincell.server.supervisor.supervisor import Supervisor
from twincell.sim.cell import Cell
from twincell.sim.spec import load_cell

LEAST_SHARE = 0.95  # of the samples: the first and last ones of each client are not counted
LOOK_S = 0.5
TICK_US = 1000.0
SUBSCRIBE_S = 1.0  # from the last connection to the last subscription; chosen
LONGER_S = 3.0  # clients stay than we measure


class WatchedCell:
    """A cell that runs, and its clients."""

    def __init__(self, link: Link, supervisor: Supervisor, names: list[str]) -> None:
        self._link = link
        self._supervisor = supervisor
        self._clients = shares(names, CLIENTS)

    @property
    def rights(self) -> str:
        """What the system has granted the loop."""
        return self._link.vitals.text("rights")

    def wait_until_ready(self) -> None:
        while not self._supervisor.is_ready:
            self._watch(LOOK_S)

    def beside_cyclictest(self, seconds: float) -> dict[str, Any]:
        """Lateness of the ticks and of cyclictest's wake-ups in the same seconds [µs]."""
        clients = self._start_clients(seconds)
        peer = cyclictest.start(seconds, min(other_cores(os.getpid())))
        ours = self._lateness_us(seconds)
        theirs = cyclictest.lateness_us(peer)
        self._check_heard(clients)
        return {"ours": _summary(_wake_ups(ours)), "cyclictest": _summary(theirs)}

    def overruns(self, seconds: float, with_clients: bool) -> int:
        """How many ticks ended after the next one was due."""
        clients = self._start_clients(seconds) if with_clients else None
        before = self._link.vitals["overruns"]
        self._lateness_us(seconds)
        found = self._link.vitals["overruns"] - before
        if clients:
            self._check_heard(clients)
        return found

    def _check_heard(self, clients: Any) -> None:
        """A figure counts only if the clients were served all the while."""
        heard_by = heard(clients)
        expected = sum(len(names) for names in self._clients) * 1000
        if heard_by.count.wrong or heard_by.samples_per_s < LEAST_SHARE * expected:
            rate = f"{heard_by.samples_per_s:.0f} of {expected} samples/s"
            raise RuntimeError(f"the clients got {rate}, {heard_by.count.wrong} of them wrong")

    def _start_clients(self, seconds: float) -> Any:
        """Let them connect and subscribe; they listen a little longer than we measure."""
        endpoint, whole_s = self._supervisor.endpoint, seconds + LONGER_S
        job = Job(endpoint, CELL, self._clients, PUBLISHING_MS, whole_s, os.getpid())
        process = job.start()
        while self._link.vitals["clients"] < CLIENTS and process.poll() is None:
            self._watch(LOOK_S)
        self._lateness_us(SETTLE_S + SUBSCRIBE_S)
        return process

    def _lateness_us(self, seconds: float) -> npt.NDArray[np.float64]:
        """Watch for a while; how late each tick began."""
        ring = self._link.ring
        until, seen, found = time.monotonic() + seconds, ring.written, []
        while (left := until - time.monotonic()) > 0:
            self._watch(min(LOOK_S, left))
            end = ring.written
            found.append(ring.lateness(end - seen))
            seen = end
        return np.concatenate(found) / 1e3

    def _watch(self, seconds: float) -> None:
        """Let the supervisor do its work; what it has to say is no good news for a bench."""
        for said in self._supervisor.watch(seconds):
            sys.stderr.write(f"{said.message}\n")


def _wake_ups(late_us: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of all ticks those before which the loop slept.

    After a stall of 17 ms the loop catches up, and 17 ticks in a row are late; cyclictest leaves
    out the wake-ups that it missed and counts the stall once. So do we here.
    """
    return late_us[1:][late_us[:-1] < TICK_US]


def _summary(late_us: npt.NDArray[np.float64]) -> dict[str, float]:
    p50, p99, p99_9, worst = np.percentile(late_us, (50, 99, 99.9, 100)).tolist()
    return {"p50": p50, "p99": p99, "p99_9": p99_9, "worst": worst}


def main(seconds: float, pair_seconds: float, pairs: int) -> None:
    """Watch a cell in all ways, and print what was seen."""
    with tempfile.TemporaryDirectory(prefix="twincell-bench-") as folder:
        file = Path(folder) / "tools.toml"
        file.write_text(many_tools(CLIENTS * EACH // DOUBLES_PER_TOOL), encoding="utf-8")
        names = doubles(file, CLIENTS * EACH)
        cell = Cell(load_cell(file))
    cell.warm_up()
    link = Link(len(cell.signals))
    rivals = real_time_processes()
    with Supervisor(cell, link, lab_serving(), demo=False) as supervisor:
        watched = WatchedCell(link, supervisor, names)
        watched.wait_until_ready()
        report: dict[str, Any] = {"rights": watched.rights, "rivals": rivals}
        if cyclictest.is_there():
            report |= watched.beside_cyclictest(seconds)
        report["overruns"] = [
            [watched.overruns(pair_seconds, with_clients) for with_clients in (False, True)]
            for _ in range(pairs)
        ]
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))

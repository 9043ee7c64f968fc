"""A process of clients that listen: `python -m bench.ua_listen JOB` prints what they have heard.

All clients of a job live in one process, each with its own connection, session and subscription:
one process per client would take from two cores what is to be measured.
"""

import json
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from asyncua import ua

from bench.ua_client import UaClient
from bench.ua_processes import cpu_s
from bench.ua_tally import Count, Tally

ROOT = Path(__file__).parent.parent
SETTLE_S = 2.0  # subscribed and not yet counted; chosen
GRACE_S = 2.0  # for the last samples of items that are behind the others


@dataclass(frozen=True)
class Job:
    """Who listens to what, for how long."""

    endpoint: str
    namespace: int
    clients: list[list[str]]  # names of each client's variables, Simulation.Time first
    publishing_ms: float
    seconds: float
    pid: int  # of the process whose processor time is to be measured

    def start(self) -> "subprocess.Popen[str]":
        """Let another process do it; `heard` reads what it says in the end."""
        command = [sys.executable, "-m", "bench.ua_listen", json.dumps(asdict(self))]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def run(self) -> "Heard":
        """Let another process do it, and wait for it."""
        return heard(self.start())


@dataclass(frozen=True)
class Heard:
    """What the clients of a job have got."""

    count: Count
    seconds: float
    cpu_s: float  # of the server

    @property
    def samples_per_s(self) -> float:
        return self.count.samples / self.seconds

    @property
    def cores(self) -> float:
        """Share of one core that the server took."""
        return self.cpu_s / self.seconds


def heard(process: "subprocess.Popen[str]") -> Heard:
    """The report of a process that listens."""
    said, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"the listening clients ended with exit code {process.returncode}")
    found = json.loads(said)
    return Heard(Count(**found["count"]), found["seconds"], found["cpu_s"])


def main() -> None:
    """Listen, and print the report."""
    job = Job(**json.loads(sys.argv[1]))
    listeners = [Listener(job, names) for names in job.clients]
    _listen(listeners, time.monotonic() + SETTLE_S)
    before, cpu_before, began = _samples(listeners), cpu_s(job.pid), time.monotonic()
    _listen(listeners, began + job.seconds)
    samples, used_s, seconds = _samples(listeners), cpu_s(job.pid), time.monotonic() - began
    _finish(listeners, time.monotonic() + GRACE_S)

    count = Count()
    for listener in listeners:
        count = count.plus(listener.tally.count())
        listener.client.close()
    count.samples = samples - before
    report = Heard(count, seconds, used_s - cpu_before)
    sys.stdout.write(json.dumps(asdict(report)))


class Listener:
    """A client, its subscription and its tally."""

    def __init__(self, job: Job, names: Sequence[str]) -> None:
        self.client = UaClient(job.endpoint)
        self.tally = Tally(len(names))
        nodes = [ua.NodeId(name, job.namespace) for name in names]
        self.client.subscribe(nodes, job.publishing_ms)

    def fileno(self) -> int:
        """For select."""
        return self.client.fileno()

    def hear(self) -> None:
        """Count what has arrived."""
        for message in self.client.notifications():
            for body in message.data:
                self.tally.take(body)


def _listen(listeners: Sequence[Listener], until: float) -> None:
    while (left := until - time.monotonic()) > 0:
        for listener in select.select(listeners, [], [], left)[0]:
            listener.hear()


def _finish(listeners: Sequence[Listener], until: float) -> None:
    """Hear on until every item of a client has come as far as its others."""
    for listener in listeners:
        while not listener.tally.is_even and time.monotonic() < until:
            _listen([listener], min(until, time.monotonic() + 0.1))


def _samples(listeners: Sequence[Listener]) -> int:
    return sum(listener.tally.samples for listener in listeners)


if __name__ == "__main__":
    main()

"""The well-behaved client: every tick of some variables, while others attack the server.

A process of its own, `python -m bench.attack_listener ENDPOINT NAME ...`, so that nothing but the
server holds it up. A line on its standard input asks how it was since the last line.
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
from bench.ua_tally import Tally
from bench.ua_user import User
from twincell.server.opcua.space.namespaces import CELL

ROOT = Path(__file__).parent.parent
PUBLISHING_MS = 5.0
NEVER_S = float("inf")
GRACE_S = 10.0  # for the rest of a moment; chosen
SETTLE_S = 0.5  # from the subscription to the first message that counts; chosen


@dataclass(frozen=True)
class ListenerReport:
    """How the well-behaved client fared."""

    samples: int  # so far
    wrong: int  # of these: lost, double, out of order, or bad
    verdict: str  # the same in words
    gap_ms: float  # the longest time without a message since the last report
    overruns: int  # of the loop so far


class Listening:
    """The process of the well-behaved client, from outside."""

    def __init__(self, endpoint: str, names: Sequence[str], user: User | None = None) -> None:
        asked = json.dumps([endpoint, names, user])
        command = [sys.executable, "-m", "bench.attack_listener", asked]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.report()  # it has begun

    def report(self) -> ListenerReport:
        """How it was since it was last asked."""
        told, said = self._process.stdin, self._process.stdout
        assert told is not None and said is not None  # they are pipes
        told.write("\n")
        told.flush()
        line = said.readline()
        if not line:
            raise RuntimeError(f"the well-behaved client ended: {self._process.wait()}")
        return ListenerReport(**json.loads(line))

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


class Listener:
    """The well-behaved client itself."""

    def __init__(self, endpoint: str, names: Sequence[str], user: User | None) -> None:
        self._stream = UaClient(endpoint, "well-behaved", user)
        self._tally = Tally(len(names))
        self._stream.subscribe([ua.NodeId(name, CELL) for name in names], PUBLISHING_MS)
        self._last_s = self._gap_s = 0.0
        self._asked_s = NEVER_S

    def listen(self, seconds: float = float("inf")) -> None:
        """Hear messages, and report when that is asked for.

        A moment comes in several messages, and one between them would look like a loss.
        """
        until = time.monotonic() + seconds
        while (now_s := time.monotonic()) < until:
            ready = select.select([self._stream, sys.stdin], [], [], 0.1)[0]
            if self._stream in ready:
                self._hear()
            if sys.stdin in ready:
                if not sys.stdin.readline():
                    return
                self._asked_s = now_s
            if self._tally.is_even or now_s - self._asked_s > GRACE_S:
                self._tell_if_asked()

    def begin(self) -> None:
        """What counts begins now."""
        self._last_s, self._gap_s = time.monotonic(), 0.0

    def _hear(self) -> None:
        for message in self._stream.notifications():
            now_s = time.monotonic()
            self._gap_s = max(self._gap_s, now_s - self._last_s)
            self._last_s = now_s
            for body in message.data:
                self._tally.take(body)

    def _tell_if_asked(self) -> None:
        if self._asked_s == NEVER_S:
            return
        self._asked_s = NEVER_S
        gap_s = max(self._gap_s, time.monotonic() - self._last_s)
        (overruns,) = self._stream.read([ua.NodeId("Simulation.Overruns", CELL)])
        count = self._tally.count()
        report = ListenerReport(
            count.samples, count.wrong, count.verdict, gap_s * 1e3, int(overruns)
        )
        sys.stdout.write(json.dumps(asdict(report)) + "\n")
        sys.stdout.flush()
        self._gap_s = 0.0


def main() -> None:
    """Listen for ever."""
    listener = Listener(*json.loads(sys.argv[1]))
    listener.listen(SETTLE_S)
    listener.begin()
    listener.listen()


if __name__ == "__main__":
    main()

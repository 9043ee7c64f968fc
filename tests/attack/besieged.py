"""A running cell that is attacked, and a well-behaved client that must not notice.

The cell is not in lab mode: whoever gives no name may read, and nothing else.

Whether the loop and the client are on time while it is attacked is a question for the bench
(`bench/attack_messages.py`): there an equal load that attacks nobody tells what the machine does.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.attack_intruder import Intruder
from bench.attack_listener import Listening
from bench.ua_processes import listens_at, own_mb
from tests.server.running_cell import RunningCell, children_of
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.roles import Role
from twincell.server.security.users import Users

PASSWORD = "correct horse"
NAMES = ["Simulation.Time", "Tool1.Pose.X", "Tool1.Pose.Z", "Tool1.Force.Z"]
MOST_GROWTH_MB = 60.0  # while an attack lasts: some of its messages, answers and queues; chosen
LOOK_S = 0.1  # between two looks at the memory
STALLED_MS = 5000.0  # nobody is busy for so long: what is silent then waits for something


class Besieged:
    """The cell, and how its client fares."""

    def __init__(
        self,
        folder: Path,
        cell: object = "tool_change_multi",
        names: Sequence[str] = NAMES,
        *options: object,
    ) -> None:
        self.folder = folder
        security = self.security = SecurityFolder(folder / "security")
        users = Users(security.users)
        for role in (Role.OBSERVER, Role.OPERATOR, Role.ENGINEER):
            users.add(role.name.lower(), role, PASSWORD)
        arguments = ["--port", 0, "--no-demo", "--security", security.root]
        self.cell = RunningCell(folder, cell, *arguments, *options, lab=False)
        self.endpoint = self.cell.url
        self.pid = self._serving_pid()
        try:
            self._listening = Listening(self.endpoint, names)
        except BaseException:
            self.cell.end()
            raise

    def end(self) -> None:
        self._listening.close()
        self.cell.end()

    @property
    def mb(self) -> float:
        """Memory of the process that answers clients."""
        return own_mb(self.pid)

    def intruder(self, user: str | None = None) -> Intruder:
        """A client with a session: anonymous, or the user of a role."""
        made = Intruder(self.endpoint)
        try:
            made.log_in(user, PASSWORD)
        except BaseException:
            made.close()
            raise
        return made

    @contextmanager
    def unharmed(self) -> Iterator[None]:
        """What happens meanwhile harms nobody."""
        before, held = self._listening.report(), self.mb
        with self._watched() as seen_mb:
            yield
        after = self._listening.report()
        assert after.samples > before.samples, "the well-behaved client was not served"
        assert after.wrong == 0, "the well-behaved client lost samples"
        assert after.gap_ms < STALLED_MS, "the server stood still"
        growth_mb = max(seen_mb) - held
        assert growth_mb < MOST_GROWTH_MB, f"{held:.0f} MB before, {max(seen_mb):.0f} at most"
        assert self._serving_pid() == self.pid, "the server was started anew"

    @contextmanager
    def _watched(self) -> Iterator[list[float]]:
        """The memory, looked at again and again: a peak counts as well as what stays."""
        seen_mb, is_over = [self.mb], threading.Event()

        def look() -> None:
            while not is_over.wait(LOOK_S):
                seen_mb.append(self.mb)

        looking = threading.Thread(target=look)
        looking.start()
        try:
            yield seen_mb
        finally:
            is_over.set()
            looking.join()
            seen_mb.append(self.mb)

    def _serving_pid(self) -> int:
        pids = [self.cell.process.pid, *children_of(self.cell.process.pid)]
        return next(pid for pid in pids if listens_at(pid, self.cell.port))


def descriptors(pid: int) -> int:
    """How many files and sockets a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))

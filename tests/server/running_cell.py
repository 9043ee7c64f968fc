"""`twincell run` as a user starts it: a process of its own, with children."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.server.twincell_command import command, environment

PATIENCE_S = 60.0  # the machine may be busy with other tests


class RunningCell:
    """A cell that runs until the test is over."""

    def __init__(self, folder: Path, *arguments: object, lab: bool = True) -> None:
        self._notes = folder / "stderr.txt"
        with self._notes.open("wb") as notes:
            self.process = subprocess.Popen(
                command("run", *(["--lab"] if lab else []), *arguments),
                cwd=folder,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=notes,
                text=True,
                # pytest may run in the background, where Ctrl-C is ignored
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )
        assert self.process.stdout
        first = self.process.stdout.readline()
        assert first.startswith("ready: opc.tcp://localhost:"), self.notes
        self.url = first.removeprefix("ready: ").strip()

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def child(self, name: str) -> int:
        """The process that does something, once there is one."""
        found: list[int] = []

        def is_found() -> bool:
            found[:] = [pid for pid in children_of(self.process.pid) if name_of(pid) == name]
            return bool(found)

        wait_until(is_found)
        return found[0]

    @contextmanager
    def without(self, name: str) -> Iterator[None]:
        """Kill a process; only after the block is it started again.

        The supervisor is stopped meanwhile: it would be faster than a test that looks around.
        """
        killed = self.child(name)
        self.process.send_signal(signal.SIGSTOP)
        try:
            wait_until(lambda: state_of(self.process.pid) == "T")
            os.kill(killed, signal.SIGKILL)
            wait_until(lambda: not is_there(killed))
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    @property
    def notes(self) -> str:
        """What it has written to standard error."""
        return self._notes.read_text(encoding="utf-8")

    def end(self) -> None:
        """End it, however it is."""
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            assert self.process.stdout
            self.process.stdout.close()
        assert "Traceback" not in self.notes


@contextmanager
def running(folder: Path, *arguments: object, lab: bool = True) -> Iterator[RunningCell]:
    """A running cell; in lab mode everybody may do everything."""
    cell = RunningCell(folder, *arguments, lab=lab)
    try:
        yield cell
    finally:
        cell.end()


def children_of(pid: int) -> list[int]:
    """Child processes."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def name_of(pid: int) -> str:
    """What a process calls itself."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_there(pid: int) -> bool:
    """Whether a process lives; one that waits for its parent to take note does not."""
    return state_of(pid) not in ("", "Z", "X")


def state_of(pid: int) -> str:
    """What the system says a process does, in a letter; "" if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return stat.rpartition(")")[2].split()[0]


def wait_until(fulfilled: Callable[[], bool], within_s: float = PATIENCE_S) -> float:
    """Wait for a condition; how long it took."""
    began_s = time.monotonic()
    while not fulfilled():
        assert time.monotonic() - began_s < within_s, "it took too long"
        time.sleep(0.005)
    return time.monotonic() - began_s

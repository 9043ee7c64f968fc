"""A cell of our own: `twincell run` as a user starts it, on a free port, ended when we are done.

A cell in lock step stands still between two orders to advance: a test is as fast as the machine,
and gives the same result on every one. In real time it goes on by itself, as a real cell does.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from enum import StrEnum
from pathlib import Path

from twincell import server
from twincell.server.realtime.process import PR_SET_PDEATHSIG, prctl

ENDING_S = 20.0  # chosen: ten times what an orderly end takes
LONGEST_START_S = 300.0  # chosen: compiling the kernels takes a minute on an idle machine
READY = "ready: "
STATUS = "ticks/s |"  # in the line that says how the cell is, once a minute
LONGEST_NOTES = 100_000  # bytes read at once


class Time(StrEnum):
    """How the time of a cell goes on."""

    LOCKSTEP = "lockstep"
    REALTIME = "realtime"


OPTIONS = {Time.LOCKSTEP: ["--time", "lockstep"], Time.REALTIME: []}


class CellDidNotStart(Exception):
    """`twincell run` ended, or was silent; the text is what it said."""


class RunningCell:
    """A cell that runs until it is told to end."""

    def __init__(self, cell: str, time: Time, folder: Path | None = None) -> None:
        self.cell = cell
        self._notes = tempfile.TemporaryFile()  # noqa: SIM115
        self._folder = tempfile.TemporaryDirectory(prefix="twincell-")
        self.recordings = Path(self._folder.name)
        command = [
            sys.executable,
            "-m",
            "twincell.server.cli",
            "run",
            cell,
            "--port",
            "0",
            "--no-web",
        ]
        command += ["--recordings", self._folder.name]
        self._process = subprocess.Popen(
            [*command, "--lab", "--no-demo", *OPTIONS[time]],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._notes,
            text=True,
            encoding="utf-8",
            preexec_fn=_belong_to_us,
        )
        self.url = ""
        self._heard = 0  # bytes of its notes

    def wait_until_ready(self) -> None:
        """Until it can be reached; several cells may start at the same time."""
        watch = threading.Timer(LONGEST_START_S, self._process.kill)
        watch.start()
        assert self._process.stdout
        try:
            first = self._process.stdout.readline()
        finally:
            watch.cancel()
        if not first.startswith(READY):
            self._process.kill()
            self._process.wait()
            said = self.said()
            self.end()
            raise CellDidNotStart(said or f"{self.cell}: was not ready in {LONGEST_START_S:g} s")
        self.url = first.removeprefix(READY).strip()

    def said(self) -> str:
        """What it said since this was last asked, such as why it refused something."""
        said = os.pread(self._notes.fileno(), LONGEST_NOTES, self._heard)
        self._heard += len(said)
        lines = said.decode("utf-8", "replace").splitlines()
        return "\n".join(line for line in lines if STATUS not in line)

    def end(self) -> None:
        """End it, however it is."""
        self._process.terminate()
        try:
            self._process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._notes.close()
        self._folder.cleanup()


def _belong_to_us() -> None:
    """In the new process: Ctrl-C is for the test run, which ends the cell; nothing outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _environment() -> dict[str, str]:
    """Ours, with the twincell that is imported here first on the path."""
    root = str(Path(server.__file__).parents[2])
    path = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{path}" if path else root}

"""A server that runs as users run it, `twincell run`, in processes of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.lab_serving import FOLDER
from bench.ua_processes import children, listens_at
from twincell.server.security.folder import VARIABLE

ROOT = Path(__file__).parent.parent
READY = "ready: "
STOP_S = 10.0


class NotReady(Exception):
    """A server ended before it was ready."""


@dataclass(frozen=True)
class Running:
    """A server that is ready."""

    process: subprocess.Popen[str]
    endpoint: str
    ready_s: float  # from its start

    @property
    def pids(self) -> list[int]:
        """The process that we started, and its children."""
        return [self.process.pid, *children(self.process.pid)]

    @property
    def serving_pid(self) -> int:
        """The one of them that answers clients."""
        port = urlsplit(self.endpoint).port or 0
        return next(pid for pid in self.pids if listens_at(pid, port))


@contextmanager
def running(command: Sequence[str]) -> Iterator[Running]:
    """Start a Python module that prints `ready: ENDPOINT`; stop it in the end."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1", VARIABLE: str(FOLDER.root)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None  # it is a pipe
        for line in process.stdout:
            if line.startswith(READY):
                ready_s = time.monotonic() - started
                yield Running(process, line.removeprefix(READY).strip(), ready_s)
                break
        else:
            raise NotReady(f"{' '.join(command)} ended with exit code {process.wait()}")
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def running_cell(cell: str | Path, *options: str) -> AbstractContextManager[Running]:
    """`twincell run` of a cell, at any free port, with nobody who commands it but us."""
    quiet = ["--port", "0", "--no-demo", "--no-web", "--lab"]
    return running(["twincell.server.cli", "run", str(cell), *quiet, *options])

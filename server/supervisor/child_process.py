"""One supervised process: how it is started, how it is stopped, and how it ended.

A child is forked, so it has everything its parent has: the compiled cell, the shared memory.
"""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from twincell.server.logging.pipe import LogPipe
from twincell.server.realtime.process import become_child

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KILL_S = 0.5  # the system ends a killed process much sooner; chosen: nobody waits for ever

OURS = "twincell "  # what the names of all of our processes begin with

_forked = multiprocessing.get_context("fork")


@contextmanager
def signals_held() -> Iterator[None]:
    """Let signals that end us wait, so that no child is started or stopped by half."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Child:
    """A process that does one piece of work until it is asked to stop."""

    def __init__(self, name: str, work: Callable[[], None], log_pipe: LogPipe) -> None:
        self._name = name
        self._work = work
        self._log_pipe = log_pipe
        # daemon: should everything else fail, it is ended when Python is
        self._process = _forked.Process(target=self._live, args=(os.getpid(),), daemon=True)
        with signals_held():
            self._process.start()

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    @property
    def sentinel(self) -> int:
        """Becomes readable when the process ends."""
        return self._process.sentinel

    @property
    def code(self) -> int | None:
        """Exit code, less than 0 for a signal; None while it lives."""
        return self._process.exitcode

    @property
    def end(self) -> str:
        """How it ended, in words."""
        code = self.code or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def ask_to_stop(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        """End it, whatever it does, and wait for that."""
        self.end_by_force()
        self._process.join(KILL_S)

    def end_by_force(self) -> None:
        """End it, whatever it does."""
        with suppress(OSError):
            # a real-time process that waits for a core which another one never leaves cannot
            # even die: let it die as an ordinary process, on any core
            os.sched_setscheduler(self.pid, os.SCHED_OTHER, os.sched_param(0))
            os.sched_setaffinity(self.pid, os.sched_getaffinity(0))
        self._process.kill()

    def wait(self, until_s: float) -> bool:
        """Wait for its end, at most until a time on the monotonic clock; whether it came."""
        self._process.join(max(0.0, until_s - time.monotonic()))
        return self.code is not None

    def _live(self, parent_pid: int) -> None:
        Path("/proc/self/comm").write_text(self._name)  # what ps and top show
        become_child(parent_pid)
        # now that they do not run the parent's handlers any more
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        self._log_pipe.give_to_this_process(self._name.removeprefix(OURS))
        self._work()

"""A signal between two processes: one side rings, the other wakes up at once instead of looking.

It is an eventfd of Linux, which child processes inherit by fork. One that nobody listens to
costs nothing: it stays rung, and the next one who listens does not wait.
"""

import os
import select
import weakref
from contextlib import suppress


class WakeSignal:
    """Rung by one side, waited for by the other."""

    def __init__(self) -> None:
        self.file = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.poll()
        self._poll.register(self.file, select.POLLIN)
        weakref.finalize(self, os.close, self.file)

    def ring(self) -> None:
        """Wake the other side up, now or when it next waits."""
        os.eventfd_write(self.file, 1)

    def wait(self, longest_ns: int) -> None:
        """Wait until it rings, at most for so long."""
        if self._poll.poll(longest_ns / 1e6):
            self.silence()

    def silence(self) -> None:
        """Stop its ringing: from now on it rings for what is new."""
        with suppress(BlockingIOError):  # it was not rung
            os.eventfd_read(self.file)

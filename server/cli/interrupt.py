"""Ctrl-C while nothing has been started yet: the process ends at once.

Python's own way is an exception, and libraries lose it: some swallow whatever is raised while they
try optional imports. A start would go on as if nobody had asked for its end.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from twincell.server.cli.exit_codes import INTERRUPTED


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process within the block, unless it is ignored or somebody minds it."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)

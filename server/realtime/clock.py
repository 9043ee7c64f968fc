"""The clocks and the sleep that the loop lives by; tests give it others.

Python's time.sleep waits for an absolute time inside (clock_nanosleep), but an idle core takes a
while to wake up: measured on a virtual machine under SCHED_FIFO, 28 µs at the median and 80 µs at
the 99th percentile, the same with clock_nanosleep itself. So `sleep_exactly` gets up a little
early and watches the clock for the rest: a few percent of one core buy a tick that begins on time.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

WATCH_NS = 50_000  # watching the clock for so long covers most wake-ups; chosen, see above
WATCH_SHARE = 10  # and at most a tenth of a sleep: a fast loop must leave its core to others too


class Clock(NamedTuple):
    """What time it is, and how to let it pass; all in nanoseconds."""

    monotonic: Callable[[], int]
    wall: Callable[[], int]  # since 1970
    sleep: Callable[[int], None]  # to the deadline, or a little longer
    rest: Callable[[int], None]  # when nobody minds the microseconds; it may end sooner


def rest(duration_ns: int) -> None:
    """Sleep."""
    time.sleep(duration_ns * 1e-9)


def sleep_exactly(duration_ns: int) -> None:
    """Sleep, and wake up on time."""
    end_ns = time.monotonic_ns() + duration_ns
    time.sleep((duration_ns - min(WATCH_NS, duration_ns // WATCH_SHARE)) * 1e-9)
    while time.monotonic_ns() < end_ns:
        pass


REAL_TIME = Clock(time.monotonic_ns, time.time_ns, sleep_exactly, rest)

"""When the next tick is due, and what happens when one comes too late.

    deadline n = anchor + n · period        n is counted from the anchor, so no rounding adds up

Behind its schedule the loop does not sleep and so catches up, tick by tick. But a machine that is
too slow, or was stopped for a while, would chase its schedule for ever: beyond a bound the lag is
given up, and the schedule begins anew from now. That is a slip: simulated time has fallen behind.

With real-time priority a loop that never sleeps has its core for itself: nothing else runs there,
not even another loop. So one that found no time to sleep for a while takes a rest all the same.
"""

from collections.abc import Callable

# A lag to catch up: chosen. Stalls of a general purpose system are shorter than 50 ms, and no cell
# shall lose time by them. A slow cell may be 50 ticks behind, as at normal speed: for the readers
# of the rows this is the same burst.
LONGEST_LAG_NS = 50_000_000
LONGEST_LAG_PERIODS = 50

LONGEST_SLEEP_NS = 20_000_000  # chosen: a slow cell still hears orders and shows that it lives

# Chosen: a sixth of the core is left to others, and catching up a lag of 50 ticks needs no rest.
LONGEST_WORK_NS = 50_000_000
REST_NS = 10_000_000


class Pace:
    """The schedule of the ticks."""

    def __init__(
        self, period_ns: float, clock: Callable[[], int], sleep: Callable[[int], None]
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self.overruns = 0  # ticks that ended after the next one was due
        self.slips = 0  # lags given up
        self.restart(period_ns)

    def restart(self, period_ns: float) -> None:
        """Begin anew: a tick now, and the next one a period later."""
        self._period_ns = period_ns
        self._longest_lag_ns = max(LONGEST_LAG_NS, LONGEST_LAG_PERIODS * period_ns)
        self.now_ns = self._anchor_ns = self._clock()  # now: when the clock was last looked at
        self._slept_ns = self.now_ns
        self._count = 1  # of the next tick, since the anchor
        self._in_tick = True

    def wait(self) -> int | None:
        """Sleep until a tick is due and return how late that was [ns]; None: it is not due yet."""
        due_ns = self._anchor_ns + round(self._count * self._period_ns)
        now_ns = self._clock()
        if self._in_tick and now_ns > due_ns:
            self.overruns += 1
        self._in_tick = False
        if now_ns < due_ns:
            now_ns = self._sleep_for(min(due_ns - now_ns, LONGEST_SLEEP_NS))
        elif now_ns - self._slept_ns > LONGEST_WORK_NS:
            now_ns = self._sleep_for(REST_NS)
        self.now_ns = now_ns
        late_ns = now_ns - due_ns
        if late_ns < 0:
            return None
        if late_ns > self._longest_lag_ns:
            self.slips += 1
            self._anchor_ns, self._count = now_ns, 0
        self._count += 1
        self._in_tick = True
        return late_ns

    def _sleep_for(self, duration_ns: int) -> int:
        """Sleep, and return the time."""
        self._sleep(duration_ns)
        self._slept_ns = self._clock()
        return self._slept_ns

"""A clock for tests: time passes only while somebody sleeps or is told to take long."""

from twincell.server.realtime.clock import Clock


class MadeUpClock:
    def __init__(self) -> None:
        self.now_ns = 5_000_000_000
        self.wall_ns = 1_700_000_000_000_000_000 - self.now_ns  # since 1970, when now_ns is 0
        self.wakes_late_ns = 0
        self.look_ns = 0  # how long it takes to look at the clock: work, seen from outside
        self.slept_ns: list[int] = []

    @property
    def clock(self) -> Clock:
        return Clock(self.monotonic, self.wall, self.sleep, self.sleep)

    def monotonic(self) -> int:
        self.now_ns += self.look_ns
        return self.now_ns

    def wall(self) -> int:
        return self.wall_ns + self.now_ns

    def sleep(self, duration_ns: int) -> None:
        assert duration_ns > 0
        self.slept_ns.append(duration_ns)
        self.now_ns += duration_ns + self.wakes_late_ns

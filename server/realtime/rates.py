"""How fast counters grow: over the last while, from looks at them now and then."""

import time
from collections import deque

SHORTEST_S = 1e-3  # between two looks; a rate over less says nothing


class Rates:
    """Rates of some counters, a second."""

    def __init__(self, over_s: float) -> None:
        self._over_s = over_s
        self._seen: deque[tuple[float, tuple[float, ...]]] = deque()  # when, and how many

    @property
    def looked_s(self) -> float:
        """When somebody last looked, on the monotonic clock; long ago, if nobody has."""
        return self._seen[-1][0] if self._seen else -float("inf")

    def look(self, *counts: float) -> None:
        """Remember how far the counters are."""
        if self._seen and any(
            now < then for now, then in zip(counts, self._seen[-1][1], strict=True)
        ):
            self._seen.clear()  # who counts was restarted, or time was set back
        self._seen.append((time.monotonic(), counts))
        # the last one before that time stays: it is what the newest is compared with
        while len(self._seen) > 1 and self._seen[-1][0] - self._seen[1][0] >= self._over_s:
            self._seen.popleft()

    def a_second(self, *counts: float) -> tuple[float, ...]:
        """The rates up to these counts, or up to the last look."""
        then_s, before = self._seen[0]
        now_s, now = (time.monotonic(), counts) if counts else self._seen[-1]
        elapsed_s = max(now_s - then_s, SHORTEST_S)
        return tuple((one - then) / elapsed_s for one, then in zip(now, before, strict=True))

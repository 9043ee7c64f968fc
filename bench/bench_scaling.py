"""How the cost of a tick grows with the number of held objects, and how many fit into 1 ms.

All counts take turns, so that a slow minute of the machine falls on all of them alike.
"""

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from bench.held_objects import ours
from bench.result import Result
from bench.rounds import take_turns

COUNTS = (10, 32, 100, 316, 1000)
AROUND_1_MS = (400, 700, 1000, 1300, 1600, 1900)
DEADLINE_S = 0.001


def scaling() -> Iterator[Result]:
    """Least squares of log(time) over log(count), and the count whose tick takes 1 ms."""
    seconds = _tick_seconds(COUNTS, [max(10, 20_000 // n) for n in COUNTS], rounds=11)
    yield Result("scaling_exponent", exponent(COUNTS, seconds), "1")
    seconds = _tick_seconds(AROUND_1_MS, [20] * len(AROUND_1_MS), rounds=41)
    yield Result("objects_1khz_rk4", count_at(DEADLINE_S, AROUND_1_MS, seconds), "objects")


def _tick_seconds(counts: Sequence[int], ticks: Sequence[int], rounds: int) -> list[float]:
    """Median time of one tick for each count."""
    times = take_turns([ours(n, t) for n, t in zip(counts, ticks, strict=True)], rounds)
    return [median(own) / t for own, t in zip(times, ticks, strict=True)]


def exponent(counts: Sequence[int], seconds: Sequence[float]) -> float:
    """Slope of the straight line nearest to the points, both axes logarithmic."""
    return float(np.polyfit(np.log(counts), np.log(seconds), 1)[0])


def count_at(deadline_s: float, counts: Sequence[int], seconds: Sequence[float]) -> int:
    """Count at which a tick takes the deadline, on the line through the points next to it."""
    return int(np.interp(deadline_s, np.maximum.accumulate(seconds), counts))

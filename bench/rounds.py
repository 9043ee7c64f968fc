"""Timing on a machine that others use too: take turns, many short rounds, medians.

What disturbs one contestant in a round disturbs the other in the same round or the next; so a ratio
is the median of the rounds' ratios, and never of times taken minutes apart.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

Work = Callable[[], object]


@dataclass(frozen=True)
class Contestant:
    """Something to time: `prepare` is not counted, `work` is."""

    prepare: Work
    work: Work


def seconds_of(contestant: Contestant) -> float:
    """Time of one round."""
    contestant.prepare()
    started = time.perf_counter()
    contestant.work()
    return time.perf_counter() - started


def take_turns(contestants: Sequence[Contestant], rounds: int) -> list[list[float]]:
    """Seconds of each contestant in each round; a first round, not counted, warms caches."""
    for contestant in contestants:
        seconds_of(contestant)
    times: list[list[float]] = [[] for _ in contestants]
    for _ in range(rounds):
        for contestant, own in zip(contestants, times, strict=True):
            own.append(seconds_of(contestant))
    return times


def median_ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """Median over the rounds of one contestant's time by another's."""
    return median(a / b for a, b in zip(above, below, strict=True))

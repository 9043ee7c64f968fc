"""How the cost of a tick grows with the number of held objects, and how many fit into 1 ms.

There is no peer to take turns with, so the time is that of the processor: what one core needs,
without waiting for others that use it too. `objects_1khz_rk4_wall` repeats the search with wall
time: the difference is the load of the machine.
"""

import math
import time
from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from bench.held_objects import ours
from bench.result import Result
from bench.rounds import Clock, take_turns

COUNTS = (10, 32, 100, 316, 1000)
ROUNDS = 7
DEADLINE_S = 0.001
LONG_ENOUGH = 0.05  # [s] of a round, so that a tick is known to a percent
TRIES = 4


def scaling() -> Iterator[Result]:
    """Least squares of log(time) over log(count)."""
    seconds = _tick_seconds(time.thread_time)
    yield Result("scaling_exponent", exponent(COUNTS, seconds), "1")
    guess = math.floor(COUNTS[-1] * DEADLINE_S / seconds[-1])
    yield Result("objects_1khz_rk4", objects_1khz(guess, time.thread_time), "objects")
    yield Result("objects_1khz_rk4_wall", objects_1khz(guess, time.perf_counter), "objects")


def _tick_seconds(clock: Clock) -> list[float]:
    """Time of one tick for each count."""
    ticks = [max(10, 20_000 // n) for n in COUNTS]
    contestants = [ours(n, t) for n, t in zip(COUNTS, ticks, strict=True)]
    rounds = take_turns(contestants, ROUNDS, clock)
    return [median(times) / t for times, t in zip(rounds, ticks, strict=True)]


def exponent(counts: Sequence[int], seconds: Sequence[float]) -> float:
    """Slope of the straight line nearest to the points, both axes logarithmic."""
    return float(np.polyfit(np.log(counts), np.log(seconds), 1)[0])


def objects_1khz(guess: int, clock: Clock) -> int:
    """The largest count that was seen to keep 1 ms a tick (median of the rounds)."""
    ticks = math.ceil(LONG_ENOUGH / DEADLINE_S)
    largest = 0
    count = guess
    for _ in range(TRIES):
        (times,) = take_turns([ours(count, ticks)], ROUNDS, clock)
        tick = median(times) / ticks
        if tick <= DEADLINE_S:
            largest = max(largest, count)
        # the cost is nearly proportional to the count
        count = max(1, math.floor(count * DEADLINE_S / tick))
        if count <= largest:
            break
    return largest

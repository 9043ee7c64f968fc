"""Points that fill a cube evenly, and are the same in every run: multiples of roots of primes."""

import numpy as np

from twincell.sim.model import Floats

N_SPREAD = 24  # chosen: costs milliseconds for an arm


def evenly_spread(n: int) -> list[Floats]:
    """Points in the unit cube of n dimensions."""
    roots = np.sqrt(_primes(n))
    return [np.modf(k * roots)[0] for k in range(1, N_SPREAD + 1)]


def _primes(n: int) -> list[int]:
    found: list[int] = []
    candidate = 2
    while len(found) < n:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found

"""Chance that can be repeated: a number between 0 and 1 for each number of a series.

    z = seed + (n + 1) γ;  z = (z ⊕ z >> 30) a;  z = (z ⊕ z >> 27) b;  u = (z ⊕ z >> 31) / 2⁶⁴

splitmix64, after Steele, Lea and Flood 2014, with its constants. The n-th number can be had
without those before it, so it is the same for all clients, whoever asks first.
"""

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.shared.ring import Floats, Ints

GAMMA, A, B = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
UNIT = 2.0**-53  # of a number with as many bits as a double has


def chances(seed: int, numbers: Ints) -> Floats:
    """The chances with some numbers, from 0, of a series."""
    count: npt.NDArray[np.uint64] = numbers.astype(np.uint64) + np.uint64(1)
    z = np.uint64(seed) + count * GAMMA  # beyond 64 bits it begins anew
    z = (z ^ (z >> np.uint64(30))) * A
    z = (z ^ (z >> np.uint64(27))) * B
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) * UNIT


def chance(seed: int, number: int) -> float:
    """One of them."""
    return float(chances(seed, np.array([number]))[0])

"""A disc as a collision object; its normal is its own z axis.

    touches  ⇔  √(d₁² + d₂²) ≤ R,  |d₃| < r         d in the disc's axes

It catches from both sides, like a rectangle.
"""

import math

from twincell.sim.jit import formula


@formula
def disc_gap(d, disc_radius, radius, reach):
    """Gap from a constrained object at d, and whether it is within `reach` catch distances."""
    before = math.sqrt(d[0] * d[0] + d[1] * d[1]) <= reach * disc_radius
    return abs(d[2]) - radius, before and abs(d[2]) < reach * radius

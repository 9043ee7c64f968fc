"""When a fast object touches: the first moment of the coming tick.

Seen from a collision object, which does not turn meanwhile, it flies straight from d to d + e. Its
gap is a convex function of the share τ of the tick, so Newton's method comes to the first touch
from before and never passes it:

    τ <- τ - gap / (n · e)           n: normal of the shape at d + τ e

Where n · e ≥ 0 it moves away and will not touch. The shapes are those of `detect`: a rectangle
catches within a box of the height 2 r, a disc within a cylinder.
"""

import math

from twincell.sim.geometry.point_distance import point_distance
from twincell.sim.jit import kernel
from twincell.sim.mechanics.vector import dot, norm, plus, times
from twincell.sim.network.catch_shapes import catch_region

CLOSE = 1.0e-9  # of the way in the tick: a gap that counts as touching; chosen
MOST_ROUNDS = 50  # chosen: a path that only grazes halves its gap in each


@kernel
def share_until_touch(shape, half, shape_radius, d, radius, e):
    """Share of the tick until an object of that radius touches; infinite if it does not."""
    shape, half, margin = catch_region(shape, shape, half, radius)
    close = CLOSE * norm(e)
    share = 0.0
    for _ in range(MOST_ROUNDS):
        distance, normal = point_distance(shape, half, shape_radius, plus(d, times(share, e)))
        if distance - margin <= close:
            return share
        toward = -dot(normal, e)
        if not toward > 0.0:
            return math.inf
        share += (distance - margin) / toward
        if not share < 1.0:
            return math.inf
    return math.inf

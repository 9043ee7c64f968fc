"""The normal of a capsule's contact: from the nearest point of the other surface to its axis.

    g(λ) = distance(c + λ t)       |λ| ≤ l        least where  n(λ) · t = 0, or at an end

The distance from a convex shape is convex, so its slope n · t along the axis only grows, and one
change of sign is looked for. A capsule whose axis enters the other solid has no such normal.
"""

from sim.geometry.point_distance import nearest
from sim.jit import formula, kernel
from sim.mechanics.vector import dot, mul, mul_transposed, plus, times

HALVINGS = 60
CLOSE = 1.0e-14  # of the length


@kernel
def capsule_way_out(half_length, p, t, shape, half, radius, R_W):
    """Distance of a capsule's axis from another surface, and the normal there, in the world.

    p is the capsule's middle from the other's origin, t its axis; both in the world.
    """
    p = mul_transposed(R_W, p)
    t = mul_transposed(R_W, t)
    low, high = -half_length, half_length
    slope_low = _slope(shape, half, radius, p, t, low)
    slope_high = _slope(shape, half, radius, p, t, high)
    if slope_low >= 0.0 and slope_high >= 0.0:
        middle = low
    elif slope_low <= 0.0 and slope_high <= 0.0:
        middle = high
    else:
        middle = 0.0
        for k in range(HALVINGS):
            middle = 0.5 * (low + high)
            if k & 1:
                middle = low - slope_low * (high - low) / (slope_high - slope_low)
            slope = _slope(shape, half, radius, p, t, middle)
            if slope <= 0.0:
                low, slope_low = middle, slope
            if slope >= 0.0:
                high, slope_high = middle, slope
            if high - low <= CLOSE * half_length:
                break
    distance, n = nearest(shape, half, radius, plus(p, times(middle, t)))
    return distance, mul(R_W, n)


@formula
def _slope(shape, half, radius, p, t, at):
    _, n = nearest(shape, half, radius, plus(p, times(at, t)))
    return dot(n, t)

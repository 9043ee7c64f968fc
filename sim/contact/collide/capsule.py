"""The separation of a capsule: from the nearest point of the other surface to its axis.

    g(λ) = distance(c + λ t)       |λ| ≤ l        least where  n(λ) · t = 0, or at an end

The distance from a convex shape is convex, so its slope n · t along the axis only grows, and one
change of sign is looked for. A capsule whose axis enters the other solid has no such normal.
"""

from twincell.sim.contact.collide.contact_point import Separation
from twincell.sim.geometry.point_distance import point_distance
from twincell.sim.geometry.solid import axis, is_segment
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import dot, minus, mul, mul_transposed, plus, times

HALVINGS = 60
CLOSE = 1.0e-14  # of the length


@kernel
def capsule_separation(a, b):
    """Gap of two surfaces, one of them a capsule, if its axis is outside of the other."""
    d = minus(a.p_W, b.p_W)
    if is_segment(a):
        distance, n = _axis_distance(a, b, d)
    else:
        distance, n = _axis_distance(b, a, times(-1.0, d))
        n = times(-1.0, n)
    return Separation(distance - (a.rounding + b.rounding), distance, n, True)


@kernel
def _axis_distance(capsule, other, p):
    """Distance of a capsule's axis from another surface (of a capsule: its axis), and the normal.

    p is the capsule's middle from the other's origin, in the world.
    """
    radius = other.radius - other.rounding
    half_length = capsule.half[2]
    p = mul_transposed(other.R_W, p)
    t = mul_transposed(other.R_W, axis(capsule, 2))
    low, high = -half_length, half_length
    slope_low = _slope(other, radius, p, t, low)
    slope_high = _slope(other, radius, p, t, high)
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
            slope = _slope(other, radius, p, t, middle)
            if slope <= 0.0:
                low, slope_low = middle, slope
            if slope >= 0.0:
                high, slope_high = middle, slope
            if high - low <= CLOSE * half_length:
                break
    distance, n = point_distance(other.shape, other.half, radius, plus(p, times(middle, t)))
    return distance, mul(other.R_W, n)


@formula
def _slope(other, radius, p, t, at):
    """Slope of the distance along the axis t of a capsule."""
    _, n = point_distance(other.shape, other.half, radius, plus(p, times(at, t)))
    return dot(n, t)

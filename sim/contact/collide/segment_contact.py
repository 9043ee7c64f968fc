"""Two lines that touch: one point where they cross, two where they lie along each other.

Seen along the normal, a + s t_a and b + r t_b are opposite for r = (a + s t_a - b) · t_b.
Lines touch where both have a point and these are no more than a narrow strip apart:

    |s| ≤ l_a,   |r(s)| ≤ l_b,   |s sin α - k| ≤ strip        α: angle between them

The ends of that interval are the contact points. As the lines turn to each other, one point becomes
two that move apart, and their shares grow from ½ to 1 each.
"""

import math

from twincell.sim.contact.collide.contact_point import write_point
from twincell.sim.contact.collide.feature import point_in_world
from twincell.sim.contact.collide.polygon_clip import ROUNDING
from twincell.sim.jit import formula, kernel

STRIP = 1.0e-4  # of the shorter line; chosen: what round sides are apart there is far below a depth
LEVEL = 1.0e-9  # slope of lines that are level but for rounding
ONE_POINT = 0.02  # of what both have in common: a shorter interval is one point; chosen


@kernel
def write_segments(room, frame, deepest, reach, points, first):
    """Write where the lines in outlines 0 and 1 touch; how many points, and the greatest depth."""
    a, b = room[0], room[1]
    half_a, x_a, y_a = _line(a)
    half_b, x_b, y_b = _line(b)
    if half_a == 0.0 or half_b == 0.0:
        return 0, -math.inf
    cosine = x_a * x_b + y_a * y_b
    sine = x_a * y_b - y_a * x_b
    u = 0.5 * (b[0, 0] + b[1, 0] - a[0, 0] - a[1, 0])
    v = 0.5 * (b[0, 1] + b[1, 1] - a[0, 1] - a[1, 1])
    along = u * x_b + v * y_b
    aside = u * y_b - v * x_b
    strip = STRIP * min(half_a, half_b)

    low, high = _within(-half_a, half_a, cosine, along, half_b * (1.0 + ROUNDING))
    common = high - low
    low, high = _within(low, high, sine, aside, strip)
    if high < low:
        return 0, -math.inf

    ends = 2
    if high - low <= ONE_POINT * common:
        low = _deeper_end(a, b, low, high, half_a, half_b, cosine)
        ends = 1
    written = 0
    greatest = -math.inf
    for k in range(ends):
        s = low if k == 0 else high
        t_a = 0.5 + 0.5 * s / half_a
        t_b = 0.5 + 0.5 * (s * cosine - along) / half_b
        w_a = _between(a, 2, t_a)
        w_b = _between(b, 2, t_b)
        depth = w_b - w_a
        greatest = max(greatest, depth)
        if depth <= -reach or depth > deepest:
            continue
        u = 0.5 * (_between(a, 0, t_a) + _between(b, 0, t_b))
        v = 0.5 * (_between(a, 1, t_a) + _between(b, 1, t_b))
        p_W = point_in_world(frame, u, v, 0.5 * (w_a + w_b))
        share = 1.0 if ends == 1 else 0.5 + 0.5 * (high - low) / common
        write_point(points, first + written, p_W, frame.n_W, depth, share)
        written += 1
    return written, greatest


@formula
def _deeper_end(a, b, low, high, half_a, half_b, cosine):
    """Where a short interval is deepest: at an end if the lines slope, else in the middle."""
    rise = cosine * (b[1, 2] - b[0, 2]) / half_b - (a[1, 2] - a[0, 2]) / half_a
    if rise > LEVEL:
        return high
    if rise < -LEVEL:
        return low
    return 0.5 * (low + high)


@formula
def _line(outline):
    """Half the length of a line seen along the normal, and its direction."""
    x = 0.5 * (outline[1, 0] - outline[0, 0])
    y = 0.5 * (outline[1, 1] - outline[0, 1])
    half = math.sqrt(x * x + y * y)
    if half == 0.0:
        return 0.0, 1.0, 0.0
    return half, x / half, y / half


@formula
def _within(low, high, factor, shift, bound):
    """The part of [low, high] in which |factor s - shift| ≤ bound; empty if high < low."""
    if abs(factor) * (high - low) > ROUNDING * bound:
        middle = shift / factor
        width = bound / abs(factor)
        return max(low, middle - width), min(high, middle + width)
    if abs(factor * 0.5 * (low + high) - shift) > bound:
        return 1.0, 0.0
    return low, high


@formula
def _between(outline, axis, t):
    """Coordinate of a point between the ends of a line."""
    return outline[0, axis] + t * (outline[1, axis] - outline[0, axis])

"""The shortest way out where a rim touches: directions that no list holds.

Along a circle of directions square to an edge, n(θ) = u cos θ + v sin θ, and on the sphere of all
directions, the overlap f of two solids has

    f' = (s_a + s_b - d) · n'                      s: foremost points, of a along n, of b along n
    f'' + f ≥ 0                                    each foremost point moves along with n

so between two directions that are not far apart a fall followed by a rise holds one minimum.
Sixteen directions around the circle find the falls and rises; halving, helped by the secant, finds
the minima. Two rims that cross are a minimum over two angles: Newton's method from a few
directions, with the curvature of the rims,

    H = Σ R/|n⊥| t tᵀ - f 1                        t: along the rim, n⊥: n without its axial part

and with shorter steps until the overlap falls.
"""

import math

from twincell.sim.contact.collide.feature import plane_axes
from twincell.sim.contact.collide.separating_axis import better_axis
from twincell.sim.geometry.solid import axis, can_push, first_axis, is_thin, overlap, support
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import cross, dot, minus, mul, norm, plus, times

AROUND = 16  # directions around a circle; chosen: minima of faces and rims are farther apart
COSINE, SINE = math.cos(2.0 * math.pi / AROUND), math.sin(2.0 * math.pi / AROUND)
HALVINGS = 60  # of an angle: far below rounding
NEWTON = 30  # steps; a handful is the rule
BESIDE = 0.05  # as far from a tip a search starts [rad]; chosen
FOR_EVER = 1.0e3  # [m]: how far a thin surface goes back in a search; chosen, beyond any shape
CLOSE = 1.0e-13  # steps below which a search ends [rad]


@kernel
def search_rims(a, b, enough, best):
    """A better direction than the best so far, where at least one of the solids has a rim."""
    for k in range(first_axis(a), 3):
        best = _around(a, b, axis(a, k), best)
        if best[0] <= -enough:
            return best
    for k in range(first_axis(b), 3):
        best = _around(a, b, axis(b, k), best)
        if best[0] <= -enough:
            return best
    if a.rim > 0.0 and b.rim > 0.0:
        best = _over_rims(a, b, best)
    return best


@kernel
def _value(a, b, n):
    """Overlap along n; behind a thin surface the shape goes on for ever."""
    behind = max(_front(a, n), 0.0) + max(-_front(b, n), 0.0)
    return overlap(a, b, n) + FOR_EVER * behind


@formula
def _front(solid, n):
    """How much n points to the front of a thin surface, 0 for any other."""
    return dot(axis(solid, 2), n) if is_thin(solid) else 0.0


@kernel
def _gradient(a, b, n):
    """Gradient of the overlap: the difference of the foremost points."""
    s_a = mul(a.R_W, support(a, n))
    s_b = mul(b.R_W, support(b, n))
    if _front(a, n) > 0.0:
        s_a = plus(s_a, times(FOR_EVER, axis(a, 2)))
    if _front(b, n) < 0.0:
        s_b = minus(s_b, times(FOR_EVER, axis(b, 2)))
    return minus(plus(s_a, s_b), minus(a.p_W, b.p_W))


@kernel
def _around(a, b, pole, best):
    """Search the directions square to a pole."""
    n, _ = plane_axes(pole)
    last = _turned(pole, n, -SINE)
    before = _value(a, b, last)
    now = _value(a, b, n)
    for _ in range(AROUND):
        following = _turned(pole, n, SINE)
        after = _value(a, b, following)
        if now <= before and now <= after:
            best = better_axis(a, b, _minimum(a, b, pole, last, following), 0.0, best)
        last, n = n, following
        before, now = now, after
    return best


@formula
def _turned(pole, n, sine):
    """A direction square to a pole, one step on around it."""
    return plus(times(COSINE, n), times(sine, cross(pole, n)))


@kernel
def _minimum(a, b, pole, low, high):
    """Direction of least overlap between two: where the slope changes its sign."""
    slope_low = _slope(a, b, pole, low)
    slope_high = _slope(a, b, pole, high)
    for k in range(HALVINGS):
        middle = plus(low, high)
        if k & 1 and slope_low < 0.0 < slope_high:
            middle = plus(times(slope_high, low), times(-slope_low, high))
        middle = times(1.0 / norm(middle), middle)
        slope = _slope(a, b, pole, middle)
        if slope <= 0.0:
            low, slope_low = middle, slope
        if slope >= 0.0:
            high, slope_high = middle, slope
        if norm(minus(high, low)) < CLOSE:
            break
    return low


@kernel
def _slope(a, b, pole, n):
    """Slope of the overlap as n turns about a pole."""
    return dot(_gradient(a, b, n), cross(pole, n))


@kernel
def _over_rims(a, b, best):
    """Search the directions in which both solids touch with their rims."""
    for start in range(4):
        n = best[1]
        if start == 1:
            n = axis(a, 2)
        elif start == 2:
            n = axis(b, 2)
        elif start == 3:
            n = minus(a.p_W, b.p_W)
        length = norm(n)
        if length == 0.0:
            continue
        n = times(math.copysign(1.0 / length, dot(minus(a.p_W, b.p_W), n)), n)
        if not can_push(a, b, n):
            n = times(-1.0, n)
        n = _off_the_tip(a, b, n)
        value = _value(a, b, n)
        if not can_push(a, b, n):
            continue
        for _ in range(NEWTON):
            e_1, e_2 = plane_axes(n)
            gradient = _gradient(a, b, n)
            g_1, g_2 = dot(gradient, e_1), dot(gradient, e_2)
            a_11, a_12, a_22 = _curvature(a, n, e_1, e_2)
            b_11, b_12, b_22 = _curvature(b, n, e_1, e_2)
            h_11, h_12, h_22 = a_11 + b_11 - value, a_12 + b_12, a_22 + b_22 - value
            det = h_11 * h_22 - h_12 * h_12
            if det > 0.0 and h_11 > 0.0:
                x, y = (h_12 * g_2 - h_22 * g_1) / det, (h_12 * g_1 - h_11 * g_2) / det
            else:
                size = a.rim + b.rim
                x, y = -g_1 / size, -g_2 / size
            far = math.sqrt(x * x + y * y)
            scale = min(1.0, 0.5 / far) if far > 0.0 else 0.0
            found = math.inf
            after = n
            while scale * far > CLOSE:
                after = plus(n, plus(times(scale * x, e_1), times(scale * y, e_2)))
                after = times(1.0 / norm(after), after)
                found = _value(a, b, after)
                if found < value:
                    break
                scale *= 0.25
            if found >= value:
                break
            n = after
            value = found
        best = better_axis(a, b, n, 0.0, best)
    return best


@formula
def _off_the_tip(a, b, n):
    """A direction beside the axis of a rim: on the axis itself the overlap has a tip."""
    if norm(cross(axis(a, 2), n)) > BESIDE and norm(cross(axis(b, 2), n)) > BESIDE:
        return n
    e_1, e_2 = plane_axes(n)
    gradient = _gradient(a, b, n)
    g_1, g_2 = dot(gradient, e_1), dot(gradient, e_2)
    steep = math.sqrt(g_1 * g_1 + g_2 * g_2)
    if steep == 0.0:
        return n
    n = minus(n, times(BESIDE / steep, plus(times(g_1, e_1), times(g_2, e_2))))
    return times(1.0 / norm(n), n)


@formula
def _curvature(solid, n, e_1, e_2):
    """R/|n⊥| t tᵀ of a rim, in the axes e₁, e₂."""
    t = cross(axis(solid, 2), n)
    across = norm(t)
    if across == 0.0:
        return 0.0, 0.0, 0.0
    k = solid.rim / (across * across * across)
    t_1, t_2 = dot(t, e_1), dot(t, e_2)
    return k * t_1 * t_1, k * t_1 * t_2, k * t_2 * t_2

"""How far two surfaces are apart at least, and along which direction.

    gap(n) = (p_a - p_b) · n - h_a(n) - h_b(n)          h: how far a shape reaches along n

Surfaces with a positive gap along any n do not touch. The n found has the greatest gap, or one that
will do: for boxes the greatest of a list, which is never more than the distance and 0 where they
begin to touch; for what is round the distance itself.
"""

import math

from sim.contact.collide.contact_point import CLOSE, is_thin
from sim.contact.collide.rim_search import round_way_out
from sim.contact.collide.separating_axis import flat_way_out
from sim.contact.collide.solid_manifold import is_behind, rounded_way_out
from sim.geometry.point_distance import nearest
from sim.geometry.solid import column, extent, rim_of, rounding_of
from sim.jit import kernel
from sim.mechanics import rotation
from sim.mechanics.vector import dot, minus, mul, mul_transposed, times
from sim.model import CAPSULE, HALF_SPACE, SPHERE

UP = (0.0, 0.0, 1.0)


@kernel
def apart(
    shape_a, half_a, radius_a, p_WA, q_WA, shape_b, half_b, radius_b, p_WB, q_WB, layer, enough
):  # fmt: skip
    """Gap of two surfaces, and its direction from the second to the first; ≤ 0 if they touch.

    Of what is farther apart than `enough` any direction with such a gap will do. Nothing touches
    the back of a thin surface: behind it the gap is infinite.
    """
    if shape_a <= shape_b:
        return _ordered(
            shape_a, half_a, radius_a, p_WA, q_WA, shape_b, half_b, radius_b, p_WB, q_WB,
            layer, enough,
        )  # fmt: skip
    gap, n = _ordered(
        shape_b, half_b, radius_b, p_WB, q_WB, shape_a, half_a, radius_a, p_WA, q_WA,
        layer, enough,
    )  # fmt: skip
    return gap, times(-1.0, n)


@kernel
def _ordered(
    shape_a, half_a, radius_a, p_WA, q_WA, shape_b, half_b, radius_b, p_WB, q_WB, layer, enough
):  # fmt: skip
    d = minus(p_WA, p_WB)
    R_WB = rotation.matrix(q_WB)
    if shape_a == SPHERE:
        p_BA = mul_transposed(R_WB, d)
        if is_thin(shape_b) and p_BA[2] <= -layer - radius_a:
            return math.inf, UP
        distance, n_B = nearest(shape_b, half_b, radius_b, p_BA)
        return distance - radius_a, mul(R_WB, n_B)
    R_WA = rotation.matrix(q_WA)
    if shape_b == HALF_SPACE:
        n = column(R_WB, 2)
        if is_thin(shape_a) and dot(column(R_WA, 2), n) > 0.0:
            return math.inf, n
        reached = extent(half_a, rim_of(shape_a, radius_a), R_WA, n)
        return dot(d, n) - reached - rounding_of(shape_a, radius_a), n
    if is_behind(shape_a, R_WA, shape_b, half_b, radius_b, R_WB, times(-1.0, d), layer) or (
        is_behind(shape_b, R_WB, shape_a, half_a, radius_a, R_WA, d, layer)
    ):
        return math.inf, UP
    if shape_a == CAPSULE or shape_b == CAPSULE:
        depth, n = rounded_way_out(
            shape_a, half_a, radius_a, R_WA, shape_b, half_b, radius_b, R_WB, d
        )
        return -depth, n
    a = (shape_a, half_a, rim_of(shape_a, radius_a), R_WA)
    b = (shape_b, half_b, rim_of(shape_b, radius_b), R_WB)
    best = flat_way_out(a, b, d, enough)
    # what a list of directions shows apart needs no search
    if best[0] > -CLOSE and (a[2] > 0.0 or b[2] > 0.0):
        best = round_way_out(a, b, d, enough, best)
    return -best[0], best[1]

"""Two surfaces with edges: which way leads out, and the points of what their features share.

A face that is entered by a point of the other solid is proved to be the way out: if that point is
no nearer to any other part of the surface, no shorter way can free it. Only where that fails (rims
on edges, lines that cross) the round directions are searched too.

A thin surface ends at its back, a layer below its front. No direction leads out there, so the way
out is that of a solid that goes back for ever, but what is behind the back does not touch.

Edges are not quite sharp: see chamfer.py.
"""

import math

from sim.contact.collide.capsule import capsule_way_out
from sim.contact.collide.chamfer import face_under, is_on_chamfer, lean
from sim.contact.collide.contact_point import CLOSE, is_thin, write_point
from sim.contact.collide.feature import plane_axes, write_outline
from sim.contact.collide.polygon_clip import TINY, at, cut, cut_line_by_rim, holds, write_cut
from sim.contact.collide.rim_search import round_way_out
from sim.contact.collide.segment_contact import write_crossing
from sim.contact.collide.separating_axis import flat_way_out
from sim.geometry.point_distance import nearest
from sim.geometry.solid import SIDEWAYS, column, extent, rim_of, rounding_of
from sim.jit import formula, kernel
from sim.mechanics.vector import dot, load, minus, mul_transposed, times
from sim.model import CAPSULE

PROVED = 1.0e-6  # of the depth: rounding of a proof
LEVEL = 1.0e-3  # of the other's: a corner that stands out by less does not stand out


@kernel
def solid_points(
    shape_a, half_a, radius_a, p_WA, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
    layer, points, first,
):  # fmt: skip
    """Where two surfaces with edges touch; number of points."""
    count = _sharp_points(
        shape_a, half_a, radius_a, p_WA, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
        layer, points, first,
    )  # fmt: skip
    if count == 0 or points.chamfer[0] == 0.0:
        return count
    a = (shape_a, half_a, rim_of(shape_a, radius_a), R_WA)
    b = (shape_b, half_b, rim_of(shape_b, radius_b), R_WB)
    rounding = rounding_of(shape_a, radius_a) + rounding_of(shape_b, radius_b)
    d = minus(p_WA, p_WB)
    n = load(points.n_W, first)
    chamfer = points.chamfer[0]
    if is_on_chamfer(a, b, d, n, rounding, chamfer):
        return 0
    lean(points, first, count, n, face_under(a, b, a, b, d, n, rounding, chamfer), radius_a)
    lean(points, first, count, n, face_under(b, a, a, b, d, n, rounding, chamfer), -radius_b)
    return count


@kernel
def _sharp_points(
    shape_a, half_a, radius_a, p_WA, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
    layer, points, first,
):  # fmt: skip
    """Where they touch if their edges are sharp."""
    d = minus(p_WA, p_WB)
    rounding = rounding_of(shape_a, radius_a) + rounding_of(shape_b, radius_b)
    deepest = layer if is_thin(shape_a) or is_thin(shape_b) else math.inf
    reach = points.reach[0]
    if is_behind(shape_a, R_WA, shape_b, half_b, radius_b, R_WB, times(-1.0, d), layer) or (
        is_behind(shape_b, R_WB, shape_a, half_a, radius_a, R_WA, d, layer)
    ):
        return 0

    # a capsule whose axis is outside of the other: straight from the nearest point
    if rounding > 0.0:
        depth, n = rounded_way_out(
            shape_a, half_a, radius_a, R_WA, shape_b, half_b, radius_b, R_WB, d
        )
        if depth <= -reach:
            return 0
        if depth < rounding:
            count, _, _ = _feature_points(
                shape_a, half_a, radius_a, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
                d, n, depth, deepest, points, first,
            )  # fmt: skip
            return count

    a = (shape_a, half_a, rim_of(shape_a, radius_a), R_WA)
    b = (shape_b, half_b, rim_of(shape_b, radius_b), R_WB)
    best = flat_way_out(a, b, d, reach + rounding)
    if best[0] + rounding <= -reach:
        return 0
    if a[2] > 0.0 or b[2] > 0.0:
        count, holds_deepest, p_W = _feature_points(
            shape_a, half_a, radius_a, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
            d, best[1], best[0] + rounding, deepest, points, first,
        )  # fmt: skip
        if count > 0 and holds_deepest and _is_proved(
            shape_a, half_a, radius_a, p_WA, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
            p_W, best[1], best[0] + rounding,
        ):  # fmt: skip
            return count
        best = round_way_out(a, b, d, reach + rounding, best)
        if best[0] + rounding <= -reach:
            return 0
    count, _, _ = _feature_points(
        shape_a, half_a, radius_a, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
        d, best[1], best[0] + rounding, deepest, points, first,
    )  # fmt: skip
    return count


@kernel
def is_behind(thin, R_WT, shape, half, radius, R_W, d, layer):
    """Whether a surface, d from a thin one, is all behind the back of that."""
    if not is_thin(thin):
        return False
    axis = column(R_WT, 2)
    top = dot(d, axis) + extent(half, rim_of(shape, radius), R_W, axis)
    top += rounding_of(shape, radius) + (layer if is_thin(shape) else 0.0)
    return top <= -layer


@kernel
def rounded_way_out(shape_a, half_a, radius_a, R_WA, shape_b, half_b, radius_b, R_WB, d):
    """Depth of a capsule's contact and its normal, if its axis is outside of the other."""
    rounding = rounding_of(shape_a, radius_a) + rounding_of(shape_b, radius_b)
    if shape_a == CAPSULE:
        radius = 0.0 if shape_b == CAPSULE else radius_b
        distance, n = capsule_way_out(half_a[2], d, column(R_WA, 2), shape_b, half_b, radius, R_WB)
        return rounding - distance, n
    distance, n = capsule_way_out(
        half_b[2], times(-1.0, d), column(R_WB, 2), shape_a, half_a, radius_a, R_WA
    )
    return rounding - distance, times(-1.0, n)


@kernel
def _feature_points(
    shape_a, half_a, radius_a, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
    d, n, depth, deepest, points, first,
):  # fmt: skip
    """Write the points of the features that look at each other along n.

    Rims are cut as polygons, and two that cross have corners in common beside the deepest point
    only: then the common corner nearest to that point is moved there, and keeps its share. Features
    that have nothing in common touch in the deepest point alone, or not at all if they are apart.

    Returns their number, whether they hold the deepest point without help, and the deepest.
    """
    e_1, e_2 = plane_axes(n)
    frame = (e_1, e_2, n, p_WB)
    room = points.outline
    origin = (0.0, 0.0, 0.0)
    down = times(-1.0, n)
    n_a, a_1, a_2 = write_outline(
        shape_a, half_a, radius_a, deepest, d, R_WA, down, e_1, e_2, n, room[0]
    )
    n_b, b_1, b_2 = write_outline(
        shape_b, half_b, radius_b, deepest, origin, R_WB, n, e_1, e_2, n, room[1]
    )
    # kept from before the outlines are cut, for a deepest point that cutting misses
    low = _extreme(room[0], n_a, -1.0)
    high = _extreme(room[1], n_b, 1.0)

    # two rims that cross have a foremost point each; else the one that stands out is taken
    u, v, w = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])
    if low[3] < LEVEL * high[3]:
        u, v, w = high[0], high[1], high[2] - 0.5 * depth
    elif high[3] < LEVEL * low[3]:
        u, v, w = low[0], low[1], low[2] + 0.5 * depth
    p_W = at(frame, u, v, w)
    is_real = _is_before_back(shape_a, R_WA, deepest, minus(minus(p_W, p_WB), d)) and (
        _is_before_back(shape_b, R_WB, deepest, minus(p_W, p_WB))
    )
    # what is behind the back of a thin surface is no place to move a corner to
    foremost = (u, v, w, depth if is_real else -math.inf)

    count = 0
    common = 0
    greatest = -math.inf
    if n_b > 2:
        common, here = _cut(room, n_a, n_b, rim_of(shape_b, radius_b))
        count, greatest = write_cut(
            room, common, here, (b_1, b_2), 1.0, frame, foremost, deepest, points, first
        )
    elif n_a > 2:
        _exchange(room)
        common, here = _cut(room, n_b, n_a, rim_of(shape_a, radius_a))
        count, greatest = write_cut(
            room, common, here, (a_1, a_2), -1.0, frame, foremost, deepest, points, first
        )
    elif n_a == 2 and n_b == 2:
        count, greatest = write_crossing(room, frame, deepest, points, first)
        common = count

    holds_deepest = holds(greatest, depth)
    is_beside = _is_sideways(shape_a, R_WA, n) or _is_sideways(shape_b, R_WB, n)
    if common == 0 and is_real and not is_beside and -CLOSE < depth <= deepest:
        write_point(points, first, p_W, n, depth, 1.0)
        count = 1

    best = first
    for k in range(first, first + count):
        if points.depth[k] > points.depth[best]:
            best = k
    return count, holds_deepest, (points.p_W[best, 0], points.p_W[best, 1], points.p_W[best, 2])


@formula
def _is_before_back(shape, R_W, layer, p):
    """Whether a point, p from a surface, is not behind its back if that is thin."""
    return not is_thin(shape) or dot(column(R_W, 2), p) >= -layer


@formula
def _is_sideways(shape, R_W, n):
    """Whether a thin surface pushes past its edge."""
    return is_thin(shape) and abs(dot(column(R_W, 2), n)) <= SIDEWAYS


@kernel
def _is_proved(
    shape_a, half_a, radius_a, p_WA, R_WA, shape_b, half_b, radius_b, p_WB, R_WB, p_W, n, depth
):  # fmt: skip
    """Whether the point of one surface is as deep in the other as the way out is long."""
    half_way = times(0.5 * depth, n)
    on_a = mul_transposed(R_WB, minus(minus(p_W, half_way), p_WB))
    distance, _ = nearest(shape_b, half_b, radius_b, on_a)
    if -distance >= depth - PROVED * abs(depth) - TINY:
        return True
    on_b = mul_transposed(R_WA, minus(minus(p_W, times(-0.5 * depth, n)), p_WA))
    distance, _ = nearest(shape_a, half_a, radius_a, on_b)
    return -distance >= depth - PROVED * abs(depth) - TINY


@formula
def _cut(room, n_subject, n_cutter, rim):
    """Cut outline 0 with outline 1, exactly where a line crosses a rim."""
    if n_subject == 2 and rim > 0.0:
        return cut_line_by_rim(room), 2
    return cut(room, n_subject, n_cutter)


@kernel
def _extreme(outline, count, side):
    """The corner of an outline that is highest (side 1) or lowest (-1), and by how much."""
    best = 0
    for k in range(1, count):
        if side * (outline[k, 2] - outline[best, 2]) > 0.0:
            best = k
    ahead = math.inf
    for k in range(count):
        if k != best:
            ahead = min(ahead, side * (outline[best, 2] - outline[k, 2]))
    return (outline[best, 0], outline[best, 1], outline[best, 2], ahead)


@kernel
def _exchange(room):
    """Exchange outlines 0 and 1, so that 1 is the one with which is cut."""
    for k in range(room.shape[1]):
        for axis in range(3):
            room[0, k, axis], room[1, k, axis] = room[1, k, axis], room[0, k, axis]

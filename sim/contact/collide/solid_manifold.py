"""Where two surfaces with edges touch: the points of what their features share.

A face that is entered by a point of the other solid is proved to be the way out: if that point is
no nearer to any other part of the surface, no shorter way can free it. Only where that fails (rims
on edges, lines that cross) the round directions are searched too.

Edges are not quite sharp: see chamfer.py.
"""

import math

from twincell.sim.contact.collide.chamfer import face_under, is_on_chamfer, lean
from twincell.sim.contact.collide.contact_point import CLOSE, write_point
from twincell.sim.contact.collide.feature import contact_frame, point_in_world, write_feature
from twincell.sim.contact.collide.polygon_clip import (
    TINY,
    clip_polygon,
    clip_segment_by_rim,
    holds,
    write_clipped,
)
from twincell.sim.contact.collide.rim_search import search_rims
from twincell.sim.contact.collide.segment_contact import write_segments
from twincell.sim.contact.collide.separating_axis import separating_axis
from twincell.sim.geometry.point_distance import point_distance
from twincell.sim.geometry.solid import SIDEWAYS, axis, is_thin
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import dot, load, minus, mul_transposed, times

PROVED = 1.0e-6  # of the depth: rounding of a proof
LEVEL = 1.0e-3  # of the other's: a corner that stands out by less does not stand out


@kernel
def solid_manifold(a, b, found, margins, points, first):
    """Where two surfaces with edges touch, whose separation was found; number of points."""
    count = _sharp_manifold(a, b, found, margins, points, first)
    chamfer = margins.chamfer
    if count == 0 or chamfer == 0.0:
        return count
    n = load(points.n_W, first)
    if is_on_chamfer(a, b, n, chamfer):
        return 0
    lean(points, first, count, n, face_under(a, b, a, b, n, chamfer), a.radius)
    lean(points, first, count, n, face_under(b, a, a, b, n, chamfer), -b.radius)
    return count


@formula
def _sharp_manifold(a, b, found, margins, points, first):
    """Where they touch if their edges are sharp."""
    reach = margins.reach
    rounding = a.rounding + b.rounding
    if found.gap >= reach:
        return 0
    # a capsule whose axis is outside of the other: straight from the nearest point
    if rounding > 0.0 and -found.gap < rounding:
        count, _, _ = _feature_points(a, b, found.n_W, -found.gap, margins, points, first)
        return count

    best = (-found.gap, found.n_W)
    if rounding > 0.0:
        best = separating_axis(a, b, reach + rounding)
        if best[0] + rounding <= -reach:
            return 0
    if a.rim > 0.0 or b.rim > 0.0:
        depth = best[0] + rounding
        count, holds_deepest, p_W = _feature_points(a, b, best[1], depth, margins, points, first)
        if count > 0 and holds_deepest and _is_proved(a, b, p_W, best[1], depth):
            return count
        best = search_rims(a, b, reach + rounding, best)
        if best[0] + rounding <= -reach:
            return 0
    count, _, _ = _feature_points(a, b, best[1], best[0] + rounding, margins, points, first)
    return count


@kernel
def _feature_points(a, b, n, depth, margins, points, first):
    """Write the points of the features that look at each other along n.

    Rims are clipped as polygons, and two that cross have corners in common beside the deepest point
    only: then the common corner nearest to that point is moved there, and keeps its share. Features
    that have nothing in common touch in the deepest point alone, or not at all if they are apart.

    Returns their number, whether they hold the deepest point without help, and the deepest.
    """
    reach = margins.reach
    deepest = margins.layer if is_thin(a) or is_thin(b) else math.inf
    frame = contact_frame(n, b.p_W)
    room = points.outline
    n_a, slope_a = write_feature(a, -1.0, deepest, frame, room[0])
    n_b, slope_b = write_feature(b, 1.0, deepest, frame, room[1])
    # kept from before the outlines are clipped, for a deepest point that clipping misses
    low = _extreme(room[0], n_a, -1.0)
    high = _extreme(room[1], n_b, 1.0)

    # two rims that cross have a foremost point each; else the one that stands out is taken
    u, v, w = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])
    if low[3] < LEVEL * high[3]:
        u, v, w = high[0], high[1], high[2] - 0.5 * depth
    elif high[3] < LEVEL * low[3]:
        u, v, w = low[0], low[1], low[2] + 0.5 * depth
    p_W = point_in_world(frame, u, v, w)
    from_b = minus(p_W, b.p_W)
    from_a = minus(from_b, minus(a.p_W, b.p_W))
    is_real = _is_before_back(a, deepest, from_a) and _is_before_back(b, deepest, from_b)
    # what is behind the back of a thin surface is no place to move a corner to
    foremost = (u, v, w, depth if is_real else -math.inf)

    count = 0
    common = 0
    greatest = -math.inf
    if n_b > 2:
        common, here = _clip(room, n_a, n_b, b.rim)
        count, greatest = write_clipped(
            room, common, here, slope_b, 1.0, frame, foremost, deepest, reach, points, first
        )
    elif n_a > 2:
        _exchange(room)
        common, here = _clip(room, n_b, n_a, a.rim)
        count, greatest = write_clipped(
            room, common, here, slope_a, -1.0, frame, foremost, deepest, reach, points, first
        )
    elif n_a == 2 and n_b == 2:
        count, greatest = write_segments(room, frame, deepest, reach, points, first)
        common = count

    holds_deepest = holds(greatest, depth)
    is_beside = _is_sideways(a, n) or _is_sideways(b, n)
    if common == 0 and is_real and not is_beside and -CLOSE < depth <= deepest:
        write_point(points, first, p_W, n, depth, 1.0)
        count = 1

    best = first
    for k in range(first, first + count):
        if points.depth[k] > points.depth[best]:
            best = k
    return count, holds_deepest, (points.p_W[best, 0], points.p_W[best, 1], points.p_W[best, 2])


@formula
def _is_before_back(solid, layer, p):
    """Whether a point, p from a solid's origin, is not behind its back if that is thin."""
    return not is_thin(solid) or dot(axis(solid, 2), p) >= -layer


@formula
def _is_sideways(solid, n):
    """Whether a thin surface pushes past its edge."""
    return is_thin(solid) and abs(dot(axis(solid, 2), n)) <= SIDEWAYS


@kernel
def _is_proved(a, b, p_W, n, depth):
    """Whether the point of one surface is as deep in the other as the way out is long."""
    half_way = times(0.5 * depth, n)
    on_a = mul_transposed(b.R_W, minus(minus(p_W, half_way), b.p_W))
    distance, _ = point_distance(b.shape, b.half, b.radius, on_a)
    if -distance >= depth - PROVED * abs(depth) - TINY:
        return True
    on_b = mul_transposed(a.R_W, minus(minus(p_W, times(-0.5 * depth, n)), a.p_W))
    distance, _ = point_distance(a.shape, a.half, a.radius, on_b)
    return -distance >= depth - PROVED * abs(depth) - TINY


@formula
def _clip(room, n_subject, n_clip, rim):
    """Clip outline 0 with outline 1, exactly where a segment crosses a rim."""
    if n_subject == 2 and rim > 0.0:
        return clip_segment_by_rim(room), 2
    return clip_polygon(room, n_subject, n_clip)


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
    """Exchange outlines 0 and 1, so that 1 is the one with which is clipped."""
    for k in range(room.shape[1]):
        for i in range(3):
            room[0, k, i], room[1, k, i] = room[1, k, i], room[0, k, i]

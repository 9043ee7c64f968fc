"""Contact points of two features: the corners of what they have in common, seen along the normal.

The features, seen along n, are convex outlines. Where they overlap, the corners of the common part
are the contact points; each is as deep as the two features overlap there along n.

    depth = height of b - height of a        p halfway between        only depth > -reach counts

This is what the paper's displacement of points along edges, eqs. (3), (6) and (7), amounts to: a
corner outside of the other surface is replaced by the points where the edges leave it. Clipping
an outline with one line after the other divides only by differences of opposite sign, so no angle
is singular.

Points share the stiffness: a line has 1 in each of its 2 ends; a face has 4 in all, each corner in
proportion to the lengths of the edges that it ends. A corner that splits in two as one box turns on
another is shared by both halves, so the force neither jumps nor doubles. A square has 1 in each
corner, as in the paper.

A line crosses the border of a convex outline twice at most, so a clip adds one corner at most: of
eight corners clipped with eight edges there are sixteen, MOST_POINTS. Rounding can bend an outline
inwards; corners beyond that one are then left out.
"""

import math

from twincell.sim.contact.collide.contact_point import write_point
from twincell.sim.contact.collide.feature import point_in_world
from twincell.sim.jit import formula, kernel
from twincell.sim.model import NONE

ROUNDING = 1.0e-9  # of an edge's length: as far outside of it a corner still counts as inside
TINY = 1.0e-12  # [m]: rounding of depths
EXACT = 1.0e-3  # of the depth: points that miss the deepest by more do not hold it


@kernel
def clip_polygon(room, n_subject, n_clip):
    """Clip outline 0 with outline 1: corners left, and the outline they are in, 2 or 3."""
    here = 0
    count = n_subject
    clip = room[1]
    area = 0.0
    for k in range(n_clip):
        j = k + 1 if k + 1 < n_clip else 0
        area += clip[k, 0] * clip[j, 1] - clip[j, 0] * clip[k, 1]
    turn = math.copysign(1.0, area)
    for k in range(n_clip):
        j = k + 1 if k + 1 < n_clip else 0
        x = turn * (clip[j, 0] - clip[k, 0])
        y = turn * (clip[j, 1] - clip[k, 1])
        there = 3 if here == 2 else 2
        count = _clip_by_line(room[here], count, clip[k, 0], clip[k, 1], x, y, room[there])
        here = there
        if count == 0:
            break
    return count, here


@kernel
def _clip_by_line(old, count, p, q, x, y, new):
    """Keep what is left of the line through (p, q) along (x, y); number of corners."""
    outside = -ROUNDING * (x * x + y * y)
    kept = 0
    last = count - 1
    before = x * (old[last, 1] - q) - y * (old[last, 0] - p)
    for k in range(count):
        now = x * (old[k, 1] - q) - y * (old[k, 0] - p)
        if (before >= outside) != (now >= outside) and kept <= count:
            # always from the inside to the outside: both ways along an edge give the same point
            i, o, inner, outer = (
                (k, last, now, before) if now >= outside else (last, k, before, now)
            )
            t = max(inner, 0.0) / (max(inner, 0.0) - outer)
            for axis in range(3):
                new[kept, axis] = old[i, axis] + t * (old[o, axis] - old[i, axis])
            kept = _without_double(new, kept)
        if now >= outside and kept <= count:
            for axis in range(3):
                new[kept, axis] = old[k, axis]
            kept = _without_double(new, kept)
        before = now
        last = k
    if kept > 1 and new[0, 0] == new[kept - 1, 0] and new[0, 1] == new[kept - 1, 1]:
        kept -= 1
    return kept


@formula
def _without_double(new, kept):
    """Number of corners with the one just written, unless it is where the one before it is."""
    if kept > 0 and new[kept, 0] == new[kept - 1, 0] and new[kept, 1] == new[kept - 1, 1]:
        return kept
    return kept + 1


@kernel
def clip_segment_by_rim(room):
    """Clip the segment in outline 0 with the rim in outline 1; ends left of it, in outline 2.

    The rim, seen along n, is an ellipse with the corners of a quarter turn as conjugate axes x, y:
    a point c + a x + b y is inside for a² + b² ≤ 1. This is eq. (3) without its triangle.
    """
    line, rim, new = room[0], room[1], room[2]
    u, v = 0.5 * (rim[0, 0] + rim[4, 0]), 0.5 * (rim[0, 1] + rim[4, 1])
    x_u, x_v = rim[0, 0] - u, rim[0, 1] - v
    y_u, y_v = rim[2, 0] - u, rim[2, 1] - v
    k = 1.0 / (x_u * y_v - x_v * y_u)
    a = k * ((line[0, 0] - u) * y_v - (line[0, 1] - v) * y_u)
    b = k * (x_u * (line[0, 1] - v) - x_v * (line[0, 0] - u))
    a_on = k * ((line[1, 0] - line[0, 0]) * y_v - (line[1, 1] - line[0, 1]) * y_u)
    b_on = k * (x_u * (line[1, 1] - line[0, 1]) - x_v * (line[1, 0] - line[0, 0]))
    square = a_on * a_on + b_on * b_on
    half = a * a_on + b * b_on
    under = half * half - square * (a * a + b * b - 1.0)
    if square == 0.0 or under < 0.0:
        return 0
    low = max(0.0, (-half - math.sqrt(under)) / square)
    high = min(1.0, (-half + math.sqrt(under)) / square)
    if low > high:
        return 0
    for axis in range(3):
        new[0, axis] = line[0, axis] + low * (line[1, axis] - line[0, axis])
        new[1, axis] = line[0, axis] + high * (line[1, axis] - line[0, axis])
    return 2


@kernel
def write_clipped(room, count, here, slope, side, frame, foremost, deepest, reach, points, first):
    """Write the corners of a common part as contact points; how many, and the greatest depth.

    `side` is 1 if the clipped outline belongs to the first surface, -1 if to the second; heights of
    the other surface follow from its slope. `foremost` is the deepest point (u, v, w) and its
    depth: if no corner holds it, the nearest one is moved there. The greatest depth is that before
    the move.
    """
    outline = room[here]
    greatest = -math.inf
    moved = NONE
    for k in range(count):
        greatest = max(greatest, side * (_opposite(room, slope, outline, k) - outline[k, 2]))
        if moved == NONE or _away(outline, k, foremost) < _away(outline, moved, foremost):
            moved = k
    if holds(greatest, foremost[3]):
        moved = NONE

    around = 0.0
    if count > 2:
        for k in range(count):
            around += _length(outline, count, k)
    written = 0
    for k in range(count):
        other = _opposite(room, slope, outline, k)
        depth = side * (other - outline[k, 2])
        u, v, w = outline[k, 0], outline[k, 1], 0.5 * (outline[k, 2] + other)
        if k == moved:
            u, v, w, depth = foremost
        if depth <= -reach or depth > deepest:
            continue
        share = 1.0
        if count > 2 and around > 0.0:
            last = k - 1 if k > 0 else count - 1
            share = 2.0 * (_length(outline, count, last) + _length(outline, count, k)) / around
        p_W = point_in_world(frame, u, v, w)
        write_point(points, first + written, p_W, frame.n_W, depth, share)
        written += 1
    return written, greatest


@formula
def holds(greatest, depth):
    """Whether points of at most this depth hold the deepest one."""
    return greatest >= depth - EXACT * abs(depth) - TINY


@formula
def _opposite(room, slope, outline, k):
    """Height of the surface with which was clipped, opposite to a corner."""
    u, v, w = room[1, 0, 0], room[1, 0, 1], room[1, 0, 2]
    return w + slope[0] * (outline[k, 0] - u) + slope[1] * (outline[k, 1] - v)


@formula
def _away(outline, k, foremost):
    """Square of the distance of a corner from the foremost point, seen along n."""
    u, v = outline[k, 0] - foremost[0], outline[k, 1] - foremost[1]
    return u * u + v * v


@formula
def _length(outline, count, k):
    """Length of the edge after corner k."""
    j = k + 1 if k + 1 < count else 0
    x = outline[j, 0] - outline[k, 0]
    y = outline[j, 1] - outline[k, 1]
    return math.sqrt(x * x + y * y)

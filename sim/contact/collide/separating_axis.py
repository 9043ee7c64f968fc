"""The shortest way out of a contact of two solids: the n with the least overlap.

Both solids together (the set of all differences of their points) are one convex solid, and n is the
normal of its boundary nearest to the origin. That boundary consists of

    flat pieces        n is the normal of a face, or square to an edge of each: a list of directions
    round strips       n is square to one edge, the other shape touches with its rim: one angle
    double rims        both touch with their rims: two angles

Boxes and rectangles have flat pieces only: these are the separating axes. Strips and rims are
searched from several starts; see rim_search.py. `best` is (overlap, n) of the best direction so
far.
"""

import math

from twincell.sim.contact.collide.feature import plane_axes
from twincell.sim.geometry.solid import axis, can_push, first_axis, is_segment, overlap
from twincell.sim.jit import kernel
from twincell.sim.mechanics.vector import cross, dot, minus, norm, times

PARALLEL = 1.0e-12  # sine² below which two edges have no direction square to both
SURE = 1.0e-9  # by this much of the size a later direction must be better than an earlier one


@kernel
def better_axis(a, b, n, margin, best):
    """The better of the best direction so far and n or -n, whichever can push and is less deep."""
    found = overlap(a, b, n)
    if found < best[0] - margin and can_push(a, b, n):
        best = (found, n)
    # the shapes are symmetric: only the distance of the centres changes its sign
    found += 2.0 * dot(minus(a.p_W, b.p_W), n)
    n = times(-1.0, n)
    if found < best[0] - margin and can_push(a, b, n):
        best = (found, n)
    return best


@kernel
def separating_axis(a, b, enough):
    """The best of the directions of flat pieces: (overlap, n); overlap ≤ 0 if they are apart.

    Shapes that are farther apart than `enough` need not be looked at any further.

    Normals of faces come first, and directions square to two edges only if they are clearly
    better: at a tie the contact is that of a face, whoever is first.
    """
    size = norm(minus(a.p_W, b.p_W)) + a.half[0] + a.half[1] + a.half[2] + a.rim
    size = size + b.half[0] + b.half[1] + b.half[2]
    best = (math.inf, (0.0, 0.0, 1.0))
    for k in range(first_axis(a), 3):
        best = better_axis(a, b, axis(a, k), 0.0, best)
        if best[0] <= -enough:
            return best
    for k in range(first_axis(b), 3):
        best = better_axis(a, b, axis(b, k), 0.0, best)
        if best[0] <= -enough:
            return best
    for i in range(first_axis(a), 3):
        for j in range(first_axis(b), 3):
            n = cross(axis(a, i), axis(b, j))
            square = dot(n, n)
            if square <= PARALLEL and is_segment(a) and is_segment(b):
                # axes on one line: every direction square to them is as good
                n, _ = plane_axes(axis(a, i))
                square = 1.0
            if square > PARALLEL:
                n = times(1.0 / math.sqrt(square), n)
                best = better_axis(a, b, n, SURE * size, best)
                if best[0] <= -enough:
                    return best
    return best

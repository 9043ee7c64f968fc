"""The shortest way out of a contact of two solids: the n with the least overlap.

Both solids together (the set of all differences of their points) are one convex solid, and n is the
normal of its boundary nearest to the origin. That boundary consists of

    flat pieces        n is the normal of a face, or square to an edge of each: a list of directions
    round strips       n is square to one edge, the other shape touches with its rim: one angle
    double rims        both touch with their rims: two angles

Boxes and rectangles have flat pieces only (separating axes). Strips and rims are searched from
several starts; see rim_search.py. `best` is (overlap, n) of the best direction so far.
"""

import math

from sim.contact.collide.feature import plane_axes
from sim.geometry.solid import allowed, column, overlap
from sim.jit import formula, kernel
from sim.mechanics.vector import cross, dot, times
from sim.model import BOX, CAPSULE, RECTANGLE

PARALLEL = 1.0e-12  # sine² below which two edges have no direction square to both
SURE = 1.0e-9  # by this much of the size a later direction must be better than an earlier one


@formula
def first_axis(shape):
    """First of a shape's axes along which it has edges or normals of faces; the last is z."""
    return 0 if shape in (BOX, RECTANGLE) else 2


@kernel
def better(a, b, d, n, margin, best):
    """The better of the best direction so far and n or -n, whichever is allowed and less deep."""
    shape_a, half_a, rim_a, R_WA = a
    shape_b, half_b, rim_b, R_WB = b
    found = overlap(half_a, rim_a, R_WA, half_b, rim_b, R_WB, d, n)
    if found < best[0] - margin and allowed(shape_a, R_WA, shape_b, R_WB, n):
        best = (found, n)
    # the shapes are symmetric: only the distance of the centres changes its sign
    found += 2.0 * dot(d, n)
    n = times(-1.0, n)
    if found < best[0] - margin and allowed(shape_a, R_WA, shape_b, R_WB, n):
        best = (found, n)
    return best


@kernel
def flat_way_out(a, b, d, reach):
    """The best of the directions of flat pieces: (overlap, n); overlap ≤ 0 if they are apart.

    Shapes that are farther apart than `reach` need not be looked at any further.

    Normals of faces come first, and directions square to two edges only if they are clearly
    better: at a tie the contact is that of a face, whoever is first.
    """
    size = math.sqrt(dot(d, d)) + a[1][0] + a[1][1] + a[1][2] + a[2] + b[1][0] + b[1][1] + b[1][2]
    best = (math.inf, (0.0, 0.0, 1.0))
    for k in range(first_axis(a[0]), 3):
        best = better(a, b, d, column(a[3], k), 0.0, best)
        if best[0] <= -reach:
            return best
    for k in range(first_axis(b[0]), 3):
        best = better(a, b, d, column(b[3], k), 0.0, best)
        if best[0] <= -reach:
            return best
    for i in range(first_axis(a[0]), 3):
        for j in range(first_axis(b[0]), 3):
            n = cross(column(a[3], i), column(b[3], j))
            square = dot(n, n)
            if square <= PARALLEL and a[0] == CAPSULE and b[0] == CAPSULE:
                # axes on one line: every direction square to them is as good
                n, _ = plane_axes(column(a[3], i))
                square = 1.0
            if square > PARALLEL:
                n = times(1.0 / math.sqrt(square), n)
                best = better(a, b, d, n, SURE * size, best)
                if best[0] <= -reach:
                    return best
    return best

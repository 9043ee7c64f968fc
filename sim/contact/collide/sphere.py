"""A sphere against any surface: one point, on the line from the surface to the centre.

    depth = r - distance(centre)        p = centre - ½ (r + distance) n

The normal turns around the edge of a rectangle, or the rim of a disc, with the sphere: a ball that
rolls off a table loses it smoothly. The library of the paper drops the contact when the centre
passes the edge.

A thin surface ends at its back, a layer below its front, and nothing there pushes to the back. A
sphere whose centre is below the back is pushed sideways by the part of it that is above: where the
plane of the back cuts it, it is a circle of radius √(r² - (distance from that plane)²).

Where the sphere leans over an edge but is hardly below the face, the face pushes: see chamfer.py.
"""

import math

from sim.contact.collide.chamfer import LEANING
from sim.contact.collide.contact_point import is_thin, write_point
from sim.geometry.point_distance import nearest
from sim.geometry.solid import column
from sim.jit import formula, kernel
from sim.mechanics.vector import minus, mul, mul_transposed, plus, times
from sim.model import BOX, CYLINDER, DISC, RECTANGLE


@kernel
def sphere_points(radius, p_WA, shape, half, radius_b, p_WB, R_WB, layer, points, first):
    """Where a sphere (first) touches a surface (second); number of points."""
    p_BA = mul_transposed(R_WB, minus(p_WA, p_WB))
    distance, n_B = nearest(shape, half, radius_b, p_BA)
    below = -layer - p_BA[2]
    if is_thin(shape) and below > 0.0:
        if below >= radius:
            return 0
        radius = math.sqrt(radius * radius - below * below)
    n_B = _leaning(shape, half, radius, p_BA, n_B, points.chamfer[0])
    depth = radius - distance
    if depth <= -points.reach[0] or (is_thin(shape) and depth > layer):
        return 0
    n_W = mul(R_WB, n_B)
    p_W = plus(p_WA, times(-0.5 * (radius + distance), n_W))
    if is_thin(shape) and below > 0.0:
        p_W = plus(p_W, times(below, column(R_WB, 2)))
    write_point(points, first, p_W, n_W, depth, 1.0)
    return 1


@formula
def _leaning(shape, half, radius, p, n, chamfer):
    """The normal of the face over whose edge n leans, if a sphere is hardly below it; else n."""
    flat = shape in (BOX, RECTANGLE)
    if flat and _leans(half[0], radius, p[0], n[0], chamfer):
        return (math.copysign(1.0, n[0]), 0.0, 0.0)
    if flat and _leans(half[1], radius, p[1], n[1], chamfer):
        return (0.0, math.copysign(1.0, n[1]), 0.0)
    if (flat or shape in (CYLINDER, DISC)) and _leans(half[2], radius, p[2], n[2], chamfer):
        return (0.0, 0.0, math.copysign(1.0, n[2]))
    return n


@formula
def _leans(half, radius, p, n, chamfer):
    """Whether n leans over the edge of the face across an axis, and the sphere hardly enters it."""
    return abs(n) > LEANING and 0.0 < half + radius - abs(p) < chamfer

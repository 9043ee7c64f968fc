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

from twincell.sim.contact.collide.chamfer import LEANING
from twincell.sim.contact.collide.contact_point import Separation, write_point
from twincell.sim.geometry.point_distance import point_distance
from twincell.sim.geometry.solid import axis, first_axis, has_faces, is_thin
from twincell.sim.jit import formula
from twincell.sim.mechanics.vector import minus, mul, mul_transposed, plus, times

UP = (0.0, 0.0, 1.0)


@formula
def sphere_separation(a, b, layer):
    """Distance of a sphere (first) from a surface (second), and the normal there."""
    p_BA = mul_transposed(b.R_W, minus(a.p_W, b.p_W))
    if is_thin(b) and p_BA[2] <= -layer - a.radius:
        return Separation(math.inf, math.inf, UP, True)
    distance, n_B = point_distance(b.shape, b.half, b.radius, p_BA)
    return Separation(distance - a.radius, distance, mul(b.R_W, n_B), True)


@formula
def sphere_manifold(a, b, found, margins, points, first):
    """Where a sphere (first) touches a surface (second); number of points."""
    p_BA = mul_transposed(b.R_W, minus(a.p_W, b.p_W))
    radius = a.radius
    below = -margins.layer - p_BA[2]
    if is_thin(b) and below > 0.0:
        if below >= radius:
            return 0
        radius = math.sqrt(radius * radius - below * below)
    depth = radius - found.distance
    if depth <= -margins.reach or (is_thin(b) and depth > margins.layer):
        return 0
    n_W = found.n_W
    if margins.chamfer > 0.0 and has_faces(b):
        _, n_B = point_distance(b.shape, b.half, b.radius, p_BA)
        n_W = mul(b.R_W, _leaning(b, radius, p_BA, n_B, margins.chamfer))
    p_W = plus(a.p_W, times(-0.5 * (radius + found.distance), n_W))
    if is_thin(b) and below > 0.0:
        p_W = plus(p_W, times(below, axis(b, 2)))
    write_point(points, first, p_W, n_W, depth, 1.0)
    return 1


@formula
def _leaning(b, radius, p, n, chamfer):
    """The normal of the face over whose edge n leans, if a sphere is hardly below it; else n."""
    flat = first_axis(b) == 0
    if flat and _leans(b.half[0], radius, p[0], n[0], chamfer):
        return (math.copysign(1.0, n[0]), 0.0, 0.0)
    if flat and _leans(b.half[1], radius, p[1], n[1], chamfer):
        return (0.0, math.copysign(1.0, n[1]), 0.0)
    if _leans(b.half[2], radius, p[2], n[2], chamfer):
        return (0.0, 0.0, math.copysign(1.0, n[2]))
    return n


@formula
def _leans(half, radius, p, n, chamfer):
    """Whether n leans over the edge of the face across an axis, and the sphere hardly enters it."""
    return abs(n) > LEANING and 0.0 < half + radius - abs(p) < chamfer

"""How far shapes reach along a direction, and how deep two of them overlap along it.

    h(n) = |n_x| h_x + |n_y| h_y + |n_z| h_z  +  R √(n_x² + n_y²)  +  r       n in the shape's frame

This one formula is all shapes: a box has half edges h; a cylinder has h_z and a rim R; a capsule
has h_z and is rounded by r; a disc has its rim and nothing else.

    overlap(n) = h_a(n) + h_b(n) - (p_a - p_b) · n             n from b into a

Shapes are apart if it is negative for any n. Otherwise the n with the least overlap is the shortest
way out, and the overlap along it is the depth of the contact.
"""

import math

from sim.contact.collide.contact_point import is_thin
from sim.jit import formula
from sim.mechanics.vector import dot, mul_transposed
from sim.model import CAPSULE, CYLINDER, DISC

SIDEWAYS = 1.0e-9  # sine of an angle behind a thin surface that still counts as sideways: rounding


@formula
def column(R_W, k):
    """Axis k of a shape, in the world."""
    if k == 0:
        return (R_W[0], R_W[3], R_W[6])
    if k == 1:
        return (R_W[1], R_W[4], R_W[7])
    return (R_W[2], R_W[5], R_W[8])


@formula
def rim_of(shape, radius):
    """Radius of a shape's rim, 0 if it has none."""
    return radius if shape in (DISC, CYLINDER) else 0.0


@formula
def rounding_of(shape, radius):
    """By how much a shape is rounded."""
    return radius if shape == CAPSULE else 0.0


@formula
def extent(half, rim, R_W, n_W):
    """How far a shape reaches along n, without its rounding."""
    m = mul_transposed(R_W, n_W)
    flat = math.sqrt(m[0] * m[0] + m[1] * m[1])
    return abs(m[0]) * half[0] + abs(m[1]) * half[1] + abs(m[2]) * half[2] + rim * flat


@formula
def support(half, rim, R_W, n_W):
    """The point of a shape that reaches farthest along n, in its frame, without its rounding."""
    m = mul_transposed(R_W, n_W)
    flat = math.sqrt(m[0] * m[0] + m[1] * m[1])
    k = rim / flat if flat > 0.0 else 0.0
    return (
        math.copysign(half[0], m[0]) + k * m[0],
        math.copysign(half[1], m[1]) + k * m[1],
        math.copysign(half[2], m[2]),
    )


@formula
def overlap(half_a, rim_a, R_WA, half_b, rim_b, R_WB, d, n):
    """Overlap of two shapes along n, d = p_a - p_b, without their rounding."""
    return extent(half_a, rim_a, R_WA, n) + extent(half_b, rim_b, R_WB, n) - dot(d, n)


@formula
def allowed(shape_a, R_WA, shape_b, R_WB, n):
    """Whether both surfaces can push along n: a thin one pushes to its front or sideways."""
    if is_thin(shape_a) and dot(column(R_WA, 2), n) > SIDEWAYS:
        return False
    return not (is_thin(shape_b) and dot(column(R_WB, 2), n) < -SIDEWAYS)

"""Any surface against a half-space: those of its corners that are below.

    depth of a corner = -(height above the plane)       n = normal of the plane

    box        its eight corners
    rectangle  its four corners
    capsule    the lowest points of its two ends
    cylinder   of each end the lowest point of the rim, and those a quarter and half a turn from it
    disc       the same, of its one rim

Every corner has a depth of its own, and no feature is chosen: forces are continuous, and a box that
rests does not rock. A round face has its corners where it is lowest. A face that lies flat has no
lowest point; its corners may then start anywhere, for the stiffness of four equal springs in a
square is the same about every axis: Σ cos²θ = Σ sin²θ = 2, Σ sin θ cos θ = 0.

A thin surface touches only while its front looks down, and each point only to the depth of its
layer.
"""

import math

from sim.contact.collide.contact_point import write_point
from sim.jit import kernel
from sim.mechanics.vector import dot, minus, mul, mul_transposed, plus, times
from sim.model import BOX, CAPSULE, CYLINDER, DISC, RECTANGLE

FLAT = 1.0e-12  # sine of a tilt that is nothing but rounding


@kernel
def half_space_points(shape, half, radius, p_WA, R_WA, p_WB, n_W, layer, points, first):
    """Where a surface (first) touches a half-space (second); number of points."""
    n_A = mul_transposed(R_WA, n_W)
    height = dot(minus(p_WA, p_WB), n_W)  # of its origin
    deepest = math.inf
    if shape in (RECTANGLE, DISC):
        if n_A[2] > 0.0:
            return 0
        deepest = layer

    count = 0
    if shape in (BOX, RECTANGLE):
        for corner in range(8 if shape == BOX else 4):
            c_A = (
                half[0] if corner & 1 else -half[0],
                half[1] if corner & 2 else -half[1],
                half[2] if corner & 4 else -half[2],
            )
            count += _corner(c_A, height, p_WA, R_WA, n_A, n_W, deepest, points, first + count)
    elif shape == CAPSULE:
        for end in (-1.0, 1.0):
            c_A = plus((0.0, 0.0, end * half[2]), times(-radius, n_A))
            count += _corner(c_A, height, p_WA, R_WA, n_A, n_W, deepest, points, first + count)
    elif shape in (CYLINDER, DISC):
        x, y = lowest(n_A)
        for end in range(2 if shape == CYLINDER else 1):
            z = half[2] if end == 1 else -half[2]
            for _ in range(4):
                c_A = (radius * x, radius * y, z)
                count += _corner(c_A, height, p_WA, R_WA, n_A, n_W, deepest, points, first + count)
                x, y = -y, x
    return count


@kernel
def lowest(n_A):
    """Where on a circle about z the rim is lowest, seen along n."""
    tilt = math.sqrt(n_A[0] * n_A[0] + n_A[1] * n_A[1])
    if tilt < FLAT:
        return 1.0, 0.0
    return -n_A[0] / tilt, -n_A[1] / tilt


@kernel
def _corner(c_A, height, p_WA, R_WA, n_A, n_W, deepest, points, k):
    """Write the contact point of a corner if it is below the plane: 1, else 0."""
    depth = -height - dot(c_A, n_A)
    if depth <= -points.reach[0] or depth > deepest:
        return 0
    p_W = plus(plus(p_WA, mul(R_WA, c_A)), times(0.5 * depth, n_W))
    write_point(points, k, p_W, n_W, depth, 1.0)
    return 1

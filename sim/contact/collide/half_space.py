"""Any surface against a half-space: those of its corners that are below.

    depth of a corner = -(height above the plane)       n = normal of the plane

    box        its eight corners
    rectangle  its four corners
    cylinder   of each end the lowest point of the rim, and those a quarter and half a turn from it
    disc       the same, of its one rim
    capsule    the lowest points of its two ends

Every corner has a depth of its own, and no feature is chosen: forces are continuous, and a box that
rests does not rock. A round face has its corners where it is lowest. A face that lies flat has no
lowest point; its corners may then start anywhere, for the stiffness of four equal springs in a
square is the same about every axis: Σ cos²θ = Σ sin²θ = 2, Σ sin θ cos θ = 0.

A thin surface touches only while its front looks down, and each point only to the depth of its
layer. Two half-spaces have no corners: they do not touch each other.
"""

import math

from twincell.sim.contact.collide.contact_point import Separation, write_point
from twincell.sim.geometry.shape_table import choose
from twincell.sim.geometry.solid import axis, extent, is_thin
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import dot, minus, mul, mul_transposed, plus, times
from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE

FLAT = 1.0e-12  # sine of a tilt that is nothing but rounding


@formula
def half_space_separation(a, b):
    """Height of a surface (first) above a half-space (second)."""
    n = axis(b, 2)
    if a.shape == HALF_SPACE or (is_thin(a) and dot(axis(a, 2), n) > 0.0):
        return Separation(math.inf, math.inf, n, True)
    distance = dot(minus(a.p_W, b.p_W), n) - extent(a, n)
    return Separation(distance - a.rounding, distance, n, True)


@kernel
def _lowest(n_A):
    """Where on a circle about z the rim is lowest, seen along n."""
    tilt = math.sqrt(n_A[0] * n_A[0] + n_A[1] * n_A[1])
    if tilt < FLAT:
        return 1.0, 0.0
    return -n_A[0] / tilt, -n_A[1] / tilt


@kernel
def _write_corner(a, c_A, height, n_A, n, margins, points, k):
    """Write the contact point of a corner if it is below the plane: 1, else 0."""
    depth = -height - dot(c_A, n_A)
    if depth <= -margins.reach or (is_thin(a) and depth > margins.layer):
        return 0
    p_W = plus(plus(a.p_W, mul(a.R_W, c_A)), times(0.5 * depth, n))
    write_point(points, k, p_W, n, depth, 1.0)
    return 1


@formula
def _corners_of_box(a, height, n_A, n, margins, points, first):
    count = 0
    half = a.half
    for corner in range(4 if is_thin(a) else 8):
        c_A = (
            half[0] if corner & 1 else -half[0],
            half[1] if corner & 2 else -half[1],
            half[2] if corner & 4 else -half[2],
        )
        count += _write_corner(a, c_A, height, n_A, n, margins, points, first + count)
    return count


@formula
def _corners_of_rims(a, height, n_A, n, margins, points, first):
    count = 0
    x, y = _lowest(n_A)
    for end in range(1 if is_thin(a) else 2):
        z = a.half[2] if end == 1 else -a.half[2]
        for _ in range(4):
            c_A = (a.radius * x, a.radius * y, z)
            count += _write_corner(a, c_A, height, n_A, n, margins, points, first + count)
            x, y = -y, x
    return count


@formula
def _lowest_of_ends(a, height, n_A, n, margins, points, first):
    count = 0
    for end in range(2):
        z = a.half[2] if end == 1 else -a.half[2]
        c_A = plus((0.0, 0.0, z), times(-a.radius, n_A))
        count += _write_corner(a, c_A, height, n_A, n, margins, points, first + count)
    return count


@formula
def _no_corners(_a, _height, _n_A, _n, _margins, _points, _first):
    return 0


_corners = choose(
    "corners on a half-space",
    {
        BOX: _corners_of_box,
        RECTANGLE: _corners_of_box,
        CYLINDER: _corners_of_rims,
        DISC: _corners_of_rims,
        CAPSULE: _lowest_of_ends,
        SPHERE: _no_corners,  # sphere.py is for all pairs with a sphere
        HALF_SPACE: _no_corners,
    },
)


@formula
def half_space_manifold(a, b, margins, points, first):
    """Where a surface (first) touches a half-space (second); number of points."""
    n = axis(b, 2)
    height = dot(minus(a.p_W, b.p_W), n)  # of its origin
    n_A = mul_transposed(a.R_W, n)
    return _corners(a.shape, a, height, n_A, n, margins, points, first)

"""A solid: a convex shape in its place, and how far it reaches along a direction.

    h(n) = |n_x| h_x + |n_y| h_y + |n_z| h_z  +  R √(n_x² + n_y²)  +  r       n in the shape's frame

This one formula is all shapes so far: a box has half edges h; a cylinder has h_z and a rim R; a
capsule has h_z and is rounded by r; a disc has its rim and nothing else. A half-space has no end,
and is never asked. `shape_facts.py` says what is true of which shape.

    overlap(n) = h_a(n) + h_b(n) - (p_a - p_b) · n             n from b into a

Solids are apart if it is negative for any n. Otherwise the n with the least overlap is the shortest
way out, and the overlap along it is the depth of the contact.
"""

import math
from typing import NamedTuple

from twincell.sim.geometry.shape_facts import (
    FACED,
    RIMMED,
    ROLLING,
    ROUNDED,
    SEGMENTS,
    SQUARE,
    THIN,
)
from twincell.sim.geometry.shape_table import choose
from twincell.sim.jit import formula
from twincell.sim.mechanics.vector import dot, minus, mul_transposed
from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE

SIDEWAYS = 1.0e-9  # sine of an angle behind a thin surface that still counts as sideways: rounding


class Solid(NamedTuple):
    """A shape in its place."""

    shape: int  # SPHERE, RECTANGLE, DISC, ...
    half: tuple[float, float, float]  # half edges; half length along z [m]
    radius: float  # of what is round [m]
    rim: float  # radius of its rim, 0 if it has none [m]
    rounding: float  # by how much it is rounded, 0 if it has edges [m]
    p_W: tuple[float, float, float]  # its origin
    R_W: tuple[float, float, float, float, float, float, float, float, float]


@formula
def solid_of(shape, half, radius, p_W, R_W):
    """A shape in its place."""
    rim = radius if shape in RIMMED else 0.0
    rounding = radius if shape in ROUNDED else 0.0
    return Solid(shape, half, radius, rim, rounding, p_W, R_W)


@formula
def is_thin(solid):
    """Whether a solid has a front and no inside."""
    return solid.shape in THIN


@formula
def is_segment(solid):
    """Whether a solid is a segment with a rounding."""
    return solid.shape in SEGMENTS


@formula
def has_faces(solid):
    """Whether a solid has flat faces that end at edges."""
    return solid.shape in FACED


@formula
def rolls(solid):
    """Whether a solid has a round side about z."""
    return solid.shape in ROLLING


@formula
def axis(solid, k):
    """Axis k of a solid, in the world."""
    R_W = solid.R_W
    if k == 0:
        return (R_W[0], R_W[3], R_W[6])
    if k == 1:
        return (R_W[1], R_W[4], R_W[7])
    return (R_W[2], R_W[5], R_W[8])


@formula
def first_axis(solid):
    """First of the axes along which it has edges or normals of faces; the last is z."""
    return 0 if solid.shape in SQUARE else 2


@formula
def _extent(solid, m):
    half = solid.half
    flat = math.sqrt(m[0] * m[0] + m[1] * m[1])
    return abs(m[0]) * half[0] + abs(m[1]) * half[1] + abs(m[2]) * half[2] + solid.rim * flat


@formula
def _support(solid, m):
    half = solid.half
    flat = math.sqrt(m[0] * m[0] + m[1] * m[1])
    k = solid.rim / flat if flat > 0.0 else 0.0
    return (
        math.copysign(half[0], m[0]) + k * m[0],
        math.copysign(half[1], m[1]) + k * m[1],
        math.copysign(half[2], m[2]),
    )


_extent_of = choose(
    "extents",
    {
        SPHERE: _extent,
        RECTANGLE: _extent,
        DISC: _extent,
        CYLINDER: _extent,
        CAPSULE: _extent,
        BOX: _extent,
        HALF_SPACE: _extent,
    },
)
_support_of = choose(
    "supports",
    {
        SPHERE: _support,
        RECTANGLE: _support,
        DISC: _support,
        CYLINDER: _support,
        CAPSULE: _support,
        BOX: _support,
        HALF_SPACE: _support,
    },
)


@formula
def extent(solid, n_W):
    """How far a solid reaches along n from its origin, without its rounding."""
    return _extent_of(solid.shape, solid, mul_transposed(solid.R_W, n_W))


@formula
def support(solid, n_W):
    """The point of a solid that reaches farthest along n, in its frame, without its rounding."""
    return _support_of(solid.shape, solid, mul_transposed(solid.R_W, n_W))


@formula
def overlap(a, b, n):
    """Overlap of two solids along n, without their rounding."""
    return extent(a, n) + extent(b, n) - dot(minus(a.p_W, b.p_W), n)


@formula
def can_push(a, b, n):
    """Whether both solids can push along n: a thin one pushes to its front or sideways."""
    if is_thin(a) and dot(axis(a, 2), n) > SIDEWAYS:
        return False
    return not (is_thin(b) and dot(axis(b, 2), n) < -SIDEWAYS)

"""The feature of a shape that looks at the other one: a face, a line or a point.

It is written in the axes (e₁, e₂, n) of the contact, from the second shape's origin: two
coordinates in the contact plane, and the height along n.

    box        the face that looks most towards the other shape
    rectangle  the same, of a box that is its layer
    cylinder   an end with eight corners on the rim, or the line along its side
    disc       the same, of a cylinder that is its layer
    capsule    the line along its side

The foremost point is always a corner of the feature, so that the depth there is exact. Faces switch
to lines where the corners that disappear are far from touching.
"""

import math
from typing import NamedTuple

from twincell.sim.contact.collide.half_space import FLAT
from twincell.sim.geometry.shape_table import choose
from twincell.sim.geometry.solid import axis, is_thin
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import dot, minus, mul, mul_transposed, plus, times
from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE

FROM_THE_SIDE = 0.5  # cosine between a face's normal and n where it counts as a line; chosen
CORNERS = 8  # of a rim; chosen: a square loses too much where an edge cuts it
SQRT_HALF = math.sqrt(0.5)
LEVEL = (0.0, 0.0)  # slope of a line


class ContactFrame(NamedTuple):
    """The contact plane: its axes and origin, in the world."""

    e_1: tuple[float, float, float]
    e_2: tuple[float, float, float]
    n_W: tuple[float, float, float]  # from the second solid into the first
    p_W: tuple[float, float, float]  # origin of the second solid


@formula
def plane_axes(n):
    """Two unit vectors that make a right-handed frame with n."""
    sign = math.copysign(1.0, n[2])
    a = -1.0 / (sign + n[2])
    b = n[0] * n[1] * a
    return (1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]), (
        b,
        sign + n[1] * n[1] * a,
        -n[1],
    )


@formula
def contact_frame(n, p_W):
    """The frame of a contact along n, with its origin in p."""
    e_1, e_2 = plane_axes(n)
    return ContactFrame(e_1, e_2, n, p_W)


@formula
def point_in_world(frame, u, v, w):
    """The point with these coordinates in the contact's frame, in the world."""
    in_plane = plus(frame.p_W, times(u, frame.e_1))
    return plus(in_plane, plus(times(v, frame.e_2), times(w, frame.n_W)))


@formula
def _write_corner(solid, c, frame, outline, k):
    """Write a corner of a solid, in its frame, into the outline of a feature."""
    c = plus(minus(solid.p_W, frame.p_W), mul(solid.R_W, c))
    outline[k, 0] = dot(c, frame.e_1)
    outline[k, 1] = dot(c, frame.e_2)
    outline[k, 2] = dot(c, frame.n_W)


@formula
def _slope(solid, face, frame):
    """Rise of the face across an axis of a solid, along e₁ and e₂."""
    k_W = axis(solid, face)
    along = dot(k_W, frame.n_W)
    return -dot(k_W, frame.e_1) / along, -dot(k_W, frame.e_2) / along


@formula
def _turned(foremost, k):
    """The foremost point of a rim, k eighths of a turn on."""
    x, y = foremost
    if k & 1:
        x, y = SQRT_HALF * (x - y), SQRT_HALF * (x + y)
    if k & 2:
        x, y = -y, x
    if k & 4:
        x, y = -x, -y
    return x, y


@formula
def _face_of_box(solid, m, high, low, frame, outline):
    face = 2
    if abs(m[0]) > abs(m[1]) and abs(m[0]) > abs(m[2]):
        face = 0
    elif abs(m[1]) > abs(m[2]):
        face = 1
    half = solid.half
    end = high if m[2] > 0.0 else low
    for k in range(4):
        one = 1.0 if k in (0, 3) else -1.0
        if face == 0:
            c = (math.copysign(half[0], m[0]), one * half[1], high if k < 2 else low)
        elif face == 1:
            c = (one * half[0], math.copysign(half[1], m[1]), high if k < 2 else low)
        else:
            c = (one * half[0], half[1] if k < 2 else -half[1], end)
        _write_corner(solid, c, frame, outline, k)
    return 4, _slope(solid, face, frame)


@formula
def _rim_or_side(solid, m, high, low, frame, outline):
    radius = solid.radius
    flat = math.sqrt(m[0] * m[0] + m[1] * m[1])
    foremost = (1.0, 0.0) if flat < FLAT else (m[0] / flat, m[1] / flat)
    if not abs(m[2]) > FROM_THE_SIDE:
        for k in range(2):
            c = (radius * foremost[0], radius * foremost[1], high if k == 0 else low)
            _write_corner(solid, c, frame, outline, k)
        return 2, LEVEL
    end = high if m[2] > 0.0 else low
    for k in range(CORNERS):
        x, y = _turned(foremost, k)
        _write_corner(solid, (radius * x, radius * y, end), frame, outline, k)
    return CORNERS, _slope(solid, 2, frame)


@formula
def _side_of_segment(solid, m, high, low, frame, outline):
    for k in range(2):
        c = plus((0.0, 0.0, high if k == 0 else low), times(solid.radius, m))
        _write_corner(solid, c, frame, outline, k)
    return 2, LEVEL


@formula
def _no_feature(_solid, _m, _high, _low, _frame, _outline):
    return 0, LEVEL


_feature = choose(
    "features",
    {
        BOX: _face_of_box,
        RECTANGLE: _face_of_box,
        CAPSULE: _side_of_segment,
        CYLINDER: _rim_or_side,
        DISC: _rim_or_side,
        SPHERE: _no_feature,  # sphere.py and half_space.py are for all pairs with these
        HALF_SPACE: _no_feature,
    },
)


@kernel
def write_feature(solid, side, layer, frame, outline):
    """Write a solid's feature towards n (side 1) or -n (-1); its number of corners, and its slope.

    A thin solid is as thick as the layer. The slope is the rise of the feature along e₁ and e₂.
    """
    m = mul_transposed(solid.R_W, times(side, frame.n_W))
    high = solid.half[2]
    low = -solid.half[2]
    if is_thin(solid):
        high = 0.0
        low = -layer
    return _feature(solid.shape, solid, m, high, low, frame, outline)

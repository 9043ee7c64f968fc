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
from twincell.sim.geometry.solid import axis, is_thin
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import dot, minus, mul, mul_transposed, plus, times
from twincell.sim.model import BOX, CAPSULE, RECTANGLE

FROM_THE_SIDE = 0.5  # cosine between a face's normal and n where it counts as a line; chosen
CORNERS = 8  # of a rim; chosen: a square loses too much where an edge cuts it
SQRT_HALF = math.sqrt(0.5)


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


@kernel
def write_feature(solid, side, layer, frame, outline):
    """Write a solid's feature towards n (side 1) or -n (-1); its number of corners, and its slope.

    A thin solid is as thick as the layer. The slope is the rise of the feature along e₁ and e₂.
    """
    shape, half, radius = solid.shape, solid.half, solid.radius
    from_origin = minus(solid.p_W, frame.p_W)
    m = mul_transposed(solid.R_W, times(side, frame.n_W))
    high = half[2]
    low = -half[2]
    if is_thin(solid):
        high = 0.0
        low = -layer
    end = high if m[2] > 0.0 else low
    flat = math.sqrt(m[0] * m[0] + m[1] * m[1])
    face = 2
    count = 4
    if shape in (BOX, RECTANGLE):
        if abs(m[0]) > abs(m[1]) and abs(m[0]) > abs(m[2]):
            face = 0
        elif abs(m[1]) > abs(m[2]):
            face = 1
    elif shape == CAPSULE:
        count = 2
    else:
        count = CORNERS if abs(m[2]) > FROM_THE_SIDE else 2

    foremost = (1.0, 0.0) if flat < FLAT else (m[0] / flat, m[1] / flat)
    for k in range(count):
        if shape in (BOX, RECTANGLE):
            one = 1.0 if k in (0, 3) else -1.0
            if face == 0:
                c = (math.copysign(half[0], m[0]), one * half[1], high if k < 2 else low)
            elif face == 1:
                c = (one * half[0], math.copysign(half[1], m[1]), high if k < 2 else low)
            else:
                c = (one * half[0], half[1] if k < 2 else -half[1], end)
        elif shape == CAPSULE:
            c = plus((0.0, 0.0, high if k == 0 else low), times(radius, m))
        elif count == 2:
            c = (radius * foremost[0], radius * foremost[1], high if k == 0 else low)
        else:
            x, y = _turned(foremost, k)
            c = (radius * x, radius * y, end)
        c = plus(from_origin, mul(solid.R_W, c))
        outline[k, 0] = dot(c, frame.e_1)
        outline[k, 1] = dot(c, frame.e_2)
        outline[k, 2] = dot(c, frame.n_W)

    if count == 2:
        return count, (0.0, 0.0)
    k_W = axis(solid, face)
    along = dot(k_W, frame.n_W)
    return count, (-dot(k_W, frame.e_1) / along, -dot(k_W, frame.e_2) / along)


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

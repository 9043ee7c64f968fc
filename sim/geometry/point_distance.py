"""How far a point is from a surface, and which way leads straight out of it.

    distance(p) = max over unit n of  n · p - h(n)        h: how far the shape reaches along n

It is negative inside. The n of the maximum is the normal, and p - distance n the nearest point of
the surface. Everything is in the shape's own frame; all shapes are symmetric about its origin.

A thin shape (rectangle, disc) pushes to its front only: n is limited to n_z ≥ 0. A point behind it
is as deep as the way to the front, or sideways past the edge if that is shorter. Where its back is
(the layer of the contact) is no matter of distance: the kernels of the pairs end there.
"""

import math

from twincell.sim.geometry.shape_table import choose
from twincell.sim.jit import formula, kernel
from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE

X = (1.0, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)


@formula
def distance_from_box(half, p):
    """Of a box with these half edges."""
    x = abs(p[0]) - half[0]
    y = abs(p[1]) - half[1]
    z = abs(p[2]) - half[2]
    if x <= 0.0 and y <= 0.0 and z <= 0.0:
        # inside: out through the nearest face; of several the first in the order z, y, x
        if z >= y and z >= x:
            return z, (0.0, 0.0, math.copysign(1.0, p[2]))
        if y >= x:
            return y, (0.0, math.copysign(1.0, p[1]), 0.0)
        return x, (math.copysign(1.0, p[0]), 0.0, 0.0)
    x = max(x, 0.0)
    y = max(y, 0.0)
    z = max(z, 0.0)
    distance = math.sqrt(x * x + y * y + z * z)
    k = 1.0 / distance
    return distance, (
        math.copysign(k * x, p[0]),
        math.copysign(k * y, p[1]),
        math.copysign(k * z, p[2]),
    )


@formula
def distance_from_cylinder(half_length, radius, p):
    """Of a cylinder about z."""
    from_axis = math.sqrt(p[0] * p[0] + p[1] * p[1])
    side = from_axis - radius
    end = abs(p[2]) - half_length
    if side <= 0.0 and end <= 0.0:
        if end >= side:
            return end, (0.0, 0.0, math.copysign(1.0, p[2]))
        if from_axis == 0.0:
            return side, X
        return side, (p[0] / from_axis, p[1] / from_axis, 0.0)
    side = max(side, 0.0)
    end = max(end, 0.0)
    distance = math.sqrt(side * side + end * end)
    k = side / (distance * from_axis) if side > 0.0 else 0.0
    return distance, (k * p[0], k * p[1], math.copysign(end / distance, p[2]))


@formula
def distance_from_capsule(half_length, radius, p):
    """Of a capsule about z: a segment with a radius."""
    z = p[2] - min(max(p[2], -half_length), half_length)
    distance = math.sqrt(p[0] * p[0] + p[1] * p[1] + z * z)
    if distance == 0.0:
        return -radius, X
    return distance - radius, (p[0] / distance, p[1] / distance, z / distance)


@formula
def distance_from_rectangle(half, p):
    """Of the front of a rectangle."""
    if p[2] > 0.0:
        x = max(abs(p[0]) - half[0], 0.0)
        y = max(abs(p[1]) - half[1], 0.0)
        distance = math.sqrt(x * x + y * y + p[2] * p[2])
        k = 1.0 / distance
        return distance, (math.copysign(k * x, p[0]), math.copysign(k * y, p[1]), k * p[2])
    sideways, n = distance_from_box((half[0], half[1], math.inf), p)
    if sideways >= p[2]:
        return sideways, n
    return p[2], Z


@formula
def distance_from_disc(radius, p):
    """Of the front of a disc."""
    if p[2] > 0.0:
        from_axis = math.sqrt(p[0] * p[0] + p[1] * p[1])
        side = max(from_axis - radius, 0.0)
        distance = math.sqrt(side * side + p[2] * p[2])
        k = side / (distance * from_axis) if side > 0.0 else 0.0
        return distance, (k * p[0], k * p[1], p[2] / distance)
    sideways, n = distance_from_cylinder(math.inf, radius, p)
    if sideways >= p[2]:
        return sideways, n
    return p[2], Z


# ---------------------------------------------------------------- all shapes alike


@formula
def _of_sphere(_half, radius, p):
    return distance_from_capsule(0.0, radius, p)  # a capsule without length


@formula
def _of_rectangle(half, _radius, p):
    return distance_from_rectangle(half, p)


@formula
def _of_disc(_half, radius, p):
    return distance_from_disc(radius, p)


@formula
def _of_cylinder(half, radius, p):
    return distance_from_cylinder(half[2], radius, p)


@formula
def _of_capsule(half, radius, p):
    return distance_from_capsule(half[2], radius, p)


@formula
def _of_box(half, _radius, p):
    return distance_from_box(half, p)


@formula
def _of_half_space(_half, _radius, p):
    return p[2], Z


_distance = choose(
    "distances of a point",
    {
        RECTANGLE: _of_rectangle,
        DISC: _of_disc,
        CYLINDER: _of_cylinder,
        CAPSULE: _of_capsule,
        BOX: _of_box,
        HALF_SPACE: _of_half_space,
        SPHERE: _of_sphere,
    },
)


@kernel
def point_distance(shape, half, radius, p):
    """Distance of a point from a surface, and the normal there; both in the surface's frame."""
    return _distance(shape, half, radius, p)

"""How each shape of a collision object catches: its gap, how narrow it is, how a fast one meets it.

A rectangle and a disc catch from both sides, within the radius of the object; all other shapes as
far as they reach.
"""

import math

from twincell.sim.geometry.shape_table import choose
from twincell.sim.jit import formula
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import load, mul_transposed
from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE
from twincell.sim.network.shape_disc import disc_gap
from twincell.sim.network.shape_rectangle import rectangle_gap
from twincell.sim.network.shape_solid import solid_gap
from twincell.sim.network.shape_sphere import sphere_gap


@formula
def _in_own_axes(model, scratch, other, p_CS):
    q_WC = rotation.load(scratch.placed.port_q, model.collision.port[other])
    return mul_transposed(rotation.matrix(q_WC), p_CS)


# ---------------------------------------------------------------- gap


@formula
def _gap_of_sphere(model, _scratch, other, p_CS, radius, reach):
    return sphere_gap(p_CS, model.collision.radius[other], radius, reach)


@formula
def _gap_of_rectangle(model, scratch, other, p_CS, radius, reach):
    d = _in_own_axes(model, scratch, other, p_CS)
    return rectangle_gap(d, load(model.collision.half, other), radius, reach)


@formula
def _gap_of_disc(model, scratch, other, p_CS, radius, reach):
    d = _in_own_axes(model, scratch, other, p_CS)
    return disc_gap(d, model.collision.radius[other], radius, reach)


@formula
def _gap_of_solid(model, scratch, other, p_CS, radius, reach):
    d = _in_own_axes(model, scratch, other, p_CS)
    half = load(model.collision.half, other)
    shape = model.collision.shape[other]
    return solid_gap(shape, d, half, model.collision.radius[other], radius, reach)


# gap from an object at p_CS, and whether it is within `reach` catch distances
catch_gap = choose(
    "gaps of collision objects",
    {
        SPHERE: _gap_of_sphere,
        RECTANGLE: _gap_of_rectangle,
        DISC: _gap_of_disc,
        CYLINDER: _gap_of_solid,
        CAPSULE: _gap_of_solid,
        BOX: _gap_of_solid,
        HALF_SPACE: _gap_of_solid,
    },
)

# ---------------------------------------------------------------- width


@formula
def _width_of_rectangle(half, _radius):
    return min(half[0], half[1])


@formula
def _width_of_disc(_half, radius):
    return radius


@formula
def _wide(_half, _radius):
    return math.inf


# how narrow a flat shape is; whatever has a depth catches at least as wide as the object
catch_width = choose(
    "widths of collision objects",
    {
        RECTANGLE: _width_of_rectangle,
        DISC: _width_of_disc,
        SPHERE: _wide,
        CYLINDER: _wide,
        CAPSULE: _wide,
        BOX: _wide,
        HALF_SPACE: _wide,
    },
)

# ---------------------------------------------------------------- on the way


@formula
def _within_box(_shape, half, radius):
    return BOX, (half[0], half[1], radius), 0.0


@formula
def _within_cylinder(_shape, _half, radius):
    return CYLINDER, (0.0, 0.0, radius), 0.0


@formula
def _itself(shape, half, radius):
    return shape, half, radius


# the shape and its half extents, and how near to it an object of this radius is caught
catch_region = choose(
    "regions of collision objects",
    {
        RECTANGLE: _within_box,
        DISC: _within_cylinder,
        SPHERE: _itself,
        CYLINDER: _itself,
        CAPSULE: _itself,
        BOX: _itself,
        HALF_SPACE: _itself,
    },
)

"""Edges are chamfered by a little, so that the seam between two level faces does not catch.

What slides from one face onto a level one beside it is as deep in the second as it rests on the
first, and would run into its edge. A real edge is broken. Here

    a contact along n does not count     if the shapes overlap by less than κ along the normal
                                         of any face that is sideways to n
    it pushes along the normal of a face if n leans around the edge of that face (balls, cylinders,
                                         capsules) and the overlap along it is less than κ

A tick later the shortest way out leads through the face. κ is the depth at which one point bears a
few times the weight W of both bodies that forces move,

    c κᵏ = WEIGHTS W          c, k: stiffness and exponent of their law

so that it exceeds what they rest with, and what a step of that height may give them is no more
than the work of their weight on a few times that way.
"""

import math

from twincell.sim.contact.collide.feature import FROM_THE_SIDE
from twincell.sim.contact.collide.separating_axis import better_axis
from twincell.sim.geometry.solid import axis, first_axis, has_faces, rolls
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import dot, load, minus, norm, plus, store, times

WEIGHTS = 4.0  # chosen: a box on four points rests a sixth as deep if k = 1.5, a ball two fifths
MOST = 2.0e-4  # [m]: soft things too have edges; chosen
SIDEWAYS = 0.5  # cosine between n and the normal of a face that is sideways to it; chosen
LEANING = 0.9  # cosine between n and the normal of a face over whose edge it leans; chosen


@formula
def chamfer_of(model, law, body_a, body_b):
    """κ of two bodies whose surfaces touch by a law."""
    mass = 0.0
    if body_a >= model.n_driven:
        mass += model.bodies.mass[body_a]
    if body_b >= model.n_driven:
        mass += model.bodies.mass[body_b]
    force = WEIGHTS * mass * norm(model.gravity)
    if force == 0.0:
        return 0.0
    depth = math.exp(math.log(force / model.laws.stiffness[law]) / model.laws.exponent[law])
    return min(depth, MOST)


@formula
def is_on_chamfer(a, b, n, chamfer):
    """Whether two solids whose way out is n only touch where an edge is broken."""
    return _is_at_edge_of(a, a, b, n, chamfer) or _is_at_edge_of(b, a, b, n, chamfer)


@formula
def _is_at_edge_of(owner, a, b, n, chamfer):
    """Whether a face of one of them, sideways to n, is hardly entered."""
    if not has_faces(owner):
        return False
    d = minus(a.p_W, b.p_W)
    for k in range(first_axis(owner), 3):
        m = axis(owner, k)
        # mostly the face's own solid reaches far enough to prove that it is entered by more
        if abs(dot(m, n)) < SIDEWAYS and owner.half[k] - abs(dot(d, m)) < chamfer:
            found, _ = better_axis(a, b, m, 0.0, (math.inf, n))
            if found + (a.rounding + b.rounding) < chamfer:
                return True
    return False


@formula
def face_under(roller, owner, a, b, n, chamfer):
    """Normal of the face over whose edge a solid that rolls leans along n, or n if there is none.

    `roller` and `owner` of the face are a and b, or b and a.
    """
    if not has_faces(owner) or not _lies(roller, n):
        return n
    for k in range(first_axis(owner), 3):
        m = axis(owner, k)
        if abs(dot(m, n)) > LEANING:
            found, m = better_axis(a, b, m, 0.0, (math.inf, n))
            if 0.0 < found + (a.rounding + b.rounding) < chamfer:
                return m
    return n


@formula
def _lies(solid, n):
    """Whether n comes out of the round side of a solid."""
    return rolls(solid) and abs(dot(axis(solid, 2), n)) < FROM_THE_SIDE


@kernel
def lean(points, first, count, n, m, radius):
    """Let points that push along n push along m, from below the axis they are a radius away from.

    The radius is negative if the second solid is the one that rolls.
    """
    if m == n:
        return
    for k in range(first, first + count):
        store(points.n_W, k, m)
        p = load(points.p_W, k)
        store(points.p_W, k, plus(p, times(radius, minus(n, m))))

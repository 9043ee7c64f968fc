"""The narrow phase: how far two surfaces are apart, then where they touch.

    gap(n) = (p_a - p_b) · n - h_a(n) - h_b(n)          h: how far a shape reaches along n

Surfaces with a positive gap along any n do not touch. The separation is that along the n with the
greatest gap, or with one that will do: for boxes the greatest of a list, which is never more than
the distance and 0 where they begin to touch; for what is round the distance itself. Where it is
negative, n is the shortest way out. The manifold is the set of contact points, seen along that n.

Which kernels are for which pair of shapes is decided in `_kind` alone. They take the shape with the
smaller number first. If the surfaces came the other way around, the normals are turned: the contact
is the mirror image of the one with the surfaces exchanged.
"""

import math

from twincell.sim.contact.collide.contact_point import Separation
from twincell.sim.contact.collide.half_space import half_space_manifold, half_space_separation
from twincell.sim.contact.collide.solid_manifold import solid_manifold
from twincell.sim.contact.collide.solid_separation import search_separation, solid_separation
from twincell.sim.contact.collide.sphere import sphere_manifold, sphere_separation
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import load, store, times
from twincell.sim.model import HALF_SPACE, SPHERE

ON_SPHERE, ON_HALF_SPACE, ON_SOLID = 0, 1, 2  # a sphere and anything, a half-space and any other


@formula
def _kind(a, b):
    """Which kernels are for a pair in order."""
    if a.shape == SPHERE:
        return ON_SPHERE
    if b.shape == HALF_SPACE:
        return ON_HALF_SPACE
    return ON_SOLID


@formula
def _in_order(a, b):
    """The surface with the smaller number of its shape, the other, and the sign of the normal."""
    if a.shape <= b.shape:
        return a, b, 1.0
    return b, a, -1.0


@formula
def _turned(found, sign):
    """A separation seen from the other surface, if the sign is -1."""
    return Separation(found.gap, found.distance, times(sign, found.n_W), found.is_exact)


@kernel
def separation(a, b, layer, enough):
    """Gap of two surfaces, and its direction from the second to the first.

    Of what is farther apart than `enough` any direction with such a gap will do. Nothing touches
    the back of a thin surface, a `layer` below its front: behind it the gap is infinite.
    """
    a, b, sign = _in_order(a, b)
    kind = _kind(a, b)
    if kind == ON_SPHERE:
        found = sphere_separation(a, b, layer)
    elif kind == ON_HALF_SPACE:
        found = half_space_separation(a, b)
    else:
        found = solid_separation(a, b, layer, enough)
    return _turned(found, sign)


@kernel
def refine(a, b, found, enough):
    """The separation of two surfaces after a search of their rims, if it is not exact yet."""
    if found.is_exact:
        return found
    a, b, sign = _in_order(a, b)
    return _turned(search_separation(a, b, _turned(found, sign), enough), sign)


@kernel
def manifold(a, b, found, margins, points, first):
    """Write where two surfaces touch into `points`, from row `first` on; number of points.

    `found` is their separation. There must be room for MOST_POINTS points.
    """
    if found.gap == math.inf:
        return 0
    a, b, sign = _in_order(a, b)
    kind = _kind(a, b)
    if kind == ON_SPHERE:
        count = sphere_manifold(a, b, _turned(found, sign), margins, points, first)
    elif kind == ON_HALF_SPACE:
        count = half_space_manifold(a, b, margins, points, first)
    else:
        count = solid_manifold(a, b, _turned(found, sign), margins, points, first)
    if sign < 0.0:
        for k in range(first, first + count):
            store(points.n_W, k, times(-1.0, load(points.n_W, k)))
    return count

"""How far two surfaces with edges, or capsules, are apart.

A list of directions comes first (separating_axis.py). What it shows apart needs no search of rims
(rim_search.py), and neither does what touches with a face, which a manifold can prove.

A thin surface ends at its back, a layer below its front. No direction leads out there, so the way
out is that of a solid that goes back for ever, but what is behind the back does not touch.
"""

import math

from twincell.sim.contact.collide.capsule import capsule_separation
from twincell.sim.contact.collide.contact_point import Separation
from twincell.sim.contact.collide.rim_search import search_rims
from twincell.sim.contact.collide.separating_axis import separating_axis
from twincell.sim.geometry.solid import axis, extent, is_thin
from twincell.sim.jit import formula
from twincell.sim.mechanics.vector import dot, minus

UP = (0.0, 0.0, 1.0)


@formula
def solid_separation(a, b, layer, enough):
    """Gap of two surfaces and its direction; of rims, of a list of directions only."""
    if _is_behind(a, b, layer) or _is_behind(b, a, layer):
        return Separation(math.inf, math.inf, UP, True)
    if a.rounding + b.rounding > 0.0:
        return capsule_separation(a, b)
    overlap, n = separating_axis(a, b, enough)
    return Separation(-overlap, -overlap, n, a.rim == 0.0 and b.rim == 0.0)


@formula
def search_separation(a, b, found, enough):
    """The separation after a search of rims."""
    overlap, n = search_rims(a, b, enough, (-found.gap, found.n_W))
    return Separation(-overlap, -overlap, n, True)


@formula
def _is_behind(thin, other, layer):
    """Whether a surface is all behind the back of a thin one."""
    if not is_thin(thin):
        return False
    front = axis(thin, 2)
    top = dot(minus(other.p_W, thin.p_W), front) + extent(other, front)
    top += other.rounding + (layer if is_thin(other) else 0.0)
    return top <= -layer

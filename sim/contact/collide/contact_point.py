"""What the narrow phase is asked for, and what it finds."""

from typing import NamedTuple

from twincell.sim.jit import formula
from twincell.sim.mechanics.vector import store

CLOSE = 1.0e-6  # [m]: surfaces as near as that count as touching where they begin to; chosen


class Margins(NamedTuple):
    """Which points of two surfaces count."""

    layer: float  # how deep a thin surface can be entered from its front [m]
    reach: float  # points this far from touching count too, with a depth below 0 [m]
    chamfer: float  # of the edges: see chamfer.py [m]


class Separation(NamedTuple):
    """How far two surfaces are apart."""

    gap: float  # below 0: how deep they overlap; inf: one is behind the other's back [m]
    distance: float  # of a sphere's centre or a capsule's axis; of what has edges the gap [m]
    n_W: tuple[float, float, float]  # from the second to the first
    is_exact: bool  # False: rims were not searched, they may be farther apart along another n


@formula
def write_point(points, k, p_W, n_W, depth, share):
    """Contact point k: halfway between the surfaces, normal into the first of them."""
    store(points.p_W, k, p_W)
    store(points.n_W, k, n_W)
    points.depth[k] = depth
    points.share[k] = share

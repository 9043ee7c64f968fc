"""Contact points as they are written."""

from sim.jit import formula
from sim.mechanics.vector import store
from sim.model import DISC, RECTANGLE

CLOSE = 1.0e-6  # [m]: surfaces as near as that count as touching where they begin to; chosen


@formula
def is_thin(shape):
    """Whether a surface has a front and no inside."""
    return shape in (RECTANGLE, DISC)


@formula
def write_point(points, k, p_W, n_W, depth, share):
    """Contact point k: halfway between the surfaces, normal into the first of them."""
    store(points.p_W, k, p_W)
    store(points.n_W, k, n_W)
    points.depth[k] = depth
    points.share[k] = share

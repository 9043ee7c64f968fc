"""How long the arrays of a cell are: what its model counts, and what one tick has room for."""

import numpy as np

from twincell.sim.arrays import count
from twincell.sim.model import NONE, Model

MOST_LOOPS = 64  # closing grips of one island that are solved together; chosen: 1.2 MB of matrix
MOST_POINTS = 16  # of two surfaces that touch: two rims of eight corners, clipped

# pairs, and contact points, for each surface of a large cell. Measured: spheres packed as densely
# as can be have 5.3 of each, bricks that fall at 5 m/s 10 pairs and 19 points; spheres of any sizes
# touch in less than 7.5 pairs each (Kuperberg and Schramm, 1994). Chosen with that in mind
CROWD = 32


def sizes_of(model: Model) -> dict[str, int]:
    """All sizes of a cell by their names; a Misfit if the arrays of its model do not agree."""
    sizes = count(model)
    n_surface = sizes["n_surface"]
    n_pair = most_pairs(n_surface)
    n_point = most_points(n_surface)
    return sizes | {
        "n_free": int((model.bodies.free != NONE).sum()),  # bodies that float freely
        "most_axes": int((model.robots.end - model.robots.first).max(initial=0)),  # of a robot
        "n_loop": min(most_loops(model), MOST_LOOPS),  # grips that are solved together
        "n_bucket": model.grid_mask + 2,  # of the grid; the last is for what is too large for it
        "n_surface_bucket": 1 << max(1, 2 * n_surface - 1).bit_length(),  # at most half are used
        "n_pair": n_pair,
        "n_point": n_point,
        # what is found is written before it is known whether it is kept
        "n_point_row": n_point + 2 * MOST_POINTS,
        # bodies and joints, if anything can touch
        "n_touching": sizes["n_body"] if n_point else 0,
        "n_jointed": sizes["n_joint"] if n_point else 0,
    }


def most_pairs(n_surface: int) -> int:
    """How many pairs of surfaces there is room for: all of them, or a crowd."""
    n = n_surface
    return min(max(n * (n - 1) // 2, 1), CROWD * n)  # one surface alone gets what it never uses


def most_points(n_surface: int) -> int:
    """How many contact points there is room for: all that there can be, or a crowd of them."""
    return min(MOST_POINTS * most_pairs(n_surface), CROWD * n_surface)


def most_loops(model: Model) -> int:
    """How many grips can at most close a loop at the same time.

    A free tree with one constrained object hangs on it; each further object, and each one on a
    tree that stands on the ground already, can close a loop. So can two trees that hold each
    other: as many as half of those that both hold and are held.
    """
    tree = model.bodies.tree
    held = np.bincount(tree[model.ports.body[model.constrained.port]], minlength=len(tree))
    holding = np.bincount(tree[model.ports.body[model.collision.port]], minlength=len(tree))
    floats_freely = np.zeros(len(tree), dtype=bool)
    floats_freely[tree[model.bodies.free != NONE]] = True
    mutual = int(((held > 0) & (holding > 0) & floats_freely).sum()) // 2
    return int(np.maximum(held - floats_freely, 0).sum()) + mutual

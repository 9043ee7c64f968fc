"""The broad phase: a grid of buckets that finds the collision objects near a point.

A cell of the grid is twice as wide as the longest distance at which two objects can touch, so that
whoever touches a point stands in one of the eight cells nearest to it. Cells share a fixed number
of buckets by a hash; an object that only shares the bucket is sorted out by the exact test.
A few objects much larger than the rest (a conveyor among holders) would make all cells too wide:
they have one bucket of their own, the last, which everybody looks into. The cost grows with the
number of those, and with the width of the largest constrained object.
"""

import math

from sim.jit import formula, kernel
from sim.mechanics.vector import load
from sim.model import NONE

NEIGHBOURS = 8


@formula
def _bucket(model, x, y, z):
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & model.grid_mask


@kernel
def choose_bucket(model, scratch, other):
    """Find the bucket of a collision object that can catch in this tick."""
    if model.collision.large[other] == 1:
        scratch.near.bucket[other] = model.grid_mask + 1
        return
    p = load(scratch.placed.port_p, model.collision.port[other])
    scratch.near.bucket[other] = _bucket(
        model,
        math.floor(p[0] / model.grid_cell),
        math.floor(p[1] / model.grid_cell),
        math.floor(p[2] / model.grid_cell),
    )


@kernel
def fill(model, scratch):
    """Sort the collision objects by bucket: count, add up, put in place."""
    start = scratch.near.start
    bucket = scratch.near.bucket
    n_bucket = model.grid_mask + 2
    for k in range(n_bucket + 1):
        start[k] = 0
    for other in range(bucket.shape[0]):
        if bucket[other] != NONE:
            start[bucket[other]] += 1
    for k in range(n_bucket):
        start[k + 1] += start[k]
    # each start is its bucket's end now; filling from behind leaves it at the beginning
    for other in range(bucket.shape[0] - 1, -1, -1):
        if bucket[other] != NONE:
            start[bucket[other]] -= 1
            scratch.near.entry[start[bucket[other]]] = other


@formula
def entries(model, scratch, p, neighbour):
    """First and end of the entries in a neighbour's bucket; the last neighbour: the large ones."""
    start = scratch.near.start
    if neighbour == NEIGHBOURS:
        bucket = model.grid_mask + 1
    else:
        bucket = _bucket(
            model,
            math.floor(p[0] / model.grid_cell - 0.5) + (neighbour & 1),
            math.floor(p[1] / model.grid_cell - 0.5) + (neighbour >> 1 & 1),
            math.floor(p[2] / model.grid_cell - 0.5) + (neighbour >> 2),
        )
    return start[bucket], start[bucket + 1]

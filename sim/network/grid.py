"""The broad phase: a grid of buckets that finds the collision objects near a point.

A cell of the grid is twice as wide as the longest distance at which two objects can touch, so that
whoever touches a point stands in one of the eight cells nearest to it. Cells share a fixed number
of buckets by a hash; an object that only shares the bucket is sorted out by the exact test.
A few objects much larger than the rest (a conveyor among holders) would make all cells too wide:
they have one bucket of their own, the last, which everybody looks into. The cost grows with the
number of those, and with the width of the largest constrained object.

For who flies far in a tick, points of its path are half a cell apart, so that whoever touches the
path, and goes no farther than a quarter of a cell itself, stands in one of the 27 cells around one
of them. If that is dearer than trying all objects, or some of these are fast, all are tried.
"""

import math

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import load
from twincell.sim.numeric.hash_grid import bucket_of, sort_by_bucket

NEIGHBOURS = 8
AROUND = 27
CHEAP = 8.0  # looks into a cell that cost as much as one object that is tried; measured


@kernel
def choose_bucket(model, scratch, other):
    """Find the bucket of a collision object that can catch in this tick."""
    if model.collision.large[other] == 1:
        scratch.near.bucket[other] = model.grid_mask + 1
        return
    p = load(scratch.placed.port_p, model.collision.port[other])
    scratch.near.bucket[other] = bucket_of(
        math.floor(p[0] / model.grid_cell),
        math.floor(p[1] / model.grid_cell),
        math.floor(p[2] / model.grid_cell),
        model.grid_mask,
    )


@kernel
def fill(scratch):
    """Sort the collision objects by bucket."""
    sort_by_bucket(scratch.near.bucket, scratch.near.start, scratch.near.entry)


@formula
def entries(model, scratch, p, neighbour):
    """First and end of the entries in a neighbour's bucket; the last neighbour: the large ones."""
    start = scratch.near.start
    if neighbour == NEIGHBOURS:
        bucket = model.grid_mask + 1
    else:
        bucket = bucket_of(
            math.floor(p[0] / model.grid_cell - 0.5) + (neighbour & 1),
            math.floor(p[1] / model.grid_cell - 0.5) + (neighbour >> 1 & 1),
            math.floor(p[2] / model.grid_cell - 0.5) + (neighbour >> 2),
            model.grid_mask,
        )
    return start[bucket], start[bucket + 1]


@kernel
def looks_along(model, scratch, way, others_way):
    """How many looks it takes to find whoever touches a path of that length; one: at everybody."""
    points = max(2.0 * way / model.grid_cell, 1.0)
    everybody = scratch.near.start[model.grid_mask + 2]
    if not AROUND * points < CHEAP * everybody or 4.0 * others_way > model.grid_cell:
        return 1
    return AROUND * math.ceil(points) + 1


@formula
def entries_along(model, scratch, p, way, look, n_look):
    """First and end of the entries of a look along a path from p; the last: the large ones."""
    start = scratch.near.start
    if n_look == 1:
        return start[0], start[model.grid_mask + 2]
    bucket = model.grid_mask + 1
    if look < n_look - 1:
        share = (look // AROUND + 0.5) / (n_look // AROUND)
        cell = look % AROUND
        bucket = bucket_of(
            math.floor((p[0] + share * way[0]) / model.grid_cell) + cell % 3 - 1,
            math.floor((p[1] + share * way[1]) / model.grid_cell) + cell // 3 % 3 - 1,
            math.floor((p[2] + share * way[2]) / model.grid_cell) + cell // 9 - 1,
            model.grid_mask,
        )
    return start[bucket], start[bucket + 1]

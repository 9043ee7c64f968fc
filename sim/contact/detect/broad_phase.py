"""The broad phase: which surfaces may touch in this tick.

A surface is within a bounding sphere about its origin. Two spheres that overlap have their centres
no farther apart than the widest two together, and that is the width of a cell of the grid: whoever
may touch a surface stands in its cell or in one of the 26 around it. Half of those are looked into,
so that each pair is found once. Cells share a fixed number of buckets by a hash.

Of few surfaces each is held against each: that is quicker than any grid.

Half-spaces, tables and others much larger than the rest stay outside of the grid: each is held
against everybody by the distance of the other's centre from it. So does, for one tick, a surface
so fast that its sphere is far wider than the rest's: it would make the cells as wide as the cell of
work, and everybody its neighbour. It is held against every other sphere.

Two surfaces never touch if they are on the same body, if nothing can move either of them, or if one
of them does not care for the other's group.

`surfaces` says what they are: body, moves (1 if forces move it), group (a bit), meets (the bits of
groups it touches), large, shape, half, radius. Which pairs are found, and in which order, follows
from the poses alone.
"""

import math

from twincell.sim.geometry.point_distance import point_distance
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import dot, load, minus, mul_transposed, norm
from twincell.sim.model import NONE
from twincell.sim.numeric.binary_heap import build_heap, sink
from twincell.sim.numeric.hash_grid import bucket_of, sort_by_bucket

NEIGHBOURS = 14  # a cell itself, and those of the 26 around it that come after it
WIDE = 4.0  # of the mean radius; chosen: no more than a quarter of all can be wider
FLOOR = 1.0e3  # [m]: chosen, more than any overlap: what lies on a floor must not fall
FEW_SURFACES = 100  # of so few each is held against each; at 55, 3 µs instead of 28 in the grid


@kernel
def find_pairs(surfaces, broad):
    """Write the pairs that may touch into `broad.pair`; how many there are.

    `broad.radius` is that of each surface's bounding sphere in this tick, `broad.margin` how much
    of it is way to go. If there are more pairs than `broad.pair` has rows, those with large
    surfaces are kept, then those that overlap most.
    """
    count = _pairs_with_large(surfaces, broad)
    if surfaces.body.shape[0] <= FEW_SURFACES:
        return _each_against_each(surfaces, broad, count)
    radius = broad.radius
    bound = WIDE * _mean_radius(surfaces, radius)
    widest = 0.0
    for this in range(surfaces.body.shape[0]):
        if surfaces.large[this] == 0:
            if radius[this] <= bound:
                widest = max(widest, radius[this])
                continue
            for other in range(surfaces.body.shape[0]):
                # of two wide ones the first holds itself against the second
                if surfaces.large[other] == 1 or (radius[other] > bound and other <= this):
                    continue
                if _spheres_overlap(broad, this, other) and may_touch(surfaces, this, other):
                    count = _write(surfaces, broad, count, this, other)
    if widest == 0.0:
        return count

    scale = 0.5 / widest
    _fill_grid(surfaces, bound, scale, broad)
    mask = broad.start.shape[0] - 2
    for this in range(surfaces.body.shape[0]):
        if broad.bucket[this] == NONE:
            continue
        own = broad.cell[this]
        for neighbour in range(NEIGHBOURS):
            step = neighbour + 13  # 13 is the cell itself, 14 to 26 come after it
            cell = (own[0] + step % 3 - 1, own[1] + step // 3 % 3 - 1, own[2] + step // 9 - 1)
            bucket = bucket_of(cell[0], cell[1], cell[2], mask)
            for k in range(broad.start[bucket], broad.start[bucket + 1]):
                other = broad.entry[k]
                if neighbour == 0 and other <= this:
                    continue
                # another cell can share the bucket: it has a turn of its own
                if (
                    _stands_in(broad.cell[other], cell)
                    and _spheres_overlap(broad, this, other)
                    and may_touch(surfaces, this, other)
                ):
                    count = _write(surfaces, broad, count, this, other)
    return count


@kernel
def _pairs_with_large(surfaces, broad):
    """Write the pairs with large surfaces; how many there are."""
    count = 0
    for this in range(surfaces.body.shape[0]):
        if surfaces.large[this] == 1:
            for other in range(surfaces.body.shape[0]):
                # of two large ones the first holds itself against the second
                if surfaces.large[other] == 1 and other <= this:
                    continue
                if may_touch(surfaces, this, other) and _reaches_large(
                    surfaces, broad, this, other
                ):
                    count = _write(surfaces, broad, count, this, other)
    return count


@kernel
def _each_against_each(surfaces, broad, count):
    """Write the pairs of all that are not large; how many there are then."""
    for this in range(surfaces.body.shape[0]):
        if surfaces.large[this] == 0:
            for other in range(this + 1, surfaces.body.shape[0]):
                if (
                    _spheres_overlap(broad, this, other)
                    and surfaces.large[other] == 0
                    and may_touch(surfaces, this, other)
                ):
                    count = _write(surfaces, broad, count, this, other)
    return count


@kernel
def _mean_radius(surfaces, radius):
    """Mean radius of the bounding spheres of all that are not large."""
    total = 0.0
    n = 0
    for this in range(surfaces.body.shape[0]):
        if surfaces.large[this] == 0:
            total += radius[this]
            n += 1
    return total / n if n > 0 else 0.0


@formula
def _spheres_overlap(broad, this, other):
    """Whether the bounding spheres of two surfaces overlap."""
    d = minus(load(broad.p_W, this), load(broad.p_W, other))
    both = broad.radius[this] + broad.radius[other]
    return dot(d, d) < both * both


@formula
def may_touch(surfaces, this, other):
    """Whether two surfaces have anything to do with each other."""
    return (
        surfaces.body[this] != surfaces.body[other]
        and (surfaces.moves[this] == 1 or surfaces.moves[other] == 1)
        and surfaces.group[this] & surfaces.meets[other] != 0
        and surfaces.group[other] & surfaces.meets[this] != 0
    )


@formula
def _reaches_large(surfaces, broad, large, other):
    """Whether a surface's bounding sphere and a large surface reach each other."""
    distance = _distance_from_large(surfaces, broad, large, other)
    return distance < broad.radius[other] + broad.margin[large]


@kernel
def _distance_from_large(surfaces, broad, large, other):
    """Distance of a surface's origin from a large surface."""
    d = minus(load(broad.p_W, other), load(broad.p_W, large))
    p = mul_transposed(rotation.load_matrix(broad.R_W, large), d)
    half = load(surfaces.half, large)
    distance, _ = point_distance(surfaces.shape[large], half, surfaces.radius[large], p)
    return distance


@formula
def _write(surfaces, broad, count, this, other):
    """Note a pair, the smaller number first; the number of pairs with it."""
    if count < broad.pair.shape[0]:
        broad.pair[count, 0] = min(this, other)
        broad.pair[count, 1] = max(this, other)
    else:
        _replace_least(surfaces, broad, count, min(this, other), max(this, other))
    return count + 1


@kernel
def _replace_least(surfaces, broad, count, a, b):
    """Let a pair that does not fit replace the least important one."""
    room = broad.pair.shape[0]
    if count == room:
        for k in range(room):
            broad.overlap[k] = _overlap(surfaces, broad, broad.pair[k, 0], broad.pair[k, 1])
        build_heap(broad.heap, broad.overlap, room)
    least = broad.heap[0]
    overlap = _overlap(surfaces, broad, a, b)
    if overlap > broad.overlap[least]:
        broad.pair[least, 0] = a
        broad.pair[least, 1] = b
        broad.overlap[least] = overlap
        sink(broad.heap, broad.overlap, room, 0)


@kernel
def _overlap(surfaces, broad, a, b):
    """How far the bounding spheres of a pair overlap; FLOOR more with a large surface."""
    if surfaces.large[a] == 1:
        distance = _distance_from_large(surfaces, broad, a, b)
        return FLOOR + broad.radius[b] + broad.margin[a] - distance
    if surfaces.large[b] == 1:
        distance = _distance_from_large(surfaces, broad, b, a)
        return FLOOR + broad.radius[a] + broad.margin[b] - distance
    d = minus(load(broad.p_W, a), load(broad.p_W, b))
    return broad.radius[a] + broad.radius[b] - norm(d)


@formula
def _stands_in(found, cell):
    """Whether two cells of the grid are the same."""
    return found[0] == cell[0] and found[1] == cell[1] and found[2] == cell[2]


@kernel
def _fill_grid(surfaces, bound, scale, broad):
    """Sort the surfaces that are neither large nor wide into the grid."""
    for this in range(surfaces.body.shape[0]):
        broad.bucket[this] = NONE
        if surfaces.large[this] == 0 and broad.radius[this] <= bound:
            cell = broad.cell[this]
            for axis in range(3):
                cell[axis] = math.floor(broad.p_W[this, axis] * scale)
            broad.bucket[this] = bucket_of(cell[0], cell[1], cell[2], broad.start.shape[0] - 2)
    sort_by_bucket(broad.bucket, broad.start, broad.entry)

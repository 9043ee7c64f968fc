"""The broad phase: which surfaces may touch in this tick.

A surface is within a ball about its origin. Two balls that meet have their centres no farther apart
than the widest two balls together, and that is the width of a cell of the grid: whoever may touch a
surface stands in its cell or in one of the 26 around it. Half of those are looked into, so that
each pair is found once. Cells share a fixed number of buckets by a hash.

Of few surfaces each is held against each: that is quicker than any grid.

Half-spaces, tables and others much larger than the rest stay outside of the grid: each is held
against everybody by the distance of the other's centre from it. So does, for one tick, a surface
so fast that its ball is far wider than the rest's: it would make the cells as wide as the cell of
work, and everybody its neighbour. It is held against every other ball.

Two surfaces never meet if they are on the same body, if nothing can move either of them, or if one
of them does not care for the other's group.

`surfaces` says what they are: body, moves (1 if forces move it), group (a bit), meets (the bits of
groups it meets), large, shape, half, radius. The order of the pairs follows from the poses alone.
"""

import math

from sim.geometry.point_distance import nearest
from sim.jit import formula, kernel
from sim.mechanics import rotation
from sim.mechanics.vector import dot, load, minus, mul_transposed
from sim.model import NONE

NEIGHBOURS = 14  # a cell itself, and those of the 26 around it that come after it
WIDE = 4.0  # of the mean radius; chosen: no more than a quarter of all balls can be wider
FEW_SURFACES = 100  # of so few each is held against each; at 55, 3 µs instead of 28 in the grid


@kernel
def find_near(surfaces, p_W, q_W, reach, near):
    """Write the pairs that may touch into `near.pair`; how many there are.

    `reach` is the radius of each surface's ball in this tick, `near.spread` how much of it is way
    to go. If there are more pairs than
    `near.pair` has rows, only the number is right.
    """
    count = _beside_large(surfaces, p_W, q_W, reach, near)
    if surfaces.body.shape[0] <= FEW_SURFACES:
        return _each_against_each(surfaces, p_W, reach, near, count)
    bound = WIDE * _mean(surfaces, reach)
    widest = 0.0
    for this in range(surfaces.body.shape[0]):
        if surfaces.large[this] == 0:
            if reach[this] <= bound:
                widest = max(widest, reach[this])
                continue
            for other in range(surfaces.body.shape[0]):
                # of two wide ones the first holds itself against the second
                if surfaces.large[other] == 1 or (reach[other] > bound and other <= this):
                    continue
                if _balls_meet(p_W, reach, this, other) and may_meet(surfaces, this, other):
                    count = _write(near, count, this, other)
    if widest == 0.0:
        return count

    scale = 0.5 / widest
    _fill(surfaces, p_W, reach, bound, scale, near)
    mask = near.start.shape[0] - 2
    for this in range(surfaces.body.shape[0]):
        if near.bucket[this] == NONE:
            continue
        own = near.cell[this]
        for neighbour in range(NEIGHBOURS):
            step = neighbour + 13  # 13 is the cell itself, 14 to 26 come after it
            cell = (own[0] + step % 3 - 1, own[1] + step // 3 % 3 - 1, own[2] + step // 9 - 1)
            bucket = _bucket(mask, cell[0], cell[1], cell[2])
            for k in range(near.start[bucket], near.start[bucket + 1]):
                other = near.entry[k]
                if neighbour == 0 and other <= this:
                    continue
                # another cell can share the bucket: it has a turn of its own
                if (
                    _stands_in(near.cell[other], cell)
                    and _balls_meet(p_W, reach, this, other)
                    and may_meet(surfaces, this, other)
                ):
                    count = _write(near, count, this, other)
    return count


@kernel
def _beside_large(surfaces, p_W, q_W, reach, near):
    """Write the pairs with large surfaces; how many there are."""
    count = 0
    for this in range(surfaces.body.shape[0]):
        if surfaces.large[this] == 1:
            axes = rotation.matrix(rotation.load(q_W, this))
            for other in range(surfaces.body.shape[0]):
                # of two large ones the first holds itself against the second
                if surfaces.large[other] == 1 and other <= this:
                    continue
                if may_meet(surfaces, this, other) and _within(
                    surfaces, p_W, axes, reach[other] + near.spread[this], this, other
                ):
                    count = _write(near, count, this, other)
    return count


@kernel
def _each_against_each(surfaces, p_W, reach, near, count):
    """Write the pairs of all that are not large; how many there are then."""
    for this in range(surfaces.body.shape[0]):
        if surfaces.large[this] == 0:
            for other in range(this + 1, surfaces.body.shape[0]):
                if (
                    _balls_meet(p_W, reach, this, other)
                    and surfaces.large[other] == 0
                    and may_meet(surfaces, this, other)
                ):
                    count = _write(near, count, this, other)
    return count


@kernel
def _mean(surfaces, reach):
    """Mean radius of the balls of all that are not large."""
    total = 0.0
    n = 0
    for this in range(surfaces.body.shape[0]):
        if surfaces.large[this] == 0:
            total += reach[this]
            n += 1
    return total / n if n > 0 else 0.0


@formula
def _balls_meet(p_W, reach, this, other):
    """Whether the balls of two surfaces meet."""
    apart = minus(load(p_W, this), load(p_W, other))
    both = reach[this] + reach[other]
    return dot(apart, apart) < both * both


@formula
def may_meet(surfaces, this, other):
    """Whether two surfaces have anything to do with each other."""
    return (
        surfaces.body[this] != surfaces.body[other]
        and (surfaces.moves[this] == 1 or surfaces.moves[other] == 1)
        and surfaces.group[this] & surfaces.meets[other] != 0
        and surfaces.group[other] & surfaces.meets[this] != 0
    )


@kernel
def _within(surfaces, p_W, axes, reach, large, other):
    """Whether a surface's ball and a large surface with these axes reach each other."""
    p = mul_transposed(axes, minus(load(p_W, other), load(p_W, large)))
    distance, _ = nearest(
        surfaces.shape[large], load(surfaces.half, large), surfaces.radius[large], p
    )
    return distance < reach


@formula
def _write(near, count, this, other):
    """Note a pair, the smaller number first; the number of pairs with it."""
    if count < near.pair.shape[0]:
        near.pair[count, 0] = min(this, other)
        near.pair[count, 1] = max(this, other)
    return count + 1


@formula
def _bucket(mask, x, y, z):
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & mask


@formula
def _stands_in(found, cell):
    return found[0] == cell[0] and found[1] == cell[1] and found[2] == cell[2]


@kernel
def _fill(surfaces, p_W, reach, bound, scale, near):
    """Sort the surfaces by bucket: count, add up, put in place."""
    start = near.start
    n_bucket = start.shape[0] - 1
    for k in range(n_bucket + 1):
        start[k] = 0
    for this in range(surfaces.body.shape[0]):
        near.bucket[this] = NONE
        if surfaces.large[this] == 0 and reach[this] <= bound:
            cell = near.cell[this]
            for axis in range(3):
                cell[axis] = math.floor(p_W[this, axis] * scale)
            bucket = _bucket(n_bucket - 1, cell[0], cell[1], cell[2])
            near.bucket[this] = bucket
            start[bucket] += 1
    for k in range(n_bucket):
        start[k + 1] += start[k]
    # each start is its bucket's end now; filling from behind leaves it at the beginning
    for this in range(surfaces.body.shape[0] - 1, -1, -1):
        if near.bucket[this] != NONE:
            start[near.bucket[this]] -= 1
            near.entry[start[near.bucket[this]]] = this

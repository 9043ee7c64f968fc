"""The broad phase against holding everybody against everybody."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from twincell.sim.contact.detect.broad_phase import FEW_SURFACES, find_pairs
from twincell.sim.geometry.point_distance import point_distance
from twincell.sim.model import BOX, HALF_SPACE, SPHERE, Floats, Ints


class Surfaces(NamedTuple):
    body: Ints
    moves: Ints
    group: Ints
    meets: Ints
    large: Ints
    shape: Ints
    half: Floats
    radius: Floats


class Room(NamedTuple):
    p_W: Floats
    R_W: Floats
    radius: Floats
    margin: Floats
    cell: Ints
    bucket: Ints
    start: Ints
    entry: Ints
    pair: Ints
    overlap: Floats
    heap: Ints


def ints(values):
    return np.array(values, dtype=np.intp)


def room(n, n_bucket=16, n_pair=10_000):
    return Room(
        np.zeros((n, 3)),
        np.tile(np.eye(3).ravel(), (n, 1)),
        np.zeros(n),
        np.zeros(n),
        np.zeros((n, 3), np.intp),
        ints([0] * n),
        ints([0] * (n_bucket + 1)),
        ints([0] * n),
        np.zeros((n_pair, 2), np.intp),
        np.zeros(n_pair),
        ints([0] * n_pair),
    )


def scene(rng, n, spread, fast=0.0):
    radius = rng.uniform(0.02, 0.1, n)
    radius[rng.random(n) < fast] *= 40
    large = rng.random(n) < 0.1
    shape = np.where(large, rng.choice([BOX, HALF_SPACE], n), SPHERE)
    surfaces = Surfaces(
        body=ints(rng.integers(0, max(2, n // 2), n)),
        moves=ints(rng.random(n) < 0.8),
        group=ints(1 << rng.integers(0, 3, n)),
        meets=ints(rng.integers(4, 8, n)),
        large=ints(large),
        shape=ints(shape),
        half=rng.uniform(0.5, 1.0, (n, 3)),
        radius=radius,
    )
    p = rng.uniform(-spread, spread, (n, 3))
    R = Rotation.random(n, random_state=int(rng.integers(2**31)))
    bound = np.where(shape == SPHERE, radius, np.where(shape == BOX, 2.0, np.inf))
    return surfaces, p, R, bound


def may_touch(surfaces, p, R, radius, margin, i, j):
    """The rule, pair by pair; i < j."""
    if surfaces.body[i] == surfaces.body[j] or not (surfaces.moves[i] or surfaces.moves[j]):
        return False
    if not surfaces.group[i] & surfaces.meets[j] or not surfaces.group[j] & surfaces.meets[i]:
        return False
    if not surfaces.large[i] and not surfaces.large[j]:
        return np.linalg.norm(p[i] - p[j]) < radius[i] + radius[j]
    large, other = (i, j) if surfaces.large[i] else (j, i)
    at = tuple(R[large].inv().apply(p[other] - p[large]))
    shape, half = int(surfaces.shape[large]), tuple(surfaces.half[large])
    distance, _ = point_distance(shape, half, surfaces.radius[large], at)
    return distance < radius[other] + margin[large]


@settings(deadline=None, max_examples=60, derandomize=True, database=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 30) | st.integers(FEW_SURFACES, FEW_SURFACES + 10),
    st.sampled_from([0.1, 0.4, 3.0]),
    st.sampled_from([0.0, 0.05, 0.5]),
)
def test_few_and_many_find_what_the_rule_says_and_each_pair_once(seed, n, spread, fast):
    rng = np.random.default_rng(seed)
    surfaces, p, R, radius = scene(rng, n, spread, fast)
    broad = room(n)
    broad.p_W[:], broad.R_W[:], broad.radius[:] = p, R.as_matrix().reshape(n, 9), radius
    broad.margin[:] = rng.uniform(0.0, 0.1, n)
    count = find_pairs(surfaces, broad)
    found = [tuple(pair) for pair in broad.pair[:count]]
    expected = {
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if may_touch(surfaces, p, R, radius, broad.margin, i, j)
    }
    assert len(found) == len(set(found))
    assert set(found) == expected


@pytest.mark.parametrize("n", [5, FEW_SURFACES + 1])
def test_more_pairs_than_there_is_room_for_are_counted_and_not_written(n):
    same = ints([1] * n)
    surfaces = Surfaces(
        ints(range(n)),
        same,
        same,
        same,
        ints([0] * n),
        ints([SPHERE] * n),
        np.zeros((n, 3)),
        np.ones(n),
    )
    broad = room(n, n_pair=3)
    broad.radius[:] = 1.0
    assert find_pairs(surfaces, broad) == n * (n - 1) // 2


@settings(deadline=None, max_examples=30, derandomize=True, database=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([12, FEW_SURFACES + 5]), st.integers(1, 40))
def test_pairs_that_overlap_most_are_kept_whatever_the_order_of_surfaces(seed, n, n_pair):
    rng = np.random.default_rng(seed)
    surfaces, p, R, radius = scene(rng, n, 0.15)
    # one floor: of two, the first says how far they overlap
    shape = np.where(np.arange(n) == 3, HALF_SPACE, SPHERE)
    surfaces = surfaces._replace(shape=ints(shape), large=ints(shape == HALF_SPACE))
    radius = np.where(shape == HALF_SPACE, np.inf, np.minimum(radius, 0.1))
    margin = rng.uniform(0.0, 0.1, n)
    everything = room(n)
    kept = []
    for order in (np.arange(n), rng.permutation(n)):
        for broad in (everything, room(n, n_pair=n_pair)):
            broad.p_W[:], broad.radius[:], broad.margin[:] = p[order], radius[order], margin[order]
            broad.R_W[:] = R[order].as_matrix().reshape(n, 9)
            count = find_pairs(Surfaces._make(part[order].copy() for part in surfaces), broad)
        pairs = np.sort(order[broad.pair[: min(count, n_pair)]], axis=1)
        kept.append(set(map(tuple, pairs.tolist())))
        assert len(kept[-1]) == min(count, n_pair)
        on_floor = (order[everything.pair[:count]] == 3).any(axis=1).sum()
        assert (pairs == 3).any(axis=1).sum() == min(on_floor, n_pair)
    assert kept[0] == kept[1]


def test_one_fast_surface_leaves_the_others_in_cells_of_their_own():
    n = 1000
    rng = np.random.default_rng(5)
    same = ints([1] * n)
    surfaces = Surfaces(
        ints(range(n)),
        same,
        same,
        same,
        ints([0] * n),
        ints([SPHERE] * n),
        np.zeros((n, 3)),
        np.ones(n),
    )
    broad = room(n, n_bucket=1024)
    broad.radius[:] = 0.01
    broad.radius[7] = 10.0
    broad.p_W[:] = rng.uniform(-2, 2, (n, 3))
    assert find_pairs(surfaces, broad) >= n - 1
    assert np.diff(broad.start).max() < 20  # of a thousand; in one cell they would all be there

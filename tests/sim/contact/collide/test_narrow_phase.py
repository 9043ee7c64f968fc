"""Contact points of every pair of shapes against points on their surfaces, and their invariants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from reference import (
    FAR,
    NAMES,
    ON_A_RIM,
    THIN,
    random_surface,
    shallow_pair,
    touch,
    way_out,
)
from scipy.spatial.transform import Rotation

from twincell.sim.model import CAPSULE, CYLINDER, DISC, HALF_SPACE, SPHERE

PAIRS = [(a, b) for a in NAMES for b in NAMES if a <= b and a != HALF_SPACE]
each_pair = pytest.mark.parametrize(
    "shapes", PAIRS, ids=[f"{NAMES[a]} on {NAMES[b]}" for a, b in PAIRS]
)
POSES = 6


def accuracy(a, b):
    """What the reference is worth: its rims are polygons, and two rims are searched by hand."""
    rims = sum(s.radius for s in (a, b) if s.shape in (DISC, CYLINDER))
    return 1e-8 + rims * (1 - np.cos(np.pi / ON_A_RIM))


def overlap_along(a, b, n):
    """Overlap along n, from corners."""
    return (b.corners() @ n).max() - (a.corners() @ n).min() + a.rounding + b.rounding


def check(a, b, found, depth):
    """What holds for the points of any contact that deep."""
    assert found.depth.max() == approx(depth, abs=accuracy(a, b))
    n = found.n[0]
    assert np.linalg.norm(n) == approx(1, abs=1e-12)
    assert (found.n == n).all()
    # the normal is a shortest way out: along it they overlap by no more than the depth
    assert overlap_along(a, b, n) == approx(depth, abs=2 * accuracy(a, b))
    # halfway between the surfaces is inside of both; beside an edge by less than the depth
    assert a.distance(found.p).max() <= 0.5 * depth + 1e-9
    assert b.distance(found.p).max() <= 0.5 * depth + 1e-9
    for surface, into in ((a, -1), (b, 1)):
        if surface.shape in THIN:
            assert into * surface.R.apply([0, 0, 1]) @ n >= -1e-9
    assert (found.depth > 0).all()
    assert (found.share > 0).all()
    assert found.share.sum() <= 9  # of two surfaces: a face has 4; a box in a half-space 8 corners


@each_pair
def test_depth_and_points_are_those_of_the_surfaces(shapes):
    rng = np.random.default_rng([8, *shapes])
    for _ in range(POSES):
        a, b = shallow_pair(rng, *shapes, depth=10 ** rng.uniform(-4, -2))
        depth, _ = way_out(a, b)
        check(a, b, touch(a, b), depth)


@each_pair
def test_surfaces_that_are_apart_do_not_touch(shapes):
    rng = np.random.default_rng([9, *shapes])
    for _ in range(POSES):
        a, b = shallow_pair(rng, *shapes, depth=1e-3)
        depth, n = way_out(a, b)
        a = a._replace(p=a.p + (depth + 1e-4) * n)
        assert len(touch(a, b).depth) == 0
        # but they nearly do, and say how far they are from it; at corners they may say less, and
        # where a rim, cut as a polygon, has nothing in common with the other, they say nothing
        near = touch(a, b, reach=2e-4)
        if len(near.depth) > 0 or not {DISC, CYLINDER} & set(shapes):
            assert -1e-4 - accuracy(a, b) <= near.depth.max() < 0


@each_pair
def test_it_does_not_matter_which_surface_is_first(shapes):
    rng = np.random.default_rng([10, *shapes])
    for _ in range(POSES):
        a, b = shallow_pair(rng, *shapes, depth=1e-3)
        one, two = touch(a, b), touch(b, a)
        assert one.n[0] == approx(-two.n[0], abs=1e-7)
        order_1, order_2 = np.lexsort(one.p.T.round(7)), np.lexsort(two.p.T.round(7))
        assert one.p[order_1] == approx(two.p[order_2], abs=1e-6)
        assert one.depth[order_1] == approx(two.depth[order_2], abs=1e-9)
        assert one.share[order_1] == approx(two.share[order_2], abs=1e-6)


@each_pair
def test_no_pose_has_more_points_than_there_is_room_for(shapes):
    # faces that nearly lie on each other have the most corners; `touch` looks behind the room
    rng = np.random.default_rng([11, *shapes])
    most = 0
    for _ in range(400):
        a, b = (random_surface(rng, shape, 0.0) for shape in shapes)
        same = rng.random() < 0.5 and a.shape == b.shape
        tilt = Rotation.from_rotvec(10 ** rng.uniform(-6, -1) * rng.normal(size=3))
        R = Rotation.random(random_state=int(rng.integers(2**31)))
        a = a._replace(half=b.half, radius=b.radius) if same else a
        a = a._replace(R=tilt * Rotation.from_rotvec([np.pi * (a.shape in THIN), 0, 0]))
        b = b._replace(R=Rotation.from_rotvec([0, 0, rng.uniform(0, 7)]))
        aside = 10 ** rng.uniform(-6, -1.5) * rng.normal(size=2)
        up = a.half[2] + b.half[2] + a.rounding + b.rounding - 10 ** rng.uniform(-6, -2)
        a = a._replace(p=np.array([*aside, up]))
        found = touch(a.moved(0, R), b.moved(0, R), reach=10 ** rng.uniform(-7, -1))
        most = max(most, len(found.depth))
    assert most >= (1 if {SPHERE, CAPSULE} & set(shapes) else 2)


turns = st.tuples(*[st.floats(-3, 3)] * 3)


def push(found):
    """Force and moment of equal springs in the points: what a body feels of them."""
    force = (found.share * found.depth)[:, None] * found.n
    return force.sum(0), np.cross(found.p, force).sum(0)


@settings(deadline=None, max_examples=60, derandomize=True, database=None)
@given(st.sampled_from(PAIRS), st.integers(0, 2**31), turns)
def test_a_common_motion_turns_what_bodies_feel_and_changes_nothing_else(shapes, seed, turn):
    a, b = shallow_pair(np.random.default_rng(seed), *shapes, depth=1e-3)
    R = Rotation.from_rotvec(turn)
    here, there = touch(a, b), touch(a.moved(0, R), b.moved(0, R))
    # a point may be two in the same place, which share its force
    assert there.depth.max() == approx(here.depth.max(), abs=1e-9)
    assert there.n[0] == approx(R.apply(here.n[0]), abs=1e-6)  # searched by its slope
    for one, two in zip(push(there), push(here), strict=True):
        assert one == approx(R.apply(two), abs=2e-8)  # forces are 1e-3, turned by 1e-6 at most


@settings(deadline=None, max_examples=60, derandomize=True, database=None)
@given(st.sampled_from(PAIRS), st.integers(0, 2**31))
def test_however_deep_the_way_out_is_the_shortest(shapes, seed):
    rng = np.random.default_rng(seed)
    a, b = (random_surface(rng, shape, 0.1) for shape in shapes)
    depth, _ = way_out(a, b)
    found = touch(a, b, layer=2 * FAR)
    if depth <= 0:
        assert len(found.depth) == 0
    else:
        assert found.depth.max() == approx(depth, abs=accuracy(a, b))


@settings(deadline=None, max_examples=150, derandomize=True, database=None)
@given(
    st.sampled_from([pair for pair in PAIRS if set(pair) & set(THIN) and HALF_SPACE not in pair]),
    st.integers(0, 2**31),
    st.sampled_from([5e-3, 0.02, 0.1]),
)
def test_a_thin_surface_pushes_nothing_that_is_not_in_its_layer(shapes, seed, layer):
    rng = np.random.default_rng(seed)
    a, b = (random_surface(rng, shape, 0.15)._replace(back=layer) for shape in shapes)
    found = touch(a, b, layer)
    if len(found.depth) == 0:
        return
    depth, _ = way_out(a, b)
    assert depth > -accuracy(a, b)
    assert found.depth.max() <= layer
    beside = 0.5 * found.depth.max() + 1e-9
    assert a.distance(found.p).max() <= beside
    assert b.distance(found.p).max() <= beside

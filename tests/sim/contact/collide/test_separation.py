"""Gaps of surfaces that are apart: no more than their distance, and 0 where they touch."""

import numpy as np
import pytest
from pytest import approx
from reference import placed, shallow_pair, way_out
from scipy.spatial.transform import Rotation
from test_narrow_phase import accuracy, each_pair, overlap_along
from test_narrow_phase_by_hand import at, box, rectangle, round_shape

from twincell.sim.contact.collide.contact_point import CLOSE
from twincell.sim.contact.collide.narrow_phase import refine, separation
from twincell.sim.jit import entry
from twincell.sim.model import HALF_SPACE, SPHERE

LAYER = 10.0


@entry
def compiled_separation(a, b, layer, enough, answer):
    """As conservative advancement asks for it: gap and normal. Kept on disk like the tick."""
    first, second = placed(a), placed(b)
    found = separation(first, second, layer, enough)
    if found.gap < CLOSE:
        found = refine(first, second, found, enough)
    answer[0] = found.gap
    for k in range(3):
        answer[1 + k] = found.n_W[k]


def gap_of(a, b, layer=LAYER, enough=1.0):
    answer = np.empty(4)
    compiled_separation(a.given, b.given, layer, enough, answer)
    return answer[0], answer[1:]


@each_pair
def test_a_gap_is_proved_by_its_direction_and_is_no_more_than_the_distance(shapes):
    rng = np.random.default_rng([21, *shapes])
    for _ in range(4):
        a, b = shallow_pair(rng, *shapes, depth=1e-3)
        depth, n = way_out(a, b)
        a = a._replace(p=a.p + (depth + 2e-3) * n)
        gap, found = gap_of(a, b)
        assert 0 < gap <= 2e-3 + accuracy(a, b)
        assert np.linalg.norm(found) == approx(1, abs=1e-12)
        assert -overlap_along(a, b, found) == approx(gap, abs=1e-9 + accuracy(a, b))


@each_pair
def test_it_is_the_same_gap_from_the_other_side(shapes):
    rng = np.random.default_rng([22, *shapes])
    a, b = shallow_pair(rng, *shapes, depth=1e-3)
    depth, n = way_out(a, b)
    a = a._replace(p=a.p + (depth + 2e-3) * n)
    (one, n_1), (two, n_2) = gap_of(a, b), gap_of(b, a)
    assert one == approx(two, abs=1e-9)
    assert n_1 == approx(-n_2, abs=1e-6)


@each_pair
def test_what_overlaps_has_no_gap(shapes):
    rng = np.random.default_rng([23, *shapes])
    for _ in range(4):
        a, b = shallow_pair(rng, *shapes, depth=1e-3)
        assert gap_of(a, b)[0] <= 0


@pytest.mark.parametrize(
    "other", [box(0.1, 0.1, 0.1), round_shape(SPHERE, 0.1)], ids=["box", "ball"]
)
def test_nothing_comes_near_the_back_of_a_thin_surface(other):
    below = other._replace(p=at(0, 0, -0.2))
    assert gap_of(below, rectangle(1.0, 1.0), layer=5e-3)[0] == np.inf


def test_a_rectangle_that_looks_up_does_not_come_near_the_floor():
    floor = round_shape(HALF_SPACE, 0.0)
    up = rectangle(0.1, 0.1, at(0, 0, 0.01))
    assert gap_of(up, floor)[0] == np.inf
    down = up._replace(R=Rotation.from_euler("x", 180, degrees=True))
    assert gap_of(down, floor)[0] == approx(0.01)

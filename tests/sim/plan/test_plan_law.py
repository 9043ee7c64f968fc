"""The law of time: continuous, from rest to rest, in the shortest time; and exact extremes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.sim.plan.extremes import greatest_derivatives, turning_points
from twincell.sim.plan.law import rest_to_rest
from twincell.sim.state import MOST_LAW

decades = st.floats(-6, 6).map(lambda power: 10**power)


@settings(deadline=None)
@given(length=decades, v=decades, a=decades, j=decades)
def test_a_law_is_continuous_from_rest_to_rest_within_its_limits(length, v, a, j):
    law = rest_to_rest(length, v, a, j)
    begin, s, ds, dds, jerk = law.T
    t = np.diff(begin)
    assert len(law) <= MOST_LAW
    assert np.all(t > 0)
    assert law[0, :4].tolist() == [0, 0, 0, 0]
    assert law[-1, 1:].tolist() == [length, 0, 0, 0]

    # each segment ends where the next begins: 1e-8 of the move is ruckig's own tolerance, and
    # times late in a long move are rounded
    late = 1e-15 * begin[-1]
    unit = max(length / v, np.sqrt(length / a), np.cbrt(length / j))
    d, e, f, g = s[:-1], ds[:-1], dds[:-1], jerk[:-1]
    ends = d + t * (e + t * (f / 2 + t * g / 6))
    assert ends == pytest.approx(s[1:], abs=1e-8 * length)
    assert e + t * (f + t * g / 2) == pytest.approx(ds[1:], abs=1e-8 * length / unit + late * a)
    least = max(a, length / unit**2)
    assert f + t * g == pytest.approx(dds[1:], abs=1e-8 * least + late * j)

    assert np.abs(ds).max() <= v * (1 + 1e-9)
    assert np.abs(dds).max() <= a * (1 + 1e-9)
    assert np.abs(jerk).max() <= j * (1 + 1e-9)


def test_a_long_way_has_seven_segments_and_the_rest():
    law = rest_to_rest(10.0, 1.0, 2.0, 8.0)
    assert len(law) == 8
    assert law[-1, 0] == pytest.approx(10 / 1 + 1 / 2 + 2 / 8)  # L/v + v/a + a/j


def test_a_very_long_way_still_reaches_full_speed_at_once():
    law = rest_to_rest(30_000.0, 3.0, 10.0, 100.0)
    assert law[-1, 0] == pytest.approx(30_000 / 3 + 3 / 10 + 10 / 100)  # L/v + v/a + a/j


def test_a_short_way_is_jerk_limited_only():
    law = rest_to_rest(1e-3, 1.0, 2.0, 8.0)
    assert law[-1, 0] == pytest.approx(4 * np.cbrt(1e-3 / (2 * 8.0)))
    assert len(law) <= 5  # phases of no duration are dropped


coefficients = st.lists(st.floats(-3, 3, allow_subnormal=False), min_size=4, max_size=4)


@settings(deadline=None)
@given(one=coefficients, other=coefficients)
def test_extremes_of_cubic_pieces_are_exact(one, other):
    knots = np.array([0.0, 0.5, 2.0])
    pieces = np.array([[one, other]])
    _, found = turning_points(knots, pieces)
    greatest = greatest_derivatives(knots, pieces)
    for piece, length in enumerate(np.diff(knots)):
        # a parabola sampled h apart misses its vertex by at most |q''| h²/8
        x = np.linspace(0, length, 2001)
        missed = 30 * (length / 2000) ** 2
        curve = np.polynomial.Polynomial(pieces[0, piece])
        assert found.min() <= curve(x).min() + 1e-12
        assert found.max() >= curve(x).max() - 1e-12
        for order, value in enumerate(greatest, start=1):
            sampled = np.abs(curve.deriv(order)(x)).max()
            assert sampled - 1e-12 <= value[0, piece] <= sampled + missed


def test_turning_points_lie_on_the_path():
    knots = np.array([0.0, 1.0])
    pieces = np.array([[[0.0, 3.0, 0.0, -4.0]]])  # turns at x = 1/2, where it is 1
    places, positions = turning_points(knots, pieces)
    assert positions.max() == pytest.approx(1.0)
    assert places[positions.argmax(), 0] == pytest.approx(0.5)

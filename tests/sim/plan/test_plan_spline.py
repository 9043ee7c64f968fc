"""Cubic splines, against those of scipy."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from twincell.sim.plan.spline import cubic_spline, in_the_middle


@pytest.mark.parametrize("n", [2, 3, 4, 17, 129])
def test_a_spline_is_that_of_scipy(n):
    random = np.random.default_rng(n)
    knots = np.cumsum(random.uniform(0.1, 1.0, n))
    values = random.uniform(-3.0, 3.0, (n, 6))
    peer = CubicSpline(knots, values)
    pieces = cubic_spline(knots, values)
    # both solve the same well-conditioned system
    expected = peer.c[::-1].transpose(2, 1, 0)
    assert pieces == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    middles = (knots[:-1] + knots[1:]) / 2
    assert in_the_middle(knots, pieces) == pytest.approx(peer(middles), abs=1e-9)

"""The least value of a function: found as exactly as its values tell it apart."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from twincell.sim.build.minimum import least_between

FUNCTIONS = {
    "a parabola": (lambda x: (x - 0.3) ** 2 + 2.0, 0.3, 2.0),
    "a kink": (lambda x: abs(x - 0.7), 0.7, 0.0),
    "a flat bottom": (lambda x: (x - 0.5) ** 4, 0.5, 0.0),
    "a slope that ends at the bound": (lambda x: x, 0.0, 0.0),
    "a slope that begins at the bound": (lambda x: -x, 1.0, -1.0),
    "a wave": (lambda x: -math.sin(math.pi * x), 0.5, -1.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_least_value_is_found_between_the_bounds(name):
    f, where, value = FUNCTIONS[name]
    x, f_x = least_between(f, 0.0, 1.0)
    assert f_x == f(x)
    # a fourth power is below 1e-13 up to 5e-4 from its bottom
    assert x == pytest.approx(where, abs=1e-3 if "flat" in name else 2e-8)
    assert f_x == pytest.approx(value, abs=2e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_scipy_finds_the_very_same_number(name):
    f = FUNCTIONS[name][0]
    assert least_between(f, 0.0, 1.0) == scipy_finds(f, 0.0, 1.0)


def scipy_finds(f, low, high):
    """What scipy's bounded method, which is Brent's, finds."""
    options = {"xatol": 0.0}
    found = minimize_scalar(f, bounds=(low, high), method="bounded", options=options)
    return found.x, found.fun


SPEEDS = st.floats(1e-6, 1.0)


@given(st.floats(0.01, 2.0), SPEEDS, SPEEDS, st.floats(0.0, 2.0), st.floats(0.0, 1.0))
def test_scipy_finds_the_very_same_peak_of_friction(rise, v_1, v_2, steady, viscous):
    def falling(v):
        stick, slide = math.tanh(2 * v / v_1), math.tanh(3 * v / v_2)
        return -(rise * (stick - slide) + steady * stick + viscous * v)

    assert least_between(falling, 0.0, v_2) == scipy_finds(falling, 0.0, v_2)

"""Slopes for Newton's method: on the way from what the law says to the force held."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest import approx

from twincell.sim.contact.solve.force_law import friction
from twincell.sim.contact.solve.newton_slope import _friction_slope, _normal_slope
from twincell.sim.contact.solve.point_force import DEPTH, GRIP, NORMAL, RISE, STIFFNESS
from twincell.sim.jit import kernel

C = 1.5e10
GAIN = 1e-3  # a tick, and θ = 1
DEEP = 1e-6
SHARE = 1.0
BOUND = 2.0


class Laws(NamedTuple):
    stiffness: NDArray[np.float64]
    exponent: NDArray[np.float64]
    friction: NDArray[np.float64]


LAWS = Laws(np.array([C]), np.array([1.5]), np.array([[0.0, 2e3, 0.0, 0.5, 2e3, 0.0]]))


@kernel
def normal_slope(laws, told, held):
    return _normal_slope(laws, 0, SHARE, told, held, GAIN)


@kernel
def friction_slope(laws, told, speed, held):
    return _friction_slope(laws, 0, told, BOUND, speed, held)


def at_depth(p: float) -> NDArray[np.float64]:
    """What the law of a spring c p^1.5 says."""
    told = np.zeros(7)
    told[DEPTH] = p
    if p > 0.0:
        told[NORMAL] = C * p**1.5
        told[STIFFNESS] = GAIN * 1.5 * C * p**0.5
    return told


def at_speed(v: float) -> NDArray[np.float64]:
    """What the law says of friction .5 tanh(v / .5 mm/s)."""
    told = np.zeros(7)
    told[GRIP], told[RISE] = friction(LAWS, 0, v)
    return told


@pytest.mark.parametrize("times", [0.0, 0.2, 0.9, 1.5, 100.0])
def test_the_normal_slope_leads_to_the_depth_that_gives_the_force_held(times):
    told = at_depth(DEEP)
    held = times * told[NORMAL]
    there = (held / C) ** (2 / 3)
    slope = normal_slope(LAWS, told, held)
    assert slope * (there - DEEP) / GAIN == approx(held - told[NORMAL], rel=1e-12)


def test_what_is_apart_but_held_together_resists_from_where_it_is():
    held = C * DEEP**1.5
    slope = normal_slope(LAWS, at_depth(-2 * DEEP), held)
    assert slope * 3 * DEEP / GAIN == approx(held, rel=1e-12)


@pytest.mark.parametrize("held", [0.0, -1.0])
def test_what_is_apart_and_not_held_does_not_resist(held):
    assert normal_slope(LAWS, at_depth(-DEEP), held) == 0.0


def test_the_normal_slope_is_that_of_the_law_where_the_force_is_held():
    told = at_depth(DEEP)
    assert normal_slope(LAWS, told, told[NORMAL]) == told[STIFFNESS]


@pytest.mark.parametrize("speed", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("held_speed", [-1e-4, 0.0, 5e-5])
def test_the_slope_of_friction_leads_to_the_speed_held_but_is_no_less_than_the_laws(
    speed, held_speed
):
    told = at_speed(speed)
    full = BOUND * told[GRIP] * speed
    at_rest, _ = friction(LAWS, 0, 0.0)
    # the law is taken as full tanh(v/v_0) with its slope at rest
    held = full * np.tanh(held_speed * BOUND * at_rest / full)
    slope = friction_slope(LAWS, told, speed, held)
    through = (full - held) / (BOUND * (speed - held_speed))
    assert slope == approx(min(max(through, told[RISE]), told[GRIP]), rel=1e-9)


def test_what_slides_under_all_its_friction_has_the_slope_of_the_law():
    told = at_speed(1e-2)
    full = BOUND * told[GRIP] * 1e-2
    assert friction_slope(LAWS, told, 1e-2, full) == told[RISE]


@pytest.mark.parametrize("held", [-1e300, -1.0, 0.0, 5e-324, 1.0, 1e300])
@pytest.mark.parametrize("stiffness", [0.0, 5e-324, 1.0, 1e200])
@pytest.mark.parametrize("force", [0.0, 5e-324, 1.0, 1e100])
@pytest.mark.parametrize("p", [-DEEP, 0.0, 5e-324, DEEP])
def test_a_slope_is_a_number_whatever_is_held(p, force, stiffness, held):
    told = np.zeros(7)
    told[[NORMAL, STIFFNESS, DEPTH]] = force, stiffness, p
    assert 0.0 <= normal_slope(LAWS, told, held) < np.inf
    told = at_speed(1e-3)
    assert told[RISE] <= friction_slope(LAWS, told, 1e-3, held) <= told[GRIP]

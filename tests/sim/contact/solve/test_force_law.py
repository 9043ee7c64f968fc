"""The laws of contact: what a step of a hit leaves wrong, and the functions they are made of."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from twincell.sim.contact.solve.force_law import normal_force, tanh
from twincell.sim.contact.solve.substeps import CROWDED, RESOLVED
from twincell.sim.jit import kernel

SOFTNESS = 10.0  # 1/m of what hits [1/kg]
SPEED = 0.5  # of the hit [m/s]
PHASES = np.linspace(0.02, 0.98, 9)  # when in a step it begins to touch


class Laws(NamedTuple):
    stiffness: NDArray[np.float64]
    exponent: NDArray[np.float64]
    damping: NDArray[np.float64]
    damping_exponent: NDArray[np.float64]


def laws(c: float, n: float, d: float, m: float) -> Laws:
    return Laws(*(np.array([value]) for value in (c, n, d, m)))


def rebound(c: float, n: float, d: float, m: float) -> float:
    """Share of the speed that comes back, by a solver of differential equations."""

    def slopes(_, y):
        p, u = y
        force = c * max(p, 0.0) ** n + d * (1.0 if m == 0.0 else max(p, 0.0) ** m) * u
        return [u, -SOFTNESS * max(force, 0.0)]

    def parted(t, y):
        return y[0] if t > 0.0 else 1.0

    parted.terminal, parted.direction = True, -1
    found = solve_ivp(
        slopes, (0, 1), [1e-12, SPEED], events=parted, rtol=1e-9, atol=1e-13, max_step=1e-4
    )
    return float(-found.y[1, -1] / SPEED)


def rebound_in_steps(c: float, n: float, d: float, m: float, length: float, phase: float) -> float:
    """The same in steps of a length in radians of the hit, as substeps.py counts them."""
    law = laws(c, n, d, m)
    deepest = (0.5 * (n + 1.0) * SPEED**2 / (SOFTNESS * c)) ** (1.0 / (n + 1.0))
    step = length / (SPEED / deepest + SOFTNESS * d * deepest**m)
    p, u = -SPEED * step * phase, SPEED
    while not (u < 0.0 and p < 0.0):

        def lacking(after, p=p, u=u):
            ahead = p + 0.5 * step * (u + after)
            force, _ = normal_force(law, 0, 1.0, p, ahead, step, 0.0)
            return after - u + step * SOFTNESS * force

        after = u if lacking(u) == 0.0 else brentq(lacking, -3.0 * SPEED, u, xtol=1e-14)
        p, u = p + 0.5 * step * (u + after), after
    return -u / SPEED


@pytest.mark.parametrize(("length", "error"), [(RESOLVED, 1.1e-3), (CROWDED, 0.02)])
@pytest.mark.parametrize(
    "law", [(2e4, 1.0, 40.0, 0.0), (2e4, 1.0, 8.0, 0.0), (1e7, 1.5, 3e6, 1.5), (1e7, 1.5, 0.0, 0.0)]
)
def test_a_hit_in_steps_comes_back_with_nearly_its_speed(law, length, error):
    exact = rebound(*law)
    for phase in PHASES:
        assert rebound_in_steps(*law, length, phase) == pytest.approx(exact, abs=error)


@kernel
def _tanh(x):
    return tanh(x)


def test_our_tanh_is_that_of_the_library_to_its_last_digits():
    for x in [0.0, *np.geomspace(1e-300, 1e3, 2000), *np.linspace(0.6, 0.65, 500)]:
        assert _tanh(x) == pytest.approx(math.tanh(x), rel=1e-15, abs=0.0)

"""The least value of a function of one number, between two bounds, by Brent's method [Brent73].

A parabola through the three best points so far says where to look next. Where it leads out of the
bracket, or does not shrink the steps, the greater side of the bracket is cut in the golden ratio.

    p / q = -((x - w)² (f_x - f_v) - (x - v)² (f_x - f_w))
          / (2 ((x - w) (f_x - f_v) - (x - v) (f_x - f_w)))          step to the parabola's vertex

[Brent73] R. P. Brent, Algorithms for Minimization Without Derivatives, chapter 5.
"""

import math
from collections.abc import Callable

GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))  # share that is cut off
CLOSEST = math.sqrt(2.2e-16)  # relative: nearer together, values differ by rounding only
MOST_CALLS = 500  # of the function; chosen: parabolas need twenty, the golden ratio eighty


def least_between(f: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Where a function with one minimum between two bounds has it, and its value there."""
    x = w = v = low + GOLDEN * (high - low)  # the best, the second best, the one that was it before
    f_x = f_w = f_v = f(x)
    step = step_before = 0.0
    for _ in range(MOST_CALLS - 1):
        middle, near = 0.5 * (low + high), CLOSEST * abs(x)
        if abs(x - middle) <= 2.0 * near - 0.5 * (high - low):
            break
        leap = None
        if abs(step_before) > near:
            leap = _vertex(x - w, x - v, f_x - f_v, f_x - f_w, (low - x, high - x), step_before)
            step_before = step
        if leap is None:
            step_before = low - x if x >= middle else high - x
            step = GOLDEN * step_before
        else:
            step = leap
            if x + step - low < 2.0 * near or high - (x + step) < 2.0 * near:
                step = near if middle >= x else -near
        u = x + math.copysign(max(abs(step), near), step)
        f_u = f(u)
        if f_u <= f_x:
            low, high = (x, high) if u >= x else (low, x)
            v, f_v, w, f_w, x, f_x = w, f_w, x, f_x, u, f_u
            continue
        low, high = (u, high) if u < x else (low, u)
        if f_u <= f_w or w == x:
            v, f_v, w, f_w = w, f_w, u, f_u
        elif f_u <= f_v or v in (x, w):
            v, f_v = u, f_u
    return x, f_x


def _vertex(
    x_w: float,
    x_v: float,
    f_xv: float,
    f_xw: float,
    bracket: tuple[float, float],
    step_before: float,
) -> float | None:
    """Step from x to the vertex of the parabola; None if it leads out or does not shrink."""
    r, q = x_w * f_xv, x_v * f_xw
    p, q = x_v * q - x_w * r, 2.0 * (q - r)
    if q > 0.0:
        p = -p
    q = abs(q)
    shrinks = abs(p) < abs(0.5 * q * step_before)
    if shrinks and q * bracket[0] < p < q * bracket[1]:
        return p / q
    return None

"""Contact laws: how hard a contact pushes, and how much it holds back what slides.

    normal     F = c pⁿ + d pᵐ ṗ, never below 0                                  the paper, eq. (8)
    friction   f = -μ(|u|) F u/|u|                                               eqs. (9), (10)
               μ(v) = γ₁ (tanh γ₂v - tanh γ₃v) + γ₄ tanh γ₅v + γ₆ v

p is the depth, u the sliding velocity. The paper applies μ to each axis by itself; along the
velocity, as here, friction is the same in all directions.

Over a step from p to p₊ in δ the normal force is taken so that it does the work that it should:

    F = (1 - β) c [Pₙ]/[p] + β c p₊ⁿ + d [Pₘ]/δ         Pₖ(p) = pᵏ⁺¹/(k+1) for p > 0, else 0
                                                        [x] = x(p₊) - x(p)
Its work F [p] is at least c [Pₙ], the change of the elastic energy: exactly that for β = 0, more
for β > 0, and the damper takes the rest. So no step makes energy, whatever its length, and a touch
or a parting within the step is accounted for. F grows with p₊, so there is one solution.

Friction falls from its peak μ(v*) to μ_k. What Newton's method is given never falls:

    H(v) = max of μ(w) over w ≤ v          μ(v) = s(v) H(v),   0 < s ≤ 1,   s = 1 up to v*
"""

import math

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import dot, minus, times

SHORT = 1.0e-5  # of a depth: in so short a step [P]/[p] is lost in rounding, and pⁿ in its middle
# is right to 1e-11


@formula
def power(p, k):
    """pᵏ for p > 0, else 0; the exponents that people use without a call of pow."""
    if p <= 0.0:
        return 0.0
    if k == 1.0:
        return p
    if k == 1.5:
        return p * math.sqrt(p)
    if k == 0.0:
        return 1.0
    if k == 0.5:
        return math.sqrt(p)
    if k == 2.0:
        return p * p
    return math.exp(k * math.log(p))


@formula
def _integral(p, k):
    """Pₖ(p)."""
    return max(p, 0.0) * power(p, k) / (k + 1.0)


@kernel
def normal_force(laws, law, share, p, p_next, step, beta):
    """F over a step, and its slope dF/dp₊; both at least 0."""
    c = share * laws.stiffness[law]
    n = laws.exponent[law]
    deep = max(p, p_next)
    if deep <= 0.0:
        return 0.0, 0.0
    change = p_next - p
    end = power(p_next, n)
    if abs(change) > SHORT * deep:
        mean = (_integral(p_next, n) - _integral(p, n)) / change
        mean_slope = (end - mean) / change
    else:
        middle = 0.5 * (p + p_next)
        mean = power(middle, n)
        mean_slope = 0.5 * n * power(middle, n - 1.0)
    end_slope = n * power(p_next, n - 1.0)
    force = c * ((1.0 - beta) * mean + beta * end)
    slope = c * ((1.0 - beta) * mean_slope + beta * end_slope)

    d = share * laws.damping[law]
    if d > 0.0:
        m = laws.damping_exponent[law]
        force += d * (_integral(p_next, m) - _integral(p, m)) / step
        slope += d * power(p_next, m) / step
    if force <= 0.0:
        return 0.0, 0.0
    return force, slope


@formula
def tanh(x):
    """tanh x for x ≥ 0, to a few units of the last digit.

    Quicker than the library's, which calls expm1. The coefficients are those of S. L. Moshier's
    Cephes library, tanh.c.
    """
    if x > 0.625:
        return 1.0 - 2.0 / (math.exp(2.0 * min(x, 20.0)) + 1.0)
    z = x * x
    p = (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3
    q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z
    return x + x * z * p / (q + 4.84406305325125486048e3)


@kernel
def friction(laws, law, speed):
    """μ(v)/v and μ'(v) at a sliding speed."""
    g = laws.friction[law]
    if g[1] * speed < 1.0e-4:  # tanh x = x here, to the last bit but a few
        slope = g[0] * (g[1] - g[2]) + g[3] * g[4] + g[5]
        return slope, slope
    t_5 = tanh(g[4] * speed)
    mu = g[3] * t_5 + g[5] * speed
    rate = g[3] * g[4] * (1.0 - t_5 * t_5) + g[5]
    if g[0] != 0.0:
        t_2 = t_5 if g[4] == g[1] else tanh(g[1] * speed)
        t_3 = tanh(g[2] * speed)
        mu += g[0] * (t_2 - t_3)
        rate += g[0] * (g[1] * (1.0 - t_2 * t_2) - g[2] * (1.0 - t_3 * t_3))
    return mu / speed, rate


@kernel
def friction_hull(laws, law, speed):
    """H(v)/v, H'(v) and s(v) at a sliding speed."""
    grip, rise = friction(laws, law, speed)
    if speed <= laws.peak_speed[law]:
        return grip, max(rise, 0.0), 1.0
    peak = laws.peak[law]
    mu = grip * speed
    if mu >= peak:  # it grows with speed again
        return grip, max(rise, 0.0), 1.0
    return peak / speed, 0.0, mu / peak


@formula
def rolling_grip(laws, law, speed):
    """Moment of the rolling resistance for each newton and each radian per second."""
    full = laws.rolling_speed[law]
    if speed < 1.0e-4 * full:
        return laws.rolling[law] / full
    return laws.rolling[law] * tanh(speed / full) / speed


@formula
def tangential(u, n):
    """The part of a vector across a unit normal."""
    return minus(u, times(dot(u, n), n))


@formula
def symmetric_of(g_n, n, g_r, e, g_t):
    """g_n n nᵀ + g_r e eᵀ + g_t (1 - n nᵀ - e eᵀ), as (xx, yy, zz, xy, xz, yz)."""
    a = g_n - g_t
    b = g_r - g_t
    return (
        g_t + a * n[0] * n[0] + b * e[0] * e[0],
        g_t + a * n[1] * n[1] + b * e[1] * e[1],
        g_t + a * n[2] * n[2] + b * e[2] * e[2],
        a * n[0] * n[1] + b * e[0] * e[1],
        a * n[0] * n[2] + b * e[0] * e[2],
        a * n[1] * n[2] + b * e[1] * e[2],
    )

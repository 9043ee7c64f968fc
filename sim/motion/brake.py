"""A stop: from any speed and acceleration to rest, as fast as the limits allow.

With the jerk j the acceleration goes from a to -p, stays there, and comes back to 0. What it takes
away must be the speed v that is there:

    v = (p² - a²)/2j + p t + p²/2j        t ≥ 0: time at -p
    p = √(j v + a²/2), or the greatest deceleration if that is less: then t = (v + a²/2j)/p - p/j

Braking already harder than that, it is the same with all signs changed.
"""

import math

from twincell.sim.jit import kernel

BRAKE_ROWS = 4  # of its law: down, flat, up, at rest


@kernel
def write_brake(law, s, v, a, most_a, most_j):
    """Write the law of a stop from s, v, a into rows of a law; return how many rows it has."""
    sign = 1.0 if v + a * abs(a) / (2.0 * most_j) >= 0.0 else -1.0
    v *= sign
    a *= sign
    peak = min(math.sqrt(max(0.0, most_j * v + 0.5 * a * a)), most_a)
    down = max(0.0, (a + peak) / most_j)
    flat = 0.0
    if peak > 0.0:
        flat = max(0.0, (v + a * a / (2.0 * most_j)) / peak - peak / most_j)
    up = peak / most_j

    time = 0.0
    v *= sign
    a *= sign
    row = 0
    for duration, jerk in ((down, -sign * most_j), (flat, 0.0), (up, sign * most_j)):
        law[row, 0] = time
        law[row, 1] = s
        law[row, 2] = v
        law[row, 3] = a
        law[row, 4] = jerk
        row += 1
        s += duration * (v + duration * (a / 2.0 + duration * jerk / 6.0))
        v += duration * (a + duration * jerk / 2.0)
        a += duration * jerk
        time += duration

    # at rest, exactly: what rounding left of speed and acceleration is not wanted
    law[row, 0] = time
    law[row, 1] = s
    for k in range(2, 5):
        law[row, k] = 0.0
    return row + 1

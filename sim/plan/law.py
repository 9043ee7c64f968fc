"""How fast to go along a path: from rest to rest, within the limits of all joints.

Along q(s(t)) a joint has

    q̇ = q' ṡ        q̈ = q'' ṡ² + q' s̈        jerk = q''' ṡ³ + 3 q'' ṡ s̈ + q' s⃛

With A1, A2, A3 the greatest |q'|, |q''|, |q'''| of a joint on a piece, V, A, J its limits, and
v, a, j the greatest ṡ, |s̈|, |s⃛|, its limits hold on that piece if

    A1 v ≤ V        A2 v² + A1 a ≤ A        A3 v³ + 3 A2 v a + A1 j ≤ J

These leave a choice. We let bending (A2 v²) take at most half of A, and A3 v³ and 3 A2 v a at most
a third of J each; then a and j take what is left, so nothing is given away on a straight path:

    v = min( V/A1, √(A/(2 A2)), ∛(J/(3 A3)) )
    a = min( (A - A2 v²)/A1, J/(9 A2 v) )
    j = min( (J - A3 v³ - 3 A2 v a)/A1 )                        minima over all joints and pieces

A stop on the path within a and j, from any moment of the move, keeps the joints' limits as well.
"""

import math

import numpy as np
from ruckig import InputParameter, Result, Ruckig, Trajectory

from twincell.sim.model import Floats
from twincell.sim.plan.arm import Arm
from twincell.sim.plan.asked import Pace
from twincell.sim.plan.extremes import greatest_derivatives
from twincell.sim.plan.plan import Refused

RAMPS_AND_MORE = 4.0  # chosen: surely some of it is at full speed
AFTER_CRUISE = 4  # of the seven segments the fourth is at full speed
MOST_SCALED = 1.0e6  # chosen: a ramp of a millionth of the move costs no time; ruckig fails at 1e10


def speeds_along(
    arm: Arm, knots: Floats, pieces: Floats, pace: Pace, most_speed: float
) -> tuple[float, float, float]:
    """Greatest ṡ, s̈ and jerk of s that keep every joint's limits, and ṡ at most `most_speed`."""
    A1, A2, A3 = greatest_derivatives(knots, pieces)
    V = (pace.speed * arm.velocity)[:, None]
    A = (pace.acceleration * arm.acceleration)[:, None]
    J = (pace.jerk * arm.jerk)[:, None]
    with np.errstate(divide="ignore", over="ignore"):  # a joint that stands still limits nothing
        v = np.min([V / A1, np.sqrt(A / (2 * A2)), np.cbrt(J / (3 * A3))], initial=most_speed)
        a = np.min([(A - A2 * v**2) / A1, J / (9 * A2 * v)])
        j = np.min((J - A3 * v**3 - 3 * A2 * v * a) / A1)
    return float(v), float(a), float(j)


def rest_to_rest(length: float, v: float, a: float, j: float) -> Floats:
    """Segments of constant jerk from 0 to `length` in the shortest time.

    A long way is a shorter one with more time at full speed. ruckig compares with fixed tolerances,
    so it is asked in units in which the way is 1, and one of the limits 1 and the others more.
    """
    ramps = v * (v / a + a / j)  # way of speeding up and slowing down, at most
    short = min(length, RAMPS_AND_MORE * ramps)
    unit = max(short / v, math.sqrt(short / a), math.cbrt(short / j))
    speed = short / unit
    asked = InputParameter(1)
    asked.target_position = [1.0]
    asked.max_velocity = [min(v / speed, MOST_SCALED)]
    asked.max_acceleration = [min(a / speed * unit, MOST_SCALED)]
    asked.max_jerk = [min(j / speed * unit * unit, MOST_SCALED)]
    trajectory = Trajectory(1)
    result = Ruckig(1).calculate(asked, trajectory)
    if result not in (Result.Working, Result.Finished):
        raise Refused(f"no law was found for a way of {length:g} within {v:g}, {a:g}, {j:g}")

    profile = trajectory.profiles[0][0]
    begins = np.concatenate([[0.0], np.cumsum(profile.t)])
    course = np.array([begins, profile.p, profile.v, profile.a, [*profile.j, 0.0]]).T
    course[-1, 1:] = 1.0, 0.0, 0.0, 0.0  # the end without rounding
    course *= np.array([unit, short, speed, speed / unit, speed / unit / unit])
    course[AFTER_CRUISE:, :2] += (length - short) / v, length - short
    course[-1, 1] = length
    lasting = np.append(np.array(profile.t) > 0, True)
    return np.asarray(course[lasting])

"""Slopes of contact forces for Newton's method: on the way from the law to the force held.

At the rates so far the laws say f, and the slopes of the step before led to the force f_held. Near
the solution the two are one, and the slope is that of the law. Far from it a law is no line: p^1.5
is steeper where it is deeper, a contact that parts has no slope at all, and friction that slides
next to none. Then a line through f and through the place x_held where the law would give f_held

    G = (f - f_held)/(x - x_held)          law(x_held) = f_held

tells better what lies ahead. Any positive G leads down; this one becomes that of the law.

    normal     F (x/p)^k with k = p F'/F; of what is apart, but held together, c xⁿ
    friction   full tanh(x/v), with the slope of friction at rest
"""

import math

from twincell.sim.contact.solve.force_law import friction, power, symmetric_of, tangential
from twincell.sim.contact.solve.point_force import (
    AT_REST,
    DEPTH,
    GRIP,
    NORMAL,
    RISE,
    ROLLING,
    STIFFNESS,
)
from twincell.sim.jit import formula
from twincell.sim.mechanics.spatial import load_pair
from twincell.sim.mechanics.vector import dot, load, norm, times

STRAIGHT = 0.01  # so near to 1 an exponent or a share makes no difference; chosen
STEEPEST = 8.0  # exponent: what is steeper is no power of the depth, but a push that ends; chosen
FARTHEST = 1.0e6  # times the force: one that is held beyond says no more; chosen
NEAREST = 0.1  # of its speed: friction held belongs to a speed at least so far away; chosen


@formula
def take_slope(model, scratch, point, rate, gain, is_first):
    """Slope of a point's force at a rate; the depth falls by `gain` times the rate.

    In the first step of a sub-step it is that of the law.
    """
    contacts = scratch.contacts
    told = contacts.told[point]
    slope = contacts.slope[point]
    bound = contacts.bound[point, 0]
    n = load(scratch.points.n_W, point)
    sliding = tangential(rate[0], n)
    speed = norm(sliding)
    along = times(1.0 / max(speed, AT_REST), sliding)
    stiffness = told[STIFFNESS]
    steep = told[GRIP] if speed <= AT_REST else told[RISE]
    if not is_first:
        held = load_pair(contacts.force, point)[0]
        share = scratch.points.share[point]
        law = contacts.law[point]
        stiffness = _normal_slope(model.laws, law, share, told, dot(held, n), gain)
        steep = _friction_slope(model.laws, law, told, bound, speed, -dot(held, along))
    linear = symmetric_of(stiffness, n, steep * bound, along, told[GRIP] * bound)
    for k in range(6):
        slope[k] = linear[k]
    slope[6] = told[ROLLING] * contacts.bound[point, 1]


@formula
def _normal_slope(laws, law, share, told, held, gain):
    """Slope between the normal force and the one held."""
    F = told[NORMAL]
    p = told[DEPTH]
    slope = told[STIFFNESS]
    if F > 0.0 and p > 0.0:
        k = slope * p / (gain * F)
        ratio = min(max(held, 0.0) / F, FARTHEST)
        if 1.0 + STRAIGHT < k < STEEPEST and abs(ratio - 1.0) > STRAIGHT:
            slope *= (1.0 - ratio) / (k * (1.0 - power(ratio, 1.0 / k)))
    elif F == 0.0 and p <= 0.0 and held > 0.0:
        deep = power(held / (share * laws.stiffness[law]), 1.0 / laws.exponent[law])
        if deep > 0.0:
            slope = gain * held / (deep - p)
    return slope


@formula
def _friction_slope(laws, law, told, bound, speed, held):
    """The same of friction, for each newton that bounds it."""
    full = told[GRIP] * bound * speed
    if speed <= AT_REST:
        return told[GRIP]
    if held >= (1.0 - STRAIGHT) * full or full == 0.0:
        return told[RISE]
    at_rest, _ = friction(laws, law, 0.0)
    x = max(held / full, STRAIGHT - 1.0)
    v_held = 0.5 * math.log((1.0 + x) / (1.0 - x)) * speed * told[GRIP] / max(at_rest, told[GRIP])
    v_held = min(max(v_held, -speed), (1.0 - NEAREST) * speed)
    steep = told[GRIP] * speed * (1.0 - x) / (speed - v_held)
    return min(max(steep, told[RISE]), told[GRIP])

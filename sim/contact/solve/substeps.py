"""Sub-steps: as short as the quickest hit of a group needs, and one for what rests.

How hard a contact is about to hit is told by a speed s:

    s² = u_n² + (a_n/ω)²          a_n: acceleration if the forces so far went on,  ω² = A n c pⁿ⁻¹
    a hit    s ≥ CALM h           δ = RESOLVED/rate        θ = ½, or 1 - 1/z if z = δ rate > 2,
                                                           also for a calm one beside it
    in a crowd                    δ = CROWDED/rate, and at most 2/rate of a calm one: θ = ½
    calm     otherwise            δ = what is left of h    θ = ½ + ½ min(1, z)

So what rests under a load is calm, and what swings is not. A is 1/m_a + 1/m_b. How quick a hit is
follows from its energy, with what its spring holds already:

    rate = √(u_n² + 2 A c Pₙ(p)) / p_max + A d p_maxᵐ          c Pₙ(p_max): all of it in the spring

Nothing is divided before a hit begins and after it has ended: a sub-step ends where the first of
them begins to touch. A crowd has hits at all times, and is divided evenly.

θ = ½ has no damping of its own; θ = 1 lets what is too quick for the step come to rest. As the law
does the work that it should over any step, the rebound is right within a thousandth of the speed of
the hit if δ rate = RESOLVED, and within two hundredths if it is CROWDED: enough in a crowd, where
each hit is one of many.
"""

import math

from twincell.sim.contact.solve.force_law import power
from twincell.sim.contact.solve.jacobian import inverse_mass, relative
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.spatial import load_pair, plus_pair
from twincell.sim.mechanics.vector import dot, load
from twincell.sim.model import NONE

CALM = 30.0  # [m/s²] times the step: slower hits bounce for less than six ticks; chosen
RESOLVED = 0.15  # of a radian in each sub-step: a hit takes about twenty of them; chosen
CROWDED = 1.0  # the same in a crowd; chosen
RESOLVED_SUBSTEPS = 64  # as short as hits need; chosen: three hits in a tick
MOST_SUBSTEPS = 80  # of a tick; chosen: one tick with a hard hit of a few bodies stays in time
CROWD_SUBSTEPS = 8  # the same in a crowd; chosen
NEVER = math.inf


@kernel
def next_substep(model, scratch, head, is_crowd, begin, number):
    """Length of the sub-step that begins so long after t_n, and its θ."""
    left = model.step - begin
    hit = 0.0  # rates: of what hits now,
    coming = 0.0  # of what will,
    calm = 0.0  # and of the rest
    flight = left
    point = scratch.contacts.first[head]
    while point != NONE:
        speed, rate, wait = _impact(model, scratch, point, left)
        if speed < CALM * model.step:
            calm = max(calm, rate)
        elif is_crowd or wait * rate <= RESOLVED:
            hit = max(hit, rate)
        else:
            coming = max(coming, rate)
            flight = min(flight, wait)
        point = scratch.contacts.next[point]
    if hit == 0.0 and coming == 0.0:
        return left, 0.5 + 0.5 * min(1.0, calm * left)
    finest = max(hit / CROWDED, calm / 2.0) if is_crowd else hit / RESOLVED
    length = flight
    if finest > 0.0:
        length = min(flight, max(1.0 / finest, _shortest(is_crowd, left, number)))
    if left - length < 1.0e-3 * length:
        length = left
    if hit == 0.0:
        return length, 0.5 + 0.5 * min(1.0, calm * length)
    z = max(hit, calm) * length
    return length, max(0.5, 1.0 - 1.0 / z)


@formula
def _shortest(is_crowd, left, number):
    """How short a sub-step may be, so that the rest of the tick needs no more than there are."""
    if is_crowd:
        return left / max(CROWD_SUBSTEPS - number, 1)
    if number < RESOLVED_SUBSTEPS:
        return 0.0
    return left / max(MOST_SUBSTEPS - number, 1)


@formula
def _impact(model, scratch, point, left):
    """Speed of an impact at a point, how quick it is, and when it begins; no rate: it does not."""
    laws = model.laws
    contacts = scratch.contacts
    law = contacts.law[point]
    soft = inverse_mass(model, scratch, point)
    c = laws.stiffness[law] * scratch.points.share[point]
    n = laws.exponent[law]
    p = contacts.depth[point]
    normal = load(scratch.points.n_W, point)
    found = relative(model, scratch, contacts.acceleration, point)
    u_n = dot(load_pair(contacts.rate, point)[0], normal)
    a_n = dot(plus_pair(load_pair(contacts.drift, point), found)[0], normal)
    held = max(p, 0.0) * power(p, n) / (n + 1.0)
    energy = u_n * u_n + 2.0 * soft * c * held
    wait = _time_to_touch(p, u_n, a_n)
    if not energy > 0.0 or soft == 0.0 or wait >= left:
        return 0.0, 0.0, NEVER

    speed = u_n * u_n
    if p > 0.0:
        speed += a_n * a_n / (soft * n * c * power(p, n - 1.0))
    deepest = power(0.5 * (n + 1.0) * energy / (soft * c), 1.0 / (n + 1.0))
    damping = laws.damping[law] * power(deepest, laws.damping_exponent[law])
    rate = math.sqrt(energy) / deepest + soft * scratch.points.share[point] * damping
    return math.sqrt(speed), rate, wait


@formula
def _time_to_touch(p, u_n, a_n):
    """When p - u_n t - ½ a_n t² first is 0: at once if p > 0."""
    if p > 0.0:
        return 0.0
    under = u_n * u_n + 2.0 * a_n * p
    if under < 0.0 or (u_n >= 0.0 and a_n >= 0.0):
        return NEVER
    # the root that is not lost in rounding where a_n is small
    ahead = math.sqrt(under) - u_n
    return -2.0 * p / ahead if ahead > 0.0 else NEVER

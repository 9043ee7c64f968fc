"""Sub-steps: as short as the quickest hit of a group needs, and one for what rests.

How hard a contact is about to hit is told by a speed s:

    s² = u_n² + (a_n/ω)²          a_n: acceleration if the forces of t_n went on,  ω² = A n c pⁿ⁻¹
    a hit    s ≥ CALM h           δ = RESOLVED/rate        θ = ½, or 1 - 1/z if z = δ rate > 2,
                                                           also for a calm one beside it
    in a crowd                    δ = CROWDED/rate, and at most 2/rate of a calm one: θ = ½
    calm     otherwise            δ = h                    θ = ½ + ½ min(1, z)

So what rests under a load is calm, and what swings is not. A is 1/m_a + 1/m_b. How quick a hit is
follows from its energy, with what its spring holds already:

    rate = √(u_n² + 2 A c Pₙ(p)) / p_max + A d p_maxᵐ          c Pₙ(p_max): all of it in the spring

θ = ½ has no damping of its own; θ = 1 lets what is too quick for the step come to rest. As the law
does the work that it should over any step, the rebound is right within a thousandth of the speed of
the hit if δ rate = RESOLVED, and within four hundredths if it is CROWDED: enough in a crowd, where
each hit is one of many.
"""

import math

from sim.contact.solve.contact_system import answer, prepare
from sim.contact.solve.force_law import friction, power, tangential
from sim.contact.solve.jacobian import bodies_of, load_bodies, relative
from sim.jit import formula, kernel
from sim.mechanics.spatial import load_pair, plus_pair, store_pair
from sim.mechanics.vector import ZERO, dot, load, norm, plus, times
from sim.model import NONE

CALM = 30.0  # [m/s²] times the step: slower hits bounce for less than six ticks; chosen
RESOLVED = 0.15  # of a radian in each sub-step: a hit takes about twenty of them; chosen
CROWDED = 1.5  # the same in a crowd; chosen
MOST_SUB_STEPS = 64  # of a tick; chosen: one tick with a hard hit of a few bodies stays in time


@kernel
def _feel(model, state, scratch, feedback, head, n, n_block):
    """Acceleration at each point if the forces of t_n went on: into `toward`."""
    contacts = scratch.contacts
    for k in range(n):
        store_pair(contacts.residual, contacts.member[k], (ZERO, ZERO))
    point = contacts.first[head]
    while point != NONE:
        for i in range(7):
            contacts.slope[point, i] = 0.0
        load_bodies(model, scratch, contacts.residual, point, _bearing(model, scratch, point))
        point = contacts.next[point]
    prepare(model, scratch, head, n, model.step)
    answer(model, state, scratch, feedback, head, n_block, contacts.residual)
    point = contacts.first[head]
    while point != NONE:
        found = relative(model, scratch, scratch.articulated.field, point)
        store_pair(contacts.toward, point, plus_pair(load_pair(contacts.drift, point), found))
        point = contacts.next[point]


@formula
def _bearing(model, scratch, point):
    """Force at t_n, with its friction: a heap leans on that too."""
    laws = model.laws
    law = scratch.contacts.law[point]
    p = scratch.points.depth[point]
    n = load(scratch.points.n_W, point)
    u = load_pair(scratch.contacts.rate, point)[0]
    spring = laws.stiffness[law] * power(p, laws.exponent[law])
    damper = laws.damping[law] * power(p, laws.damping_exponent[law]) * dot(u, n)
    pushing = scratch.points.share[point] * max(0.0, spring - damper)
    sliding = tangential(u, n)
    grip, _ = friction(laws, law, norm(sliding))
    return plus(times(pushing, n), times(-grip * pushing, sliding)), ZERO


@kernel
def divide(model, state, scratch, feedback, head, n, n_block, is_crowd):
    """Into how many sub-steps a group divides the tick, and its θ."""
    contacts = scratch.contacts
    _feel(model, state, scratch, feedback, head, n, n_block)
    hit = 0.0
    calm = 0.0
    point = contacts.first[head]
    while point != NONE:
        speed, rate = _impact(model, scratch, point)
        if speed >= CALM * model.step:
            hit = max(hit, rate)
        else:
            calm = max(calm, rate)
        point = contacts.next[point]
    if not hit > 0.0:
        return 1, 0.5 + 0.5 * min(1.0, calm * model.step)
    finest = max(hit / CROWDED, calm / 2.0) if is_crowd else hit / RESOLVED
    sub_steps = math.ceil(min(finest * model.step, MOST_SUB_STEPS))
    z = max(hit, calm) * model.step / sub_steps
    return sub_steps, max(0.5, 1.0 - 1.0 / z)


@formula
def _impact(model, scratch, point):
    """Speed of an impact at a point, and how quick it would be; 0 if it will not touch."""
    laws = model.laws
    law = scratch.contacts.law[point]
    softness = 0.0
    for body in bodies_of(scratch, point):
        if body >= model.n_driven:
            softness += 1.0 / model.bodies.mass[body]
    c = laws.stiffness[law] * scratch.points.share[point]
    n = laws.exponent[law]
    p = scratch.points.depth[point]
    normal = load(scratch.points.n_W, point)
    u_n = dot(load_pair(scratch.contacts.rate, point)[0], normal)
    a_n = dot(load_pair(scratch.contacts.toward, point)[0], normal)
    held = max(p, 0.0) * power(p, n) / (n + 1.0)
    energy = u_n * u_n + 2.0 * softness * c * held
    ahead = p - model.step * (u_n + 0.5 * model.step * a_n)
    if not energy > 0.0 or softness == 0.0 or (p <= 0.0 and ahead <= 0.0):
        return 0.0, 0.0

    speed = u_n * u_n
    if p > 0.0:
        speed += a_n * a_n / (softness * n * c * power(p, n - 1.0))
    deepest = power(0.5 * (n + 1.0) * energy / (softness * c), 1.0 / (n + 1.0))
    damping = laws.damping[law] * power(deepest, laws.damping_exponent[law])
    rate = math.sqrt(energy) / deepest + softness * scratch.points.share[point] * damping
    return math.sqrt(speed), rate

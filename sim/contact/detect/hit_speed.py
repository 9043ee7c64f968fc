"""The speed that hits within a tick can give: what is struck may reach a next neighbour in time.

Two bodies that come together with the speed u can give each other no more than

    2 u A_own/(A_a + A_b)          A = 1/m, 0 for a driven body          a hit without loss

and the one struck passes on what it has got in the same way. They die out along a circle of bodies,
as the product of their shares is at most 1. Bodies that pass each other give each other nothing.
"""

from twincell.sim.contact.detect.connected import are_connected
from twincell.sim.contact.detect.time_of_impact import NEVER, SURPRISE, time_of_impact
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import load, minus, norm

SLIGHT = 0.1  # of what a surprise adds to a speed: less is not passed on; chosen


@kernel
def pass_on_hits(model, state, scratch, n_pair):
    """Raise the speeds that hits between near surfaces may give; whether any has risen."""
    broad = scratch.broad_phase
    risen = False
    for k in range(n_pair):
        a = broad.pair[k, 0]
        b = broad.pair[k, 1]
        if min(model.surfaces.body[a], model.surfaces.body[b]) == 0:
            continue  # the world gives nothing back but what came
        difference = minus(load(broad.v_W, a), load(broad.v_W, b))
        u = norm(difference) + broad.turning[a] + broad.turning[b]
        if max(_gain(model, scratch, a, b, u), _gain(model, scratch, b, a, u)) == 0.0:
            continue
        if are_connected(model, state, scratch, a, b):
            continue
        if time_of_impact(model, scratch, a, b) == NEVER:
            continue  # they pass each other
        risen = _give(model, scratch, a, b, u) or risen
        risen = _give(model, scratch, b, a, u) or risen
    return risen


@formula
def _gain(model, scratch, a, b, u):
    """Speed that a hit of another body may give one, 0 if that is no more than it has."""
    hit_speed = scratch.broad_phase.hit_speed
    own = model.surfaces.body[a]
    other = model.surfaces.body[b]
    if own < model.n_driven:
        return 0.0
    light = 1.0 / model.bodies.mass[own]
    other_light = 1.0 / model.bodies.mass[other] if other >= model.n_driven else 0.0
    gain = 2.0 * max(u, hit_speed[other]) * light / (light + other_light)
    return gain if gain > hit_speed[own] + SLIGHT * model.step * SURPRISE else 0.0


@formula
def _give(model, scratch, a, b, u):
    """Let a body take the speed that a hit of another one may give it; whether that is more."""
    gain = _gain(model, scratch, a, b, u)
    if gain == 0.0:
        return False
    scratch.broad_phase.hit_speed[model.surfaces.body[a]] = gain
    return True

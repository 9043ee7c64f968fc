"""Softness: how far a pair may give way in the solve (A + R) f = demanded - left alone.

    R = (1 - s)/s A_ii  +  grip, if the pair is part of a loop

A fresh pair: s(t) = sin²(π (t - t₀) / (2 T)) for t - t₀ < T, 1 afterwards (the paper, eq. (11)).
A_ii is what the pair's own force does to the relative acceleration at the pair while nothing else
is held: the responses of both sides' kinematic trees. For one pair this is f = s A_ii⁻¹ b, which
is what scaling the force means; in a coupled island it stays consistent.

A loop: a beam held twice has more forces than motions. Each grip gives way by η²/k, which lets it
deflect by f/k at rest, so the stiffness k of the grips decides how they share the load
(`build/network.py` keeps k within what rounded numbers can tell from rigid).
"""

import math

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.tree_response import tree_response
from twincell.sim.mechanics.vector import load
from twincell.sim.model import NONE
from twincell.sim.network.edge import RIGID, SOFT, STIFF
from twincell.sim.network.islands import body_of_object, body_of_partner, is_in_loop

# a pair in its first instant carries no force, but must not divide by zero; chosen: far below
# what a force signal resolves
LEAST_SHARE = 1.0e-12


@kernel
def soften(model, state, scratch):
    """Work out the softness of every active pair."""
    for this in range(model.constrained.port.shape[0]):
        if state.partner[this] == NONE:
            continue
        scratch.pairs.soft[this] = RIGID
        share = _share(model, state, scratch, this)
        in_loop = is_in_loop(model, scratch, this)
        if share < 1.0 or in_loop:
            scratch.pairs.soft[this] = SOFT if share < 0.5 else STIFF
            softness = spatial.NOTHING
            if share < 1.0:
                softness = spatial.scale6(
                    (1.0 - share) / share, _own_response(model, state, scratch, this)
                )
            if in_loop:
                softness = spatial.plus6(softness, _grip(model, this))
            spatial.store(scratch.pairs.softness, this, softness)


@formula
def _share(model, state, scratch, this):
    """Share s of its constraint force that a pair may use at the time of this stage."""
    duration = model.constrained.transition[this]
    age = scratch.time[0] - state.caught[this] * model.step
    if age >= duration:
        return 1.0
    return max(math.sin(0.5 * math.pi * age / duration) ** 2, LEAST_SHARE)


@kernel
def _own_response(model, state, scratch, this):
    """A_ii: response of the object's tree plus that of its partner's, at the pair."""
    p = load(scratch.pairs.p_W, this)
    response = tree_response(model, scratch, body_of_object(model, this), p)
    holder = body_of_partner(model, state, this)
    if holder >= model.n_driven:
        response = spatial.plus6(response, tree_response(model, scratch, holder, p))
    return response


@kernel
def _grip(model, this):
    linear = model.constrained.grip[this, 0]
    angular = model.constrained.grip[this, 1]
    return (
        (linear, linear, linear, 0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (angular, angular, angular, 0.0, 0.0, 0.0),
    )

"""Bodies that turn too fast for the stages of a tick: their moment of momentum decides.

Half a radian in a tick is more than the integrator follows: gyroscopic moments grow without bound.
What floats by itself is turned here instead, in short turns with

    L = J ω + h N,  kept         ω = (R J_B Rᵀ)⁻¹ L  in the middle of each turn

N is the mean moment of its contacts. L is exact, and the energy ½ L · ω never more than
L²/2 divided by the least moment of inertia, however fast it turns. Where more than MOST_TURNS would
be needed the pose is one of many that are possible, and nobody could measure it.
"""

import math

from twincell.sim.contact.touching import anything_touches
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.spatial import load_pair
from twincell.sim.mechanics.vector import (
    load,
    norm,
    plus,
    rotate_inertia,
    store,
    sym_inverse,
    sym_mul,
    times,
)
from twincell.sim.model import NONE
from twincell.sim.network.islands import FREE

FAST = 0.5  # radians in a tick: RK4 gains a hundred-thousandth of the energy there; chosen
TURN = 0.05  # radians in a turn; chosen
MOST_TURNS = 400  # chosen: 40 µs


@kernel
def spin_bodies(model, state, scratch):
    """Turn what is fast and by itself, from the pose of t_n to that of the next tick."""
    islands = scratch.islands
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        free = model.bodies.free[body]
        if free == NONE or islands.up[body] != FREE:
            continue
        if islands.end[body] != islands.first[body] + 1 or islands.n_closing[0] > 0:
            continue
        before = norm(load(state.w_WB, free))
        after = norm(load(scratch.motion.w_WB, free))
        if model.step * max(before, after) > FAST or not abs(after) < math.inf:
            _spin(model, state, scratch, body, free)


@formula
def _spin(model, state, scratch, body, free):
    q = rotation.load(state.q_WB, free)
    L = sym_mul(_inertia(model, body, q), load(state.w_WB, free))
    if anything_touches(model, scratch):
        L = plus(L, times(model.step, load_pair(scratch.contacts.push, body)[1]))
    w = _velocity(model, body, q, L)
    turns = math.ceil(min(model.step * norm(w) / TURN + 1.0, MOST_TURNS))
    step = model.step / turns
    for _ in range(turns):
        middle = _turned(q, w, 0.5 * step)
        q = _turned(q, _velocity(model, body, middle, L), step)
        w = _velocity(model, body, q, L)
    rotation.store(scratch.motion.q_WB, free, rotation.normalise(q))
    store(scratch.motion.w_WB, free, w)


@formula
def _inertia(model, body, q):
    """Inertia of a body in world axes, if it is turned by q."""
    a = model.bodies.inertia[body]
    return rotate_inertia(rotation.matrix(q), (a[0], a[1], a[2], a[3], a[4], a[5]))


@formula
def _velocity(model, body, q, L):
    """Angular velocity that belongs to a moment of momentum."""
    return sym_mul(sym_inverse(_inertia(model, body, q)), L)


@formula
def _turned(q, w, step):
    """A pose after turning for a while."""
    turning = norm(w)
    if turning == 0.0:
        return q
    return rotation.compose(rotation.about(times(1.0 / turning, w), turning * step), q)

"""Catch and release: what a constrained object remembers about its partner.

On a catch it keeps the tick and the target frame T, fixed in the partner's body B:

    without offset   T = the partner's port
    with offset      T = the object's own pose at the catch, so that it turns with the partner

What flies so fast that it will touch only later in this tick is caught now, but its own pose at the
catch is the one in which it will touch.

What already touches when the cell starts has been held all along: no transition.
"""

from twincell.sim.devices.holds import shift
from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import ZERO, load, minus, mul_transposed, plus, store, times
from twincell.sim.model import NONE
from twincell.sim.network.detect import velocity_of_port
from twincell.sim.state import LONG_AGO


@kernel
def catch_and_release(model, state, scratch):
    """Give every constrained object the partner chosen for this tick."""
    for this in range(model.constrained.port.shape[0]):
        partner = scratch.near.chosen[this]
        if partner == state.partner[this]:
            continue
        state.partner[this] = partner
        if partner == NONE:
            _forget_target(state, this)
        else:
            from_start = state.tick[0] == 0 and scratch.near.delay[this] == 0.0
            state.caught[this] = LONG_AGO if from_start else state.tick[0]
            _remember_target(model, state, scratch, this, partner)


@kernel
def _forget_target(state, this):
    """Leave nothing behind: equal futures have equal states."""
    state.caught[this] = LONG_AGO
    store(state.p_BT, this, ZERO)
    rotation.store(state.q_BT, this, rotation.IDENTITY)


@kernel
def _remember_target(model, state, scratch, this, partner):
    port = model.collision.port[partner]
    if model.constrained.offset[this] == 0:
        p_BP = plus(load(model.ports.p_BP, port), shift(model, state, partner))
        store(state.p_BT, this, p_BP)
        rotation.store(state.q_BT, this, rotation.load(model.ports.q_BP, port))
        return
    body = model.ports.body[port]
    own = model.constrained.port[this]
    p_BS_W = minus(load(scratch.placed.port_p, own), load(scratch.placed.c_W, body))
    if scratch.near.delay[this] > 0.0:
        u = minus(velocity_of_port(model, scratch, own), velocity_of_port(model, scratch, port))
        p_BS_W = plus(p_BS_W, times(scratch.near.delay[this], u))
    R_WB = rotation.load_matrix(scratch.placed.R_W, body)
    store(state.p_BT, this, mul_transposed(R_WB, p_BS_W))
    q_BW = rotation.inverse(rotation.load(scratch.placed.q_W, body))
    rotation.store(
        state.q_BT, this, rotation.compose(q_BW, rotation.load(scratch.placed.port_q, own))
    )

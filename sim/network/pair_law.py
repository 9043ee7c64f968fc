"""What a pair demands: that its error, as an observer on the partner sees it, dies away.

    ξ̈ + 2η ξ̇ + η² ξ = 0         the paper, eq. (1), in the axes of the partner

With the target T fixed in the partner c, the object s at p, and P the partner's point that is at p
at this instant:

    ξ_p = p_T - p             u = v_s - v_P              (rate of -ξ_p, seen from the partner)
    ξ_R = log(R_T R_sᵀ)       w = ω_s - ω_c

    a_s - a_P = 2 ω_c x u - 2η u + η² ξ_p
    α_s - α_c =   ω_c x w - 2η w + η² ξ_R

Seen from the partner and not in world axes: then the force that does it acts at p on both, so that
neither momentum nor moment of momentum is made, and the response A of the pairs is symmetric.
For a partner that does not turn both readings are the same.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation, spatial
from twincell.sim.mechanics.vector import cross, load, minus, mul, plus, store, times
from twincell.sim.model import NONE
from twincell.sim.network.islands import body_of_partner


@kernel
def demand(model, state, scratch):
    """Work out, for every active pair, the error and the relative acceleration it demands."""
    for this in range(model.constrained.port.shape[0]):
        if state.partner[this] != NONE:
            _demand(model, state, scratch, this)


@formula
def _demand(model, state, scratch, this):
    placed = scratch.placed
    port = model.constrained.port[this]
    body = model.ports.body[port]
    holder = body_of_partner(model, state, this)
    eta = model.constrained.eta[this]

    # where the object is, and where the partner wants it
    r_s = mul(rotation.load_matrix(placed.R_W, body), load(model.ports.p_BP, port))
    p_W = plus(load(placed.c_W, body), r_s)
    p_CT_W = mul(rotation.load_matrix(placed.R_W, holder), load(state.p_BT, this))
    c_C = load(placed.c_W, holder)
    r_c = minus(p_W, c_C)
    xi_p = minus(p_CT_W, r_c)
    q_WS = rotation.compose(rotation.load(placed.q_W, body), rotation.load(model.ports.q_BP, port))
    q_WT = rotation.compose(rotation.load(placed.q_W, holder), rotation.load(state.q_BT, this))
    xi_R = rotation.vector(rotation.compose(q_WT, rotation.inverse(q_WS)))

    # how fast it moves, seen from the partner
    w_s = load(placed.w_W, body)
    w_c = load(placed.w_W, holder)
    spin_s = cross(w_s, r_s)
    spin_c = cross(w_c, r_c)
    u = minus(plus(load(placed.v_W, body), spin_s), plus(load(placed.v_W, holder), spin_c))
    w = minus(w_s, w_c)

    linear = plus(times(2.0, cross(w_c, u)), _baumgarte(eta, xi_p, u))
    angular = plus(cross(w_c, w), _baumgarte(eta, xi_R, w))

    # an acceleration field leaves out what turning alone does to a point
    centripetal = minus(cross(w_s, spin_s), cross(w_c, spin_c))
    store(scratch.pairs.p_W, this, p_W)
    spatial.store_pair(scratch.pairs.demand, this, (minus(linear, centripetal), angular))
    spatial.store_pair(scratch.pairs.error, this, (xi_p, xi_R))


@formula
def _baumgarte(eta, xi, rate):
    """η² ξ - 2η (rate of -ξ)."""
    return minus(times(eta * eta, xi), times(2.0 * eta, rate))

"""Contact points of a later pose, carried back to t_n, where the time stepping begins.

Sub-steps know a point by its lever arms and its depth at t_n, and let the depth grow with the rate
there. So a point found after a time τ goes back with the centre of mass c of its body,

    p_n = p - τ v          p_n - c_n = p - c_τ: the lever arm is that of the touch
    depth_n = depth - τ (closing rate at p_n)

and the depth is the right one at τ. A body whose motion is given has no lever arm to keep: then the
other one decides. Between two that move, p goes with both centres, more with the nearer one, as
that of two balls does; settle.py lets it follow them in the same way.

No point begins with a depth: they were apart.
"""

from sim.jit import formula, kernel
from sim.mechanics.vector import cross, dot, load, minus, norm, plus, store, times

AT_ONCE = 1.0e-300  # [m]: centres that both are at the point


@kernel
def carry_back(model, scratch, a, b, time, first, count):
    """Carry points of two bodies back to t_n, from so long after it."""
    points = scratch.points
    for k in range(first, first + count):
        p = load(points.p_W, k)
        n = load(points.n_W, k)
        share = _share(model, scratch, a, b, p, time)
        v_a = load(scratch.placed.v_W, a)
        v_b = load(scratch.placed.v_W, b)
        v = plus(times(share, v_a), times(1.0 - share, v_b))
        p = minus(p, times(time, v))
        apart = minus(_velocity(scratch, a, p), _velocity(scratch, b, p))
        store(points.p_W, k, p)
        points.depth[k] = min(points.depth[k] + time * dot(apart, n), 0.0)


@formula
def _share(model, scratch, a, b, p, time):
    """How much of the way of a contact point is that of the first body's centre."""
    if (a < model.n_driven) != (b < model.n_driven):
        return 1.0 if a >= model.n_driven else 0.0
    r_a = norm(minus(p, _centre(scratch, a, time)))
    r_b = norm(minus(p, _centre(scratch, b, time)))
    return r_b / max(r_a + r_b, AT_ONCE)


@formula
def _centre(scratch, body, time):
    """Centre of mass of a body some time after t_n."""
    placed = scratch.placed
    return plus(load(placed.c_W, body), times(time, load(placed.v_W, body)))


@formula
def _velocity(scratch, body, p):
    """Velocity of a body at p."""
    placed = scratch.placed
    r = minus(p, load(placed.c_W, body))
    return plus(load(placed.v_W, body), cross(load(placed.w_W, body), r))

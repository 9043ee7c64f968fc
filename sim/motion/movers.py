"""Where the movers are at the time of a stage, how fast, and how they accelerate.

Between two waypoints the path parameter goes from 0 to 1 at rest at both ends, τ = (t - t₀)/T:

    s = 10 τ³ - 15 τ⁴ + 6 τ⁵      p = p₀ + s Δp      q = q(s φ) ∘ q₀

φ is the rotation vector from one waypoint to the next: constant, so ω = ṡ φ and α = s̈ φ.
A swing is the same with Δp and φ along its direction and s = sin(2π f t + phase).
"""

import math

from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import ZERO, load, minus, norm, plus, store, times
from twincell.sim.model import SINE, WAYPOINTS


@kernel
def sample(model, scratch):
    """Put every mover where it is at the time of this stage."""
    for mover in range(model.movers.kind.shape[0]):
        kind = model.movers.kind[mover]
        if kind == WAYPOINTS:
            _follow(model, scratch, mover)
        elif kind == SINE:
            _swing(model, scratch, mover)
        else:
            p_WM = load(model.movers.p_WM, mover)
            q_WM = rotation.load(model.movers.q_WM, mover)
            _drive(scratch, mover, p_WM, q_WM, ZERO, ZERO, (0.0, 0.0, 0.0))


@kernel
def _follow(model, scratch, mover):
    """Between the waypoints before and after now; before the first and after the last: at rest."""
    points = model.waypoints
    first = model.movers.first[mover]
    last = model.movers.end[mover] - 1
    now = scratch.time[0]

    # the last waypoint that is not in the future
    low = first
    high = last
    while low < high:
        middle = (low + high + 1) // 2
        if points.time[middle] <= now:
            low = middle
        else:
            high = middle - 1

    p_W = load(points.p_W, low)
    q_W = rotation.load(points.q_W, low)
    if low == last or now < points.time[first]:
        _drive(scratch, mover, p_W, q_W, ZERO, ZERO, (0.0, 0.0, 0.0))
        return
    duration = points.time[low + 1] - points.time[low]
    tau = (now - points.time[low]) / duration
    s = tau * tau * tau * (10.0 + tau * (-15.0 + 6.0 * tau))
    ds = 30.0 * tau * tau * (1.0 + tau * (-2.0 + tau)) / duration
    dds = 60.0 * tau * (1.0 + tau * (-3.0 + 2.0 * tau)) / (duration * duration)
    distance = minus(load(points.p_W, low + 1), p_W)
    _drive(scratch, mover, p_W, q_W, distance, load(points.turn_W, low), (s, ds, dds))


@kernel
def _swing(model, scratch, mover):
    """About the mover's own pose."""
    frequency = model.movers.frequency[mover]
    angle = frequency * scratch.time[0] + model.movers.phase[mover]
    s = math.sin(angle)
    ds = frequency * math.cos(angle)
    dds = -frequency * frequency * s
    direction = load(model.movers.direction, mover)
    distance = times(model.movers.amplitude[mover, 0], direction)
    turn = times(model.movers.amplitude[mover, 1], direction)
    p_WM = load(model.movers.p_WM, mover)
    q_WM = rotation.load(model.movers.q_WM, mover)
    _drive(scratch, mover, p_WM, q_WM, distance, turn, (s, ds, dds))


@kernel
def _drive(scratch, mover, p, q, distance, turn, course):
    """Place the driven body a share s = course[0] along a distance and a turn."""
    s, ds, dds = course
    placed = scratch.placed
    body = mover + 1
    angle = norm(turn)
    if angle > 0.0:
        q = rotation.compose(rotation.about(times(1.0 / angle, turn), s * angle), q)
    store(placed.c_W, body, plus(p, times(s, distance)))
    rotation.store(placed.q_W, body, q)
    rotation.store_matrix(placed.R_W, body, rotation.matrix(q))
    store(placed.v_W, body, times(ds, distance))
    store(placed.w_W, body, times(ds, turn))
    store(placed.a_W, body, times(dds, distance))
    store(placed.alpha_W, body, times(dds, turn))

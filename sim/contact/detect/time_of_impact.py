"""When two surfaces that are still apart touch within the tick: conservative advancement.

Both move on with the velocities of t_n. Along the direction n of their gap they come together no
faster than

    u = (v_b - v_a) · n + Σ |ω x n| (|p - c| + size)          v, ω, c: of the body, p: origin

(what is round about an axis only turns it, by |ω x axis|, and a ball does not change at all). So
nothing can happen for a time of (gap - goal)/u; then they are looked at again, with the n of that
pose.

    goal = h Σ (h a + v_hit)          until they are that near: what the tick does not foresee
    goal = 0                          from then on

Surfaces that never come near have nothing to do with each other in this tick, however close to each
other they are now. The others have the points and normals of the pose where they begin to touch,
or of one from which they go on apart.
"""

from sim.contact.collide.contact_point import CLOSE
from sim.contact.collide.separation import apart
from sim.geometry.solid import column
from sim.jit import formula, kernel
from sim.mechanics import rotation
from sim.mechanics.vector import cross, dot, load, minus, mul, norm, plus, times
from sim.model import CAPSULE, CYLINDER, DISC, SPHERE

SURPRISE = 100.0  # [m/s²]: acceleration that nobody foresees within a tick; chosen, ten times g
ROUNDING = 1.0e-9  # [m]: what rests must not flicker
MOST_LOOKS = 16  # chosen: one or two are the rule, more only while things turn fast
NEAR_LOOKS = 6  # of them once they are near; chosen: what is left of the gap is met in time anyway
NEVER = -1.0


@kernel
def time_of_touch(model, scratch, a, b):
    """How long after t_n two surfaces begin to touch; 0 if they do already, NEVER in this tick.

    If they only come so near that a surprise may let them touch, it is a time before they are
    nearest: as they are then, they go on apart.
    """
    near = scratch.near_surfaces
    surfaces = model.surfaces
    law = model.laws.of[surfaces.material[a], surfaces.material[b]]
    enough = near.sweep[a] + near.sweep[b]
    goal = unforeseen(model, scratch, a) + unforeseen(model, scratch, b)
    time = 0.0
    looks = MOST_LOOKS
    while looks > 0:
        looks -= 1
        p_a, q_a = pose_after(model, scratch, a, time)
        p_b, q_b = pose_after(model, scratch, b, time)
        gap, n = apart(
            surfaces.shape[a], load(surfaces.half, a), surfaces.radius[a], p_a, q_a,
            surfaces.shape[b], load(surfaces.half, b), surfaces.radius[b], p_b, q_b,
            model.laws.layer[law], enough,
        )  # fmt: skip
        if gap <= goal:
            goal = 0.0
            looks = min(looks, NEAR_LOOKS)
        if gap <= CLOSE:
            return time
        closing = _along(model, scratch, a, q_a, times(-1.0, n)) + _along(model, scratch, b, q_b, n)
        if closing * (model.step - time) <= gap - goal:
            return NEVER if goal > 0.0 else time
        time += (gap - goal) / closing
    return time


@formula
def unforeseen(model, scratch, this):
    """How far a surface may be, at the end of the tick, from where its velocity takes it."""
    body = model.surfaces.body[this]
    if body == 0:
        return ROUNDING
    return ROUNDING + model.step * (scratch.near_surfaces.given[body] + model.step * SURPRISE)


@kernel
def pose_after(model, scratch, this, time):
    """Where a surface is some time after t_n, if its body keeps its velocities."""
    near = scratch.near_surfaces
    placed = scratch.placed
    p = load(near.p_W, this)
    q = rotation.load(near.q_W, this)
    body = model.surfaces.body[this]
    if body == 0 or time == 0.0:
        return p, q
    w = load(placed.w_W, body)
    turning = norm(w)
    way = times(time, load(placed.v_W, body))
    if turning == 0.0:
        return plus(p, way), q
    c = load(placed.c_W, body)
    turn = rotation.about(times(1.0 / turning, w), turning * time)
    r = mul(rotation.matrix(turn), minus(p, c))
    return plus(plus(c, way), r), rotation.compose(turn, q)


@formula
def _along(model, scratch, this, q, n):
    """Speed with which a surface at most comes along n."""
    placed = scratch.placed
    body = model.surfaces.body[this]
    w = load(placed.w_W, body)
    across = norm(cross(w, n))
    speed = dot(load(placed.v_W, body), n)
    if across > 0.0:
        arm = norm(minus(load(scratch.near_surfaces.p_W, this), load(placed.c_W, body)))
        speed += across * arm + _changing(model, this, q, w, across) * model.surfaces.size[this]
    return speed


@formula
def _changing(model, this, q, w, across):
    """Angular speed that changes how far a surface reaches from its origin."""
    shape = model.surfaces.shape[this]
    if shape == SPHERE:
        return 0.0
    if shape in (DISC, CYLINDER, CAPSULE):
        return min(across, norm(cross(w, column(rotation.matrix(q), 2))))
    return across

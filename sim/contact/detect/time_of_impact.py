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

Sub-steps know a point by its lever arms and its depth at t_n, and let the depth grow with the rate
there. So a point found after a time τ goes back with the centre of mass c of its body,

    p_n = p - τ v          p_n - c_n = p - c_τ: the lever arm is that of the touch
    depth_n = depth - τ (closing rate at p_n)

and the depth is the right one at τ. A body whose motion is given has no lever arm to keep: then the
other one decides. Between two that move, p goes with both centres, more with the nearer one, as
that of two balls does; the sub-steps let it follow them in the same way.
"""

from twincell.sim.contact.collide.contact_point import CLOSE
from twincell.sim.contact.collide.narrow_phase import refine, separation
from twincell.sim.geometry.solid import axis, solid_of
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import cross, dot, load, minus, mul, norm, plus, store, times
from twincell.sim.model import CAPSULE, CYLINDER, DISC, SPHERE

SURPRISE = 100.0  # [m/s²]: acceleration that nobody foresees within a tick; chosen, ten times g
ROUNDING = 1.0e-9  # [m]: what rests must not flicker
MOST_LOOKS = 16  # chosen: one or two are the rule, more only while things turn fast
NEAR_LOOKS = 6  # of them once they are near; chosen: what is left of the gap closes in time anyway
NEVER = -1.0
AT_ONCE = 1.0e-300  # [m]: centres that both are at the point


@kernel
def time_of_impact(model, scratch, a, b):
    """How long after t_n two surfaces begin to touch; 0 if they do already, NEVER in this tick.

    If they only come so near that a surprise may let them touch, it is a time before they are
    nearest: as they are then, they go on apart.
    """
    surfaces = model.surfaces
    sweep = scratch.broad_phase.sweep
    layer = model.laws.layer[model.laws.of[surfaces.material[a], surfaces.material[b]]]
    enough = sweep[a] + sweep[b]
    goal = unforeseen(model, scratch, a) + unforeseen(model, scratch, b)
    time = 0.0
    looks = MOST_LOOKS
    while looks > 0:
        looks -= 1
        solid_a = solid_after(model, scratch, a, time)
        solid_b = solid_after(model, scratch, b, time)
        found = separation(solid_a, solid_b, layer, enough)
        # what a list of directions shows apart needs no search
        if found.gap < CLOSE:
            found = refine(solid_a, solid_b, found, enough)
        gap = found.gap
        if gap <= goal:
            goal = 0.0
            looks = min(looks, NEAR_LOOKS)
        if gap <= CLOSE:
            return time
        closing = _speed_along(model, scratch, a, solid_a, times(-1.0, found.n_W))
        closing = closing + _speed_along(model, scratch, b, solid_b, found.n_W)
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
    hit_speed = scratch.broad_phase.hit_speed[body]
    return ROUNDING + model.step * (hit_speed + model.step * SURPRISE)


@kernel
def solid_after(model, scratch, this, time):
    """A surface where it is some time after t_n, if its body keeps its velocities."""
    surfaces = model.surfaces
    broad = scratch.broad_phase
    placed = scratch.placed
    p_W = load(broad.p_W, this)
    R_W = rotation.load_matrix(broad.R_W, this)
    body = surfaces.body[this]
    if body > 0 and time > 0.0:
        w = load(placed.w_W, body)
        turning = norm(w)
        way = times(time, load(placed.v_W, body))
        if turning == 0.0:
            p_W = plus(p_W, way)
        else:
            c_W = load(placed.c_W, body)
            turn = rotation.about(times(1.0 / turning, w), turning * time)
            r = mul(rotation.matrix(turn), minus(p_W, c_W))
            p_W = plus(plus(c_W, way), r)
            R_W = rotation.matrix(rotation.compose(turn, rotation.load(broad.q_W, this)))
    half = load(surfaces.half, this)
    return solid_of(surfaces.shape[this], half, surfaces.radius[this], p_W, R_W)


@formula
def _speed_along(model, scratch, this, solid, n):
    """Speed with which a surface at most comes along n."""
    placed = scratch.placed
    body = model.surfaces.body[this]
    w = load(placed.w_W, body)
    across = norm(cross(w, n))
    speed = dot(load(placed.v_W, body), n)
    if across > 0.0:
        arm = norm(minus(load(scratch.broad_phase.p_W, this), load(placed.c_W, body)))
        speed += across * arm + _tilting(solid, w, across) * model.surfaces.size[this]
    return speed


@formula
def _tilting(solid, w, across):
    """Angular speed that changes how far a surface reaches from its origin."""
    if solid.shape == SPHERE:
        return 0.0
    if solid.shape in (DISC, CYLINDER, CAPSULE):
        return min(across, norm(cross(w, axis(solid, 2))))
    return across


@kernel
def carry_back(model, scratch, a, b, time, first, count):
    """Carry points of two bodies back to t_n, from so long after it.

    No point begins with a depth: they were apart.
    """
    points = scratch.points
    for k in range(first, first + count):
        p = load(points.p_W, k)
        n = load(points.n_W, k)
        p = carried_place(model, scratch, a, b, p, time)
        opening = minus(_velocity(scratch, a, p), _velocity(scratch, b, p))
        store(points.p_W, k, p)
        points.depth[k] = min(points.depth[k] + time * dot(opening, n), 0.0)


@formula
def carried_place(model, scratch, a, b, p, time):
    """Where a contact point of two bodies was at t_n, if it is at p so long after it."""
    share = _share(model, scratch, a, b, p, time)
    v_a = load(scratch.placed.v_W, a)
    v_b = load(scratch.placed.v_W, b)
    return minus(p, times(time, plus(times(share, v_a), times(1.0 - share, v_b))))


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

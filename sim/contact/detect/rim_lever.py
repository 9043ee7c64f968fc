"""Rims that roll: their points have the lever arms of the middle of the tick.

A rim touches with its lowest point, and that runs round the rim, the faster the flatter it lies.
Within a tick points stay. With the lever arms of t_n a coin that wobbles would be pushed behind the
place where it really touches, and gain energy without end. So, where a surface with a rim touches
at t_n,

    p - c = (p - c) of the pose half a tick on          depth and normal: those of t_n

What rolls on its side touches below its axis all the time: nothing changes for it.
"""

from twincell.sim.contact.collide.narrow_phase import manifold, separation
from twincell.sim.contact.detect.time_of_impact import carried_place, solid_after
from twincell.sim.jit import kernel
from twincell.sim.mechanics.vector import load, minus, norm, store

FAR = 0.5  # of the radius: half a radian along the rim; chosen
SLOW = 1.0e-7  # [m] that a rim turns in a tick: no more than rounding is gained; chosen


@kernel
def take_middle_levers(model, scratch, a, b, margins, first, count):
    """Move points of two surfaces to where they are seen from their bodies half a tick on."""
    surfaces = model.surfaces
    body_a, body_b = surfaces.body[a], surfaces.body[b]
    turning = max(
        norm(load(scratch.placed.w_W, body_a)) * surfaces.radius[a],
        norm(load(scratch.placed.w_W, body_b)) * surfaces.radius[b],
    )
    if turning * model.step < SLOW:
        return
    points = scratch.points
    time = 0.5 * model.step
    solid_a = solid_after(model, scratch, a, time)
    solid_b = solid_after(model, scratch, b, time)
    found = separation(solid_a, solid_b, margins.layer, margins.reach)
    behind = first + count
    if manifold(solid_a, solid_b, found, margins, points, behind) != count:
        return  # other features touch then
    far = FAR * max(solid_a.rim, solid_b.rim)
    for k in range(count):
        p = carried_place(model, scratch, body_a, body_b, load(points.p_W, behind + k), time)
        if norm(minus(p, load(points.p_W, first + k))) > far:
            return  # it turns over to its other side
        store(points.p_W, behind + k, p)
    for k in range(count):
        store(points.p_W, first + k, load(points.p_W, behind + k))

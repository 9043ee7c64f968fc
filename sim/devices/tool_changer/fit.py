"""How a tool sits in front of a flange: gap, tilt, what the sensors see, whether it is in a stand.

Two sensors look along the flange's z from the points ±r on its x axis. With the tool's mating plane
through its origin p_S with the normal n, the sensor at s sees the gap

    g = n · (p_S - s) / (n · z)

so that a tool that is tilted about y is nearer to one of them.
"""

import math

from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import dot, load, minus, norm, plus, times
from twincell.sim.model import CONTROL, NONE

SEES = 0.5  # cosine: a plane that is turned by more than 60° gives a sensor no echo; chosen


@kernel
def look_around(model, state, scratch, changer):
    """Find the tool of this tick, and how it sits."""
    fit = scratch.fit
    port = model.collision.port[model.changers.flange[changer]]
    p_F = load(scratch.placed.port_p, port)
    tool = state.coupled[changer]
    if tool == NONE:
        tool = _nearest(model, scratch, p_F)
    fit.tool[changer] = tool
    fit.gap[changer] = 0.0
    fit.tilt[changer] = 0.0
    fit.ready[changer, 0] = 0
    fit.ready[changer, 1] = 0
    fit.in_stand[changer] = 0
    if tool == NONE:
        return

    own = model.constrained.port[model.tools.object[tool]]
    p_S = load(scratch.placed.port_p, own)
    q_F = rotation.load(scratch.placed.port_q, port)
    q_S = rotation.load(scratch.placed.port_q, own)
    turn = rotation.compose(rotation.inverse(q_F), q_S)
    fit.gap[changer] = norm(minus(p_S, p_F))
    fit.tilt[changer] = norm(rotation.vector(turn))
    _sense_ready(model, scratch, changer, (p_F, q_F), (p_S, q_S))

    for stand in range(model.stands.holder.shape[0]):
        holder = model.collision.port[model.stands.holder[stand]]
        off = norm(minus(p_S, load(scratch.placed.port_p, holder)))
        if off <= model.stands.tolerance[stand]:
            fit.in_stand[changer] = 1


@kernel
def fits(model, state, scratch, changer):
    """Whether a tool is there that the piston can lock: near enough, and nobody else's."""
    tool = scratch.fit.tool[changer]
    if tool == NONE or state.coupled[changer] == tool:
        return tool != NONE
    if scratch.fit.gap[changer] > model.changers.gap[changer]:
        return False
    if scratch.fit.tilt[changer] > model.changers.tilt[changer]:
        return False
    for other in range(state.coupled.shape[0]):
        if state.coupled[other] == tool:
            return False
    partner = state.partner[model.tools.object[tool]]
    flange = model.changers.flange[changer]
    return partner in (NONE, flange) or model.collision.mode[partner] != CONTROL


@kernel
def _nearest(model, scratch, p_F):
    nearest = NONE
    least = math.inf
    for tool in range(model.tools.object.shape[0]):
        port = model.constrained.port[model.tools.object[tool]]
        gap = norm(minus(load(scratch.placed.port_p, port), p_F))
        if gap < least:
            nearest = tool
            least = gap
    return nearest


@kernel
def _sense_ready(model, scratch, changer, flange, tool):
    """What both ReadyToLock sensors see: near along the axis, and not off to the side."""
    R_F = rotation.matrix(flange[1])
    R_S = rotation.matrix(tool[1])
    x = (R_F[0], R_F[3], R_F[6])
    z = (R_F[2], R_F[5], R_F[8])
    normal = (R_S[2], R_S[5], R_S[8])
    way = minus(tool[0], flange[0])
    lateral = norm(minus(way, times(dot(way, z), z)))
    facing = dot(normal, z)
    tolerance = model.changers.gap[changer]
    for sensor in range(2):
        side = model.changers.sensor_radius[changer] * (1.0 - 2.0 * sensor)
        s = plus(flange[0], times(side, x))
        near = False
        if facing > SEES:
            near = abs(dot(normal, minus(tool[0], s)) / facing) <= tolerance
        scratch.fit.ready[changer, sensor] = 1 if near and lateral <= tolerance else 0

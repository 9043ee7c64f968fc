"""How a tool sits in front of a flange: gap, tilt, what the sensors see, whether it is in a stand.

Two sensors look along the flange's z from the points ±r on its x axis. With the tool's mating plane
through its origin p_S with the normal n, the sensor at s sees the gap

    g = n · (p_S - s) / (n · z)

so that a tool that is tilted about y is nearer to one of them.
"""

import math

from twincell.sim.devices.tool_stand.advance import is_in_a_stand
from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.vector import dot, load, minus, norm, plus, times
from twincell.sim.model import CONTROL, NONE

SEES = 0.5  # cosine: a plane that is turned by more than 60° gives a sensor no echo; chosen


@kernel
def look_around(model, state, scratch, changer):
    """Find the tool of this tick, and how it sits."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    fit = scratch.devices.tool_changer
    port = model.collision.port[changers.flange[changer]]
    p_F = load(scratch.placed.port_p, port)
    tool = own.coupled[changer]
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

    tool_port = model.constrained.port[changers.tools.object[tool]]
    p_S = load(scratch.placed.port_p, tool_port)
    q_F = rotation.load(scratch.placed.port_q, port)
    q_S = rotation.load(scratch.placed.port_q, tool_port)
    turn = rotation.compose(rotation.inverse(q_F), q_S)
    fit.gap[changer] = norm(minus(p_S, p_F))
    fit.tilt[changer] = norm(rotation.vector(turn))
    _sense_ready(model, scratch, changer, (p_F, q_F), (p_S, q_S))

    fit.in_stand[changer] = 1 if is_in_a_stand(model, scratch, p_S) else 0


@kernel
def fits(model, state, scratch, changer):
    """Whether a tool is there that the piston can lock: near enough, and nobody else's."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    fit = scratch.devices.tool_changer
    tool = fit.tool[changer]
    if tool == NONE or own.coupled[changer] == tool:
        return tool != NONE
    if fit.gap[changer] > changers.gap[changer]:
        return False
    if fit.tilt[changer] > changers.tilt[changer]:
        return False
    for other in range(own.coupled.shape[0]):
        if own.coupled[other] == tool:
            return False
    partner = state.partner[changers.tools.object[tool]]
    flange = changers.flange[changer]
    return partner in (NONE, flange) or model.collision.mode[partner] != CONTROL


@kernel
def _nearest(model, scratch, p_F):
    changers = model.devices.tool_changer
    nearest = NONE
    least = math.inf
    for tool in range(changers.tools.object.shape[0]):
        port = model.constrained.port[changers.tools.object[tool]]
        gap = norm(minus(load(scratch.placed.port_p, port), p_F))
        if gap < least:
            nearest = tool
            least = gap
    return nearest


@kernel
def _sense_ready(model, scratch, changer, flange, tool):
    """What both ReadyToLock sensors see: near along the axis, and not off to the side."""
    changers = model.devices.tool_changer
    fit = scratch.devices.tool_changer
    R_F = rotation.matrix(flange[1])
    R_S = rotation.matrix(tool[1])
    x = (R_F[0], R_F[3], R_F[6])
    z = (R_F[2], R_F[5], R_F[8])
    normal = (R_S[2], R_S[5], R_S[8])
    way = minus(tool[0], flange[0])
    lateral = norm(minus(way, times(dot(way, z), z)))
    facing = dot(normal, z)
    tolerance = changers.gap[changer]
    for sensor in range(2):
        side = changers.sensor_radius[changer] * (1.0 - 2.0 * sensor)
        s = plus(flange[0], times(side, x))
        near = False
        if facing > SEES:
            near = abs(dot(normal, minus(tool[0], s)) / facing) <= tolerance
        fit.ready[changer, sensor] = 1 if near and lateral <= tolerance else 0

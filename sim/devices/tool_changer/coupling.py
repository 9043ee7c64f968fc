"""The coupling itself: when it takes a tool, lets it go, and breaks.

A tool is taken when the piston reaches its lock end with a tool that fits, and let go when the
piston has left it by half its stroke. In between it carries what the constraint really needs, F and
M on the tool at its origin, with the flange's axis z:

    axial = |F · z|      shear = |F - (F · z) z|      moment = |M|
    margin = 1 - weakness - max(axial / limit, shear / limit, moment / limit)

and breaks when the margin is gone. Then the tool really falls.
"""

from twincell.sim.devices.tool_changer.fit import fits
from twincell.sim.devices.tool_changer.signals import WEAK_COUPLING
from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation, spatial
from twincell.sim.mechanics.vector import dot, minus, norm, times
from twincell.sim.model import NONE

LETS_GO = 0.5  # of the stroke: where the locking balls are free; our default


@kernel
def break_or_let_go(model, commands, state, changer):
    """Give up a tool that was too heavy, that slipped away, or that the piston set free."""
    tool = state.coupled[changer]
    if tool == NONE:
        return
    slipped = state.partner[model.tools.object[tool]] != model.changers.flange[changer]
    free = state.piston[changer] < LETS_GO * model.changers.stroke[changer]
    if slipped or free or margin(model, commands, state, changer) <= 0.0:
        state.coupled[changer] = NONE
        for k in range(3):
            state.load[changer, k] = 0.0


@kernel
def take(model, state, scratch, changer):
    """Couple the tool in front of the flange, if it fits."""
    if fits(model, state, scratch, changer):
        state.coupled[changer] = scratch.fit.tool[changer]


@kernel
def margin(model, commands, state, changer):
    """Strength that is left: 1 without load, 0 where it breaks."""
    weak = commands.values[model.changers.lever[changer] + WEAK_COUPLING]
    used = 0.0
    for k in range(3):
        used = max(used, state.load[changer, k] / model.changers.limit[changer, k])
    return 1.0 - min(max(weak, 0.0), 1.0) - used


@kernel
def weigh(model, state, scratch):
    """Remember what every coupling carries in this tick; the next one breaks what was too much."""
    for changer in range(model.changers.flange.shape[0]):
        tool = state.coupled[changer]
        flange = model.changers.flange[changer]
        if tool == NONE or state.partner[model.tools.object[tool]] != flange:
            continue
        force, moment = spatial.load_pair(scratch.pairs.force, model.tools.object[tool])
        R_F = rotation.matrix(rotation.load(scratch.placed.port_q, model.collision.port[flange]))
        z = (R_F[2], R_F[5], R_F[8])
        axial = dot(force, z)
        state.load[changer, 0] = abs(axial)
        state.load[changer, 1] = norm(minus(force, times(axial, z)))
        state.load[changer, 2] = norm(moment)


@kernel
def holds_tool(model, state, changer, this):
    """Whether a changer's flange catches this constrained object: only the tool that it locked."""
    tool = state.coupled[changer]
    return tool != NONE and model.tools.object[tool] == this

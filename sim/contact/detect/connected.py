"""Which surfaces do not touch because a joint or a pair of the constraint network connects them.

What hangs on the world may touch everything there but the frame that holds it.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.model import NONE
from twincell.sim.network.islands import PAIR, body_of_object


@kernel
def are_connected(model, state, scratch, a, b):
    """Whether a joint or a pair of the network connects two surfaces' bodies."""
    islands = scratch.islands
    if _hangs_on(model, state, scratch, a, b) or _hangs_on(model, state, scratch, b, a):
        return True
    # every other pair that holds closes a loop
    for k in range(islands.n_closing[0]):
        if _holds_together(model, state, islands.closing[k], a, b):
            return True
    return False


@kernel
def _hangs_on(model, state, scratch, a, b):
    """Whether the body of a surface hangs on that of another one."""
    islands = scratch.islands
    body = model.surfaces.body[a]
    joint = model.bodies.joint[body]
    if joint != NONE and _is_at(model, model.joints.parent[joint], model.joints.port[joint], b):
        return True
    return (
        body >= model.n_driven
        and islands.up[body] == PAIR
        and _holds_together(model, state, islands.link[body], a, b)
    )


@formula
def _holds_together(model, state, this, a, b):
    """Whether a pair's object and partner are the bodies of two surfaces."""
    held = body_of_object(model, this)
    port = model.collision.port[state.partner[this]]
    holder = model.ports.body[port]
    return (held == model.surfaces.body[a] and _is_at(model, holder, port, b)) or (
        held == model.surfaces.body[b] and _is_at(model, holder, port, a)
    )


@formula
def _is_at(model, body, port, this):
    """Whether a surface is on a body.

    The world carries tables and stands alike: there only the very same frame is meant.
    """
    return model.surfaces.body[this] == body and (body > 0 or model.surfaces.port[this] == port)

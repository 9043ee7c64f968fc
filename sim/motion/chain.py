"""A robot's links where its joints are said to be: for planning and feed-forward, not the state."""

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation
from twincell.sim.mechanics.place import child_pose
from twincell.sim.mechanics.vector import ZERO, load, minus, mul, plus, store
from twincell.sim.model import NONE


@kernel
def place_link(model, scratch, axis, q):
    """Put the link that an axis carries where the joint position q puts it."""
    chain = scratch.chain
    joint = model.axes.joint[axis]
    c_A, q_WA, R_WA = _carrier(model, scratch, axis, joint)
    q_WB, R_WB, axis_W, arm = child_pose(model, joint, q_WA, R_WA, q)
    p_WJ = plus(c_A, arm)
    store(chain.c_W, axis, minus(p_WJ, mul(R_WB, load(model.joints.p_BJ, joint))))
    rotation.store(chain.q_W, axis, q_WB)
    rotation.store_matrix(chain.R_W, axis, R_WB)
    store(chain.axis_W, axis, axis_W)
    store(chain.p_WJ, axis, p_WJ)


@formula
def _carrier(model, scratch, axis, joint):
    """Pose of what carries an axis: the link before it, or what the robot stands on."""
    before = model.axes.before[axis]
    if before != NONE:
        chain = scratch.chain
        return (
            load(chain.c_W, before),
            rotation.load(chain.q_W, before),
            rotation.load_matrix(chain.R_W, before),
        )
    base = model.joints.parent[joint]
    if base == 0:
        return ZERO, rotation.IDENTITY, rotation.matrix(rotation.IDENTITY)
    placed = scratch.placed
    return (
        load(placed.c_W, base),
        rotation.load(placed.q_W, base),
        rotation.load_matrix(placed.R_W, base),
    )

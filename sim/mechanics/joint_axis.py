"""A joint as acceleration fields about o: its axis S, and the drag ζ of what already moves.

    field of the child = field of the parent + ζ + S q̈

    hinge   S = ((p_J - o) x u, u)     a_child - a_parent at p_J = 0              α: ω_A x u q̇
    slide   S = (u, 0)                 a_child - a_parent at p_J = 2 ω_A x u q̇    α: 0

A field leaves out what turning alone does to a point: ζ takes ω x (ω x r) of both sides away.
"""

from sim.jit import kernel
from sim.mechanics import spatial
from sim.mechanics.vector import ZERO, cross, load, minus, times
from sim.model import REVOLUTE


@kernel
def joint_axis(model, scratch, joint, o):
    """Axis of a joint about o."""
    axis = load(scratch.placed.axis_W, joint)
    if model.joints.type[joint] == REVOLUTE:
        return cross(minus(load(scratch.placed.p_WJ, joint), o), axis), axis
    return axis, ZERO


@kernel
def joint_drag(model, scratch, joint, o):
    """Acceleration of the child relative to the parent, about o, when q̈ = 0."""
    placed = scratch.placed
    parent = model.joints.parent[joint]
    child = model.joints.child[joint]
    p_WJ = load(placed.p_WJ, joint)
    w_A = load(placed.w_W, parent)
    w_B = load(placed.w_W, child)
    turned = cross(w_A, times(scratch.motion.qd[joint], load(placed.axis_W, joint)))

    linear = minus(
        cross(w_A, cross(w_A, minus(p_WJ, load(placed.c_W, parent)))),
        cross(w_B, cross(w_B, minus(p_WJ, load(placed.c_W, child)))),
    )
    angular = ZERO
    if model.joints.type[joint] == REVOLUTE:
        angular = turned
    else:
        linear = (
            linear[0] + 2.0 * turned[0],
            linear[1] + 2.0 * turned[1],
            linear[2] + 2.0 * turned[2],
        )
    return spatial.field_at((linear, angular), minus(o, p_WJ))

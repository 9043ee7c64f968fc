"""A joint as acceleration fields about o: its axis S, and the drag ζ of what already moves.

    field of the child = field of the parent + ζ + S q̈

    hinge   S = ((p_J - o) x u, u)     a_child - a_parent at p_J = 0              α: ω_A x u q̇
    slide   S = (u, 0)                 a_child - a_parent at p_J = 2 ω_A x u q̇    α: 0

A field leaves out what turning alone does to a point: ζ takes ω x (ω x r) of both sides away. It
is worked out where the joint is placed (`place.py`), from the same ω x r as the velocities.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.vector import ZERO, cross, load, minus
from twincell.sim.model import REVOLUTE


@kernel
def joint_axis(model, scratch, joint, o):
    """Axis of a joint about o."""
    axis = load(scratch.placed.axis_W, joint)
    if model.joints.type[joint] == REVOLUTE:
        return cross(minus(load(scratch.placed.p_WJ, joint), o), axis), axis
    return axis, ZERO


@formula
def joint_drag(scratch, joint, o):
    """Acceleration of the child relative to the parent, about o, when q̈ = 0."""
    to_o = minus(o, load(scratch.placed.p_WJ, joint))
    return spatial.field_at(spatial.load_pair(scratch.placed.drag, joint), to_o)

"""A joint as acceleration fields about o: its axis S, and the drag ζ of what already moves.

    field of the child = field of the parent + ζ + S q̈

    S = (turn (p_J - o) x u + slide u, turn u)
    ζ at p_J = (2 ω_A x u slide q̇, ω_A x u turn q̇)

turn and slide are what the type of joint says (`joint_type.py`); where one is 0, it costs nothing.
A field leaves out what turning alone does to a point: ζ takes ω x (ω x r) of both sides away. It
is worked out where the joint is placed (`place.py`), from the same ω x r as the velocities.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.vector import ZERO, cross, load, minus, plus, times


@kernel
def joint_axis(model, scratch, joint, o):
    """Axis of a joint about o."""
    placed = scratch.placed
    return motion_subspace(model, joint, load(placed.axis_W, joint), load(placed.p_WJ, joint), o)


@formula
def motion_subspace(model, joint, axis, p_WJ, o):
    """What a unit of q does, about o, where the joint has this axis and place: linear, angular."""
    slide = model.joints.slide[joint]
    if model.joints.turn[joint] == 0:
        return times(slide, axis), ZERO
    linear = cross(minus(p_WJ, o), axis)
    if slide != 0.0:
        linear = plus(linear, times(slide, axis))
    return linear, axis


@formula
def joint_drag(scratch, joint, o):
    """Acceleration of the child relative to the parent, about o, when q̈ = 0."""
    to_o = minus(o, load(scratch.placed.p_WJ, joint))
    return spatial.field_at(spatial.load_pair(scratch.placed.drag, joint), to_o)

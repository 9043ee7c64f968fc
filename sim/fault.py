"""A fault: the first thing that went wrong, with its object and its tick. It stops the cell."""

from twincell.sim.jit import kernel

NO_FAULT, BODY_LOST, JOINT_LOST, TOO_MANY_LOOPS = 0, 1, 2, 3


@kernel
def report_fault(state, feedback, kind, number):
    """Note what went wrong, unless something went wrong before it."""
    if feedback.fault[0] == NO_FAULT:
        feedback.fault[0] = kind
        feedback.fault[1] = number
        feedback.fault[2] = state.tick[0]

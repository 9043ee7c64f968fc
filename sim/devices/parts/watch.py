"""Watches: what must not be wrong for long, such as a time-out or two channels that disagree.

A device keeps an array `wrong_for` with a column for each of its watches.
"""

from twincell.sim.jit import formula


@formula
def lasts(wrong_for, owner, watch, is_wrong, most):
    """Whether something has been wrong for more than `most` ticks; call it once a tick."""
    ticks = wrong_for[owner, watch]
    wrong_for[owner, watch] = min(ticks + 1, most + 1) if is_wrong else 0
    return wrong_for[owner, watch] > most

"""Whether anything touches in this tick: most cells, most of the time, have nothing to do here."""

from twincell.sim.jit import formula


@formula
def anything_touches(model, scratch):
    """Whether there are contact points in this tick."""
    return model.surfaces.port.shape[0] > 0 and scratch.contacts.n[0] > 0

"""Write what each tool stand really holds."""

from twincell.sim.jit import kernel


@kernel
def write(model, commands, state, scratch, row):
    """The block of every tool stand."""
    stands = model.devices.tool_stand
    for stand in range(stands.holder.shape[0]):
        row[stands.column[stand]] = 0.0
    for this in range(model.constrained.port.shape[0]):
        for stand in range(stands.holder.shape[0]):
            if state.partner[this] == stands.holder[stand]:
                row[stands.column[stand]] = this + 1.0

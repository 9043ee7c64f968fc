"""What all devices of a cell show."""

from twincell.sim.compose import in_turn
from twincell.sim.devices import modules
from twincell.sim.jit import kernel

_write = in_turn([device.write for device in modules("row").values()])


@kernel
def write_devices(model, commands, state, scratch, row):
    """The blocks of all devices, each to its declared columns."""
    _write(model, commands, state, scratch, row)

"""Devices: what stands between a controller and the constraint network.

One folder a device, and one line in `DEVICES`: nobody else knows which devices there are. Its parts
are files of fixed names (docs/engine/new_device.md):

    signals   everything that it takes and shows: commands, levers, feedback, truth
    spec      its tables in a cell file          rules    what they must not say
    model     what compilation decides           build    from the tables to these arrays
    state     what it remembers, and derives     advance  what happens in a tick
    row       what it writes into the row        holds    what it holds, if it holds anything
    report    what is told about it after a run, if anything
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

# in the order in which they advance in a tick
DEVICES = ("tool_stand", "tool_changer", "indicator_lamp")


def modules(part: str) -> dict[str, Any]:
    """This file of every device that has it, by the device's name."""
    names = {device: f"{__name__}.{device}.{part}" for device in DEVICES}
    return {device: import_module(name) for device, name in names.items() if find_spec(name)}


# the tables of devices are parts of a cell file: whoever loads one of them first loads all of it
import twincell.sim.spec  # noqa: E402, F401

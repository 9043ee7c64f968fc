"""What compilation decides about indicator lamps."""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Ints
from twincell.sim.devices.indicator_lamp.signals import N_DIGITAL
from twincell.sim.devices.parts.wire import Wiring


class IndicatorLamps(NamedTuple):
    """Lamps with buttons; times are in ticks."""

    command: Annotated[Ints, "n_indicator_lamp"]  # its first command among what is latched
    lever: Annotated[Ints, "n_indicator_lamp"]  # its first fault lever
    column: Annotated[Ints, "n_indicator_lamp"]  # of its first signal in a row
    slow_blink: Annotated[Ints, "n_indicator_lamp"]  # period
    fast_blink: Annotated[Ints, "n_indicator_lamp"]  # period
    lit_time_out: Annotated[Ints, "n_indicator_lamp"]
    press_time_out: Annotated[Ints, "n_indicator_lamp"]
    wires: Annotated[Wiring, {"n_owner": "n_indicator_lamp", "n_wire": N_DIGITAL}]


MODEL = IndicatorLamps

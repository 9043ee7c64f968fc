"""What indicator lamps remember."""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Ints, Sizes
from twincell.sim.devices.indicator_lamp.signals import FAULTS, N_DIGITAL, STATES
from twincell.sim.devices.parts.fault_latch import FaultLatch, fault_limits
from twincell.sim.devices.parts.wire import WireState, wire_counts, wire_limits

N_WATCH = 2  # what must not be wrong for long
WATCH_DARK, WATCH_PRESSED = range(N_WATCH)


class IndicatorLampState(NamedTuple):
    """Lamp, button, and what they show."""

    since: Annotated[Ints, "n_indicator_lamp"]  # tick in which it was told `wanted`
    wanted: Annotated[Ints, "n_indicator_lamp"]  # OFF, LIGHTS, BLINKS_SLOWLY, BLINKS_FAST
    lit: Annotated[Ints, "n_indicator_lamp"]  # 1 while it shines
    pressed: Annotated[Ints, "n_indicator_lamp"]  # 1 while the button is in
    presses: Annotated[Ints, "n_indicator_lamp"]  # how often Pressed has come
    shown: Annotated[Ints, "n_indicator_lamp"]  # its state
    wires: Annotated[WireState, {"n_owner": "n_indicator_lamp", "n_wire": N_DIGITAL}]
    fault: Annotated[FaultLatch, {"n_owner": "n_indicator_lamp"}]
    wrong_for: Annotated[Ints, "n_indicator_lamp", N_WATCH]  # ticks: dark, pressed


STATE = IndicatorLampState
COUNTS = ("since", "presses", *wire_counts("wires"), "wrong_for")  # select nothing


def limits(sizes: Sizes) -> dict[str, tuple[int, int]]:
    """Least and greatest value of the whole numbers that are no counts."""
    return {
        "wanted": (0, len(STATES) - 2),
        "lit": (0, 1),
        "pressed": (0, 1),
        "shown": (0, len(STATES) - 1),
        **wire_limits("wires", N_DIGITAL),
        **fault_limits("fault", FAULTS),
    }

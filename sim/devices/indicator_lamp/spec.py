"""What a cell file may say about an indicator lamp with a button."""

from twincell.sim.devices.parts.wire_spec import DigitalSignal
from twincell.sim.spec.table import Positive, Table

DEBOUNCE_S = 0.01  # our default: an ordinary contact bounces for less


class LampSignals(Table):
    """The digital signals that an indicator lamp shows."""

    lit: DigitalSignal = DigitalSignal()
    pressed: DigitalSignal = DigitalSignal(on_delay_s=DEBOUNCE_S, off_delay_s=DEBOUNCE_S)
    fault: DigitalSignal = DigitalSignal()


class IndicatorLamp(Table):
    """A lamp with a push button, as on an operator's panel."""

    slow_blink_s: Positive = 2.0
    """Period of `Blink` = 1: lit for the first half of it; our default."""
    fast_blink_s: Positive = 0.5
    """Period of `Blink` = 2; our default."""
    lit_time_out_s: Positive = 0.2
    """No current for so long while it should be lit, flashes added up, is a fault; our default."""
    press_time_out_s: Positive = 30.0
    """Pressed for so long is a fault; our default."""
    signals: LampSignals = LampSignals()
    """How its digital signals are wired."""


TABLES = {"indicator_lamp": IndicatorLamp}

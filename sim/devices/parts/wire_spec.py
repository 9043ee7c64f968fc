"""What a cell file may say about a digital signal's wire."""

from twincell.sim.spec.table import NotNegative, Table


class DigitalSignal(Table):
    """How a digital signal is wired."""

    inverted: bool = False
    """Whether the wire is true when the fact is not."""
    on_delay_s: NotNegative = 0.0
    """How long the fact must be there before the signal shows it; our default."""
    off_delay_s: NotNegative = 0.0
    """How long it must be gone before the signal shows it; our default."""

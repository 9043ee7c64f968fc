"""The controller's cycle counter: each new value of it, in handshake, is one cycle of the cell.

PLCs count with the numbers they have. Any whole number will do, and a negative one is what its
bits are as an unsigned one: so a DINT that wraps around goes on as a UDINT does.
"""

from asyncua import ua

from twincell.server.opcua.method.arguments import WHOLE
from twincell.server.opcua.space.namespaces import cell_id
from twincell.server.realtime.time_mode import TimeMode

COUNTER = cell_id("Simulation.CycleCounter")
LEAST, END = -(2**31), 2**32


def counter_of(wanted: ua.WriteValue, mode: TimeMode) -> int:
    """The counter that a client writes, 0 to 2³² - 1; raises Bad... when it cannot be taken."""
    variant = wanted.Value.Value
    if wanted.IndexRange:
        raise ua.uaerrors.BadIndexRangeNoData
    if variant.VariantType not in WHOLE or variant.is_array or variant.Value is None:
        raise ua.uaerrors.BadTypeMismatch
    if not LEAST <= variant.Value < END:
        raise ua.uaerrors.BadOutOfRange
    if mode is not TimeMode.HANDSHAKE:
        raise ua.uaerrors.BadInvalidState  # nobody would answer it
    return int(variant.Value) % END

"""Units as OPC UA names them: by the common code of UNECE recommendation 20.

The unit's number is its code, read as the bytes of a number: "MTR" = 0x4D5452 = 5067858.

    OPC UA part 8, 5.6.4.3 (EUInformation)
"""

from functools import cache
from typing import NamedTuple

from asyncua import ua

UNECE_URI = "http://www.opcfoundation.org/UA/units/un/cefact"


class Unit(NamedTuple):
    """A unit of UNECE recommendation 20."""

    code: str
    symbol: str
    name: str


UNITS = {  # by what the signals call them
    "m": Unit("MTR", "m", "metre"),
    "m/s": Unit("MTS", "m/s", "metre per second"),
    "rad": Unit("C81", "rad", "radian"),
    "rad/s": Unit("2A", "rad/s", "radian per second"),
    "N": Unit("NEW", "N", "newton"),
    "N.m": Unit("NU", "N·m", "newton metre"),
    "kg": Unit("KGM", "kg", "kilogram"),
    "s": Unit("SEC", "s", "second [unit of time]"),
    "ms": Unit("C26", "ms", "millisecond"),
    "us": Unit("B98", "µs", "microsecond"),
    "bar": Unit("BAR", "bar", "bar [unit of pressure]"),
    "1/s": Unit("C97", "s⁻¹", "reciprocal second"),
}


@cache
def engineering_unit(unit: str) -> ua.EUInformation:
    """What a client is told about a unit."""
    known = UNITS[unit]
    return ua.EUInformation(
        UNECE_URI,
        int.from_bytes(known.code.encode(), "big"),
        ua.LocalizedText(known.symbol),
        ua.LocalizedText(known.name),
    )

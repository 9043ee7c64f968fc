"""A wire: one value on its way from one side to the other, and what becomes of it.

    Boolean   true or false; not 0 of a whole number, or one bit of it; turned round by `invert`
    number    a whole number is rounded to the nearest; arrives as  scale * what left + offset
    String    as it is

A value that the other side has no room for is not carried, and told: the last good one stays there.
"""

import math
from dataclasses import dataclass
from typing import Any

from asyncua import ua

from twincell.server.client.values import WHOLE_NUMBERS
from twincell.sim.signals import Kind

LARGEST_FLOAT = 3.4028234663852886e38  # IEEE 754, 32 bits
INT32 = ua.VariantType.Int32
FLOATS = (ua.VariantType.Float, ua.VariantType.Double)

Value = bool | int | float | str


class Unfit(Exception):
    """A value cannot go over a wire; the text says why, `remedy` what would help."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.remedy = remedy


@dataclass(frozen=True)
class Wire:
    """What the cell file says about one value."""

    is_command: bool  # from the controller to the cell; else the other way
    node: str  # of the controller
    signal: str  # of the cell
    kind: Kind  # of that signal
    scale: float = 1.0
    offset: float = 0.0
    invert: bool = False
    bit: int | None = None  # of a whole number at the controller

    @property
    def name(self) -> str:
        """What to call it in a message."""
        bit = "" if self.bit is None else f" bit {self.bit}"
        ends = [f"{self.node}{bit}", self.signal]
        return " -> ".join(ends if self.is_command else reversed(ends))

    def check_type(self, type_: ua.VariantType) -> None:
        """Raise Unfit unless the controller's node can be an end of this wire."""
        is_whole, is_number = type_ in WHOLE_NUMBERS, type_ in WHOLE_NUMBERS or type_ in FLOATS
        fits = {
            Kind.BOOLEAN: is_whole if self.bit is not None else is_whole or type_.value == 1,
            Kind.INT32: is_number,
            Kind.UINT16: is_number,
            Kind.DOUBLE: is_number,
            Kind.STRING: type_ is ua.VariantType.String,
        }[self.kind]
        if not fits:
            wanted = "a whole number, as it has bits" if self.bit is not None else WANTED[self.kind]
            problem = f"is a {type_.name}, and {self.signal} a {self.kind}"
            raise Unfit(problem, f"name a node that is {wanted}")
        if self.bit is not None and self.bit >= WHOLE_NUMBERS[type_][0]:
            bits = WHOLE_NUMBERS[type_][0]
            raise Unfit(f"is a {type_.name} of {bits} bits", f"bit counts from 0 to {bits - 1}")

    def carried(self, found: Any) -> Value:
        """What a value is behind `bit`, `invert`, `scale` and `offset`; raises Unfit."""
        if found is None:
            raise Unfit("has no value yet", "give it one at the controller")
        if isinstance(found, list):
            raise Unfit("is an array", "name the node of one element")
        if self.kind is Kind.STRING:
            if not isinstance(found, str):
                raise Unfit("is no text", f"{self.signal} is one")
            return found
        if not isinstance(found, bool | int | float):
            raise Unfit("is no number", f"{self.signal} is a {self.kind}")
        if not math.isfinite(found):
            raise Unfit(f"is {found}", "mend the controller's program: a finite number is wanted")
        if self.kind is Kind.BOOLEAN:
            return self._truth(found) != self.invert
        if self.scale == 1.0 and self.offset == 0.0:
            return found  # a whole number stays exact
        scaled = found * self.scale + self.offset
        if not math.isfinite(scaled):
            raise Unfit(f"{found:g} is {scaled} behind scale and offset", "choose smaller ones")
        return scaled

    def _truth(self, found: bool | int | float) -> bool:
        if self.bit is None or not self.is_command:
            return bool(found)
        return bool(int(found) >> self.bit & 1)


WANTED = {
    Kind.BOOLEAN: "a Boolean or a whole number",
    Kind.INT32: "a number",
    Kind.UINT16: "a number",
    Kind.DOUBLE: "a number",
    Kind.STRING: "a String",
}
COMMAND_TYPES = {  # as our own server takes them
    Kind.BOOLEAN: ua.VariantType.Boolean,
    Kind.INT32: ua.VariantType.Int32,
    Kind.UINT16: ua.VariantType.UInt16,
    Kind.DOUBLE: ua.VariantType.Double,
}


def variant_of(value: Value, type_: ua.VariantType) -> ua.Variant:
    """A value as the type of the node that gets it; raises Unfit if it has no room."""
    if type_ is ua.VariantType.Boolean:
        return ua.Variant(bool(value), type_)
    if type_ in WHOLE_NUMBERS and not isinstance(value, str):
        bits, is_signed = WHOLE_NUMBERS[type_]
        whole = round(value)
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        if not least <= whole <= most:
            raise Unfit(f"{whole} is out of the range of {type_.name}", "choose scale and offset")
        return ua.Variant(whole, type_)
    if type_ is ua.VariantType.Float and not isinstance(value, str):
        if abs(value) > LARGEST_FLOAT:
            raise Unfit(f"{value:g} is out of the range of Float", "choose scale and offset")
        return ua.Variant(float(value), type_)
    if type_ is ua.VariantType.Double:
        return ua.Variant(float(value), type_)
    return ua.Variant(value, type_)


def word_of(bits: dict[int, bool], type_: ua.VariantType) -> ua.Variant:
    """A whole number with some of its bits set, the others 0."""
    width, is_signed = WHOLE_NUMBERS[type_]
    number = sum(1 << bit for bit, is_set in bits.items() if is_set)
    if is_signed and number >> (width - 1):
        number -= 1 << width  # the same bits
    return ua.Variant(number, type_)

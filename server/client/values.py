"""Values of OPC UA nodes as text, and texts as values of a node's data type."""

import math
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
from asyncua import ua

from twincell.server.opcua.space import layout

MOST_SHOWN = 8  # elements of an array; the rest is counted

STRUCTURES = {
    made.data_type: made
    for made in (layout.FRAME, layout.CARTESIAN, layout.ORIENTATION, layout.VECTOR)
}
WHOLE_NUMBERS = {  # bits, and whether there are negative ones
    ua.VariantType.SByte: (8, True),
    ua.VariantType.Byte: (8, False),
    ua.VariantType.Int16: (16, True),
    ua.VariantType.UInt16: (16, False),
    ua.VariantType.Int32: (32, True),
    ua.VariantType.UInt32: (32, False),
    ua.VariantType.Int64: (64, True),
    ua.VariantType.UInt64: (64, False),
}
YES, NO = ("true", "1", "on"), ("false", "0", "off")


class NotAValue(Exception):
    """A text does not say a value of the wanted type; the text of this says what would."""


def variant_of(text: str, data_type: ua.NodeId, value_rank: int) -> ua.Variant:
    """The value of a data type that a text says."""
    number = data_type.Identifier if data_type.NamespaceIndex == 0 else None
    if number in STRUCTURES:
        made = STRUCTURES[number]
        numbers = [_scalar(part, ua.VariantType.Double) for part in _elements(text)]
        if len(numbers) != made.count:
            raise NotAValue(f"a list of {made.count} numbers is wanted, such as [{_some(made)}]")
        return made.variant(np.array(numbers))
    try:
        type_ = ua.VariantType(number)
    except ValueError:
        raise NotAValue("values of its type cannot be written from here") from None
    if value_rank < 0:
        return ua.Variant(_scalar(text, type_), type_)
    return ua.Variant([_scalar(part, type_) for part in _elements(text)], type_, is_array=True)


def text_of(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, list):
        shown = [text_of(element) for element in value[:MOST_SHOWN]]
        rest = [f"... {len(value)} in all"] if len(value) > MOST_SHOWN else []
        return f"[{', '.join(shown + rest)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value + 0.0:.9g}"  # no -0
    if isinstance(value, ua.LocalizedText):
        return value.Text or ""
    if isinstance(value, ua.EUInformation):
        return text_of(value.DisplayName)
    if isinstance(value, ua.ThreeDFrame):
        return text_of(_numbers(value.CartesianCoordinates) + _numbers(value.Orientation))
    if isinstance(value, ua.ThreeDVector | ua.ThreeDCartesianCoordinates | ua.ThreeDOrientation):
        return text_of(_numbers(value))
    return "" if value is None else str(value)


def shown(answer: ua.DataValue) -> str:
    """A value that was read, or the status that tells why there is none."""
    status = answer.StatusCode or ua.StatusCode()
    if status.is_bad():
        return status.name
    value = text_of(answer.Value.Value if answer.Value is not None else None)
    return value if status.value == ua.StatusCodes.Good else f"{value} ({status.name})"


def time_of(moment: datetime | None) -> str:
    """A source time, in UTC with milliseconds."""
    if moment is None:
        return ""
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}"


def type_name(data_type: ua.NodeId, value_rank: int) -> str:
    """A data type as OPC UA calls it, with [] for an array."""
    name = ua.ObjectIdNames.get(data_type.Identifier, "") if data_type.NamespaceIndex == 0 else ""
    name = name.replace("ThreeD", "3D") or data_type.to_string()
    return name if value_rank < 0 else f"{name}[]"


def _elements(text: str) -> list[str]:
    """The parts of a list such as [1, 2, 3]."""
    inside = text.strip()
    if not (inside.startswith("[") and inside.endswith("]")):
        raise NotAValue("a list is wanted, such as [1, 2, 3]")
    return inside[1:-1].split(",") if inside[1:-1].strip() else []


def _scalar(text: str, type_: ua.VariantType) -> Any:
    text = text.strip()
    if type_ is ua.VariantType.Boolean:
        if text.lower() not in YES + NO:
            raise NotAValue("true or false is wanted")
        return text.lower() in YES
    if type_ in WHOLE_NUMBERS:
        return _whole_number(text, *WHOLE_NUMBERS[type_])
    if type_ in (ua.VariantType.Double, ua.VariantType.Float):
        return _number(text)
    if type_ is ua.VariantType.String:
        return text
    raise NotAValue("values of its type cannot be written from here")


def _whole_number(text: str, bits: int, is_signed: bool) -> int:
    least = -(2 ** (bits - 1)) if is_signed else 0
    most = 2 ** (bits - 1) - 1 if is_signed else 2**bits - 1
    try:
        number = int(text)
    except ValueError:
        raise NotAValue("a whole number is wanted") from None
    if not least <= number <= most:
        raise NotAValue(f"a whole number from {least} to {most} is wanted")
    return number


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise NotAValue("a number is wanted, such as 1.5") from None
    if not math.isfinite(number):
        raise NotAValue("a finite number is wanted")
    return number


def _numbers(structure: Any) -> list[float]:
    return [float(getattr(structure, field.name)) for field in fields(structure)]


def _some(made: layout.Layout) -> str:
    return ", ".join(["0"] * made.count)

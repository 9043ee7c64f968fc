"""Arguments of a method call, held against what the method declares.

PLCs send the numbers they have: a Float will do for a Double, and any whole number for another
type of whole number that it fits into.
"""

import math
from collections.abc import Sequence
from typing import Any

from asyncua import ua

Type = ua.VariantType
WHOLE = {
    Type.SByte: (-(2**7), 2**7),
    Type.Byte: (0, 2**8),
    Type.Int16: (-(2**15), 2**15),
    Type.UInt16: (0, 2**16),
    Type.Int32: (-(2**31), 2**31),
    Type.UInt32: (0, 2**32),
    Type.Int64: (-(2**63), 2**63),
    Type.UInt64: (0, 2**64),
}


class ArgumentsRefused(Exception):
    """Some arguments cannot be used; `codes` has a status for each of those given."""

    def __init__(self, codes: Sequence[int]) -> None:
        super().__init__(", ".join(ua.StatusCode(code).name for code in codes))
        self.codes = list(codes)


def out_of_range(number: int, count: int) -> ArgumentsRefused:
    """The refusal of one argument of several, for a method that knows its range."""
    codes = [ua.StatusCodes.Good] * count
    codes[number] = ua.StatusCodes.BadOutOfRange
    return ArgumentsRefused(codes)


def checked(declared: Sequence[ua.Argument], given: Sequence[ua.Variant]) -> list[Any]:
    """Values of all arguments; raises ArgumentsRefused, or Bad... when their number is wrong."""
    if len(given) < len(declared):
        raise ua.uaerrors.BadArgumentsMissing
    if len(given) > len(declared):
        raise ua.uaerrors.BadTooManyArguments
    values, codes = [], []
    for declaration, variant in zip(declared, given, strict=True):
        try:
            values.append(_value(declaration, variant))
        except ua.uaerrors.UaStatusCodeError as refusal:
            codes.append(refusal.code)
        else:
            codes.append(ua.StatusCodes.Good)
    if len(values) < len(given):
        raise ArgumentsRefused(codes)
    return values


def _value(declared: ua.Argument, given: ua.Variant) -> Any:
    is_array = declared.ValueRank >= 1
    wanted = variant_type(declared)
    if given.is_array != is_array or len(given.Dimensions or [0]) > 1:
        raise ua.uaerrors.BadTypeMismatch
    if not is_array:
        return _scalar(wanted, given.VariantType, given.Value)
    numbers = [_scalar(wanted, given.VariantType, one) for one in given.Value or ()]
    length = (declared.ArrayDimensions or [0])[0]
    if length and len(numbers) != length:
        raise ua.uaerrors.BadTypeMismatch
    return numbers


def _scalar(wanted: ua.VariantType, given: ua.VariantType, value: Any) -> Any:
    if wanted in WHOLE:
        if given not in WHOLE:
            raise ua.uaerrors.BadTypeMismatch
        low, end = WHOLE[wanted]
        if not low <= value < end:
            raise ua.uaerrors.BadOutOfRange
    elif wanted is Type.Double:
        if given not in (Type.Double, Type.Float):
            raise ua.uaerrors.BadTypeMismatch
        if not math.isfinite(value):
            raise ua.uaerrors.BadOutOfRange
    elif given is not wanted:
        raise ua.uaerrors.BadTypeMismatch
    return value


def variant_type(declared: ua.Argument) -> ua.VariantType:
    """Type of a value of a built-in data type."""
    return ua.VariantType(declared.DataType.Identifier)

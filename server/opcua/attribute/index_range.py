"""IndexRange: which elements of an array, or which part of a text, a client means.

    "2"      the element 2        "1:3"    the elements 1, 2 and 3        OPC UA part 4, 7.27

A range of several dimensions is well formed, but nothing here has several dimensions.
"""

import re
from dataclasses import replace

from asyncua import ua

RANGE = re.compile(r"(\d{1,10})(?::(\d{1,10}))?", re.ASCII)
SLICED_TYPES = (ua.VariantType.String, ua.VariantType.ByteString)


def parse(text: str) -> tuple[int, int]:
    """First element, and the one after the last; raises BadIndexRange..."""
    parts = [RANGE.fullmatch(part) for part in text.split(",")]
    bounds = []
    for part in parts:
        if part is None:
            raise ua.uaerrors.BadIndexRangeInvalid
        first = int(part[1])
        last = first if part[2] is None else int(part[2])
        if part[2] is not None and last <= first:
            raise ua.uaerrors.BadIndexRangeInvalid
        bounds.append((first, last + 1))
    if len(bounds) > 1:
        raise ua.uaerrors.BadIndexRangeNoData
    return bounds[0]


def part_of(variant: ua.Variant, text: str) -> ua.Variant:
    """The part of a value to read: as much of the range as there is; raises BadIndexRange..."""
    first, end = parse(text)
    is_one_row = variant.is_array and len(variant.Dimensions or [0]) == 1
    if not is_one_row and (variant.is_array or variant.VariantType not in SLICED_TYPES):
        raise ua.uaerrors.BadIndexRangeNoData
    part = (variant.Value or "")[first:end]
    if not part:
        raise ua.uaerrors.BadIndexRangeNoData
    return replace(variant, Value=part, Dimensions=None)

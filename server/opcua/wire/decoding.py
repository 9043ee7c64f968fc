"""Decode what a client sent, within a budget of work and memory.

asyncua decodes whatever a message claims: an array of four million Nulls takes five bytes, a
negative length moves backwards, thousands of dimensions take seconds. Here every read is counted
and nothing is read backwards. What no buffer can see is replaced inside asyncua: elements without
bytes are counted, an array has few dimensions, and no text or array is longer than we say.

Leans on: ua_binary.from_binary, Primitives.Null.unpack, _Bytes.unpack, _String.unpack,
unpack_uatype_array and _reshape; common.utils.Buffer.
"""

import struct
from collections.abc import Callable
from enum import IntFlag
from typing import Any, NamedTuple

from asyncua import ua
from asyncua.common.utils import Buffer, ServiceError
from asyncua.ua import ua_binary

PARTS_A_NULL = 10  # that an element without bytes counts as: a message can have any number
MOST_FLAGS = 1_000  # combinations of flags that are remembered; chosen
BYTES_A_PART = 64  # of long strings and arrays that count as one part
INT32 = struct.Struct("<i")
MOST_DIMENSIONS = 3  # chosen: no variable of a cell has more than one

# statuses of part 4 for numbers that are no member of an enumeration
ENUMERATIONS = {
    "TimestampsToReturn": ua.StatusCodes.BadTimestampsToReturnInvalid,
    "BrowseDirection": ua.StatusCodes.BadBrowseDirectionInvalid,
    "MonitoringMode": ua.StatusCodes.BadMonitoringModeInvalid,
    "MessageSecurityMode": ua.StatusCodes.BadSecurityModeRejected,
    "SecurityTokenRequestType": ua.StatusCodes.BadRequestTypeInvalid,
}


class Longest(NamedTuple):
    """How long a value may be."""

    array: int  # elements
    string: int  # bytes
    byte_string: int


ANY_LENGTH = Longest(2**31, 2**31, 2**31)


class TooMuch(ua.UaError):
    """A message decodes to more than it may."""

    def __str__(self) -> str:
        return "sends a message that decodes to more than it may"


class LimitedBuffer(Buffer):
    """Bytes to decode, and how many parts may still be read from them and their copies."""

    def __init__(
        self,
        data: bytes,
        most_parts: int,
        most_bytes: int,
        start: int = 0,
        size: int = -1,
        longest: Longest = ANY_LENGTH,
    ) -> None:
        super().__init__(data, start, size)
        self.longest = longest
        self._left = [most_parts]  # shared with copies
        self._most_bytes = most_bytes  # of one string or array

    def read(self, size: int) -> bytes:
        """Take bytes."""
        if size < 0:
            raise ValueError(f"a length of {size}")
        if size > self._most_bytes:
            raise TooMuch
        self._left[0] -= 1 + size // BYTES_A_PART
        if self._left[0] < 0:
            raise TooMuch
        return bytes(super().read(size))

    def allow(self, parts: int) -> None:
        """Begin with another budget."""
        self._left[0] = parts

    def spend(self, parts: int) -> None:
        """Count what is made without reading anything."""
        self._left[0] -= parts
        if self._left[0] < 0:
            raise TooMuch

    def copy(self, size: int = -1) -> "LimitedBuffer":
        """The next bytes as a buffer of their own, out of the same budget."""
        if size < -1:
            raise ValueError(f"a length of {size}")
        held = len(self)
        size = held if size == -1 or size > held else size
        part = LimitedBuffer(self._data, 0, self._most_bytes, self._cur_pos, size, self.longest)
        part._left = self._left
        return part

    def skip(self, size: int) -> None:
        """Pass over bytes."""
        if size < 0:
            raise ValueError(f"a length of {size}")
        super().skip(size)


def decoded(structure: Any, body: Buffer) -> Any:
    """A structure from a message; raises ServiceError when it makes no sense or is too much."""
    return _blaming_bytes(ua_binary.from_binary, structure, body)


def decoded_acknowledgements(body: Buffer) -> list[tuple[int, int]]:
    """The parameters of a Publish request, of which there are hundreds a second."""
    pairs: list[tuple[int, int]] = _blaming_bytes(_read_pairs, body)
    return pairs


def _blaming_bytes(read: Callable[..., Any], *arguments: Any) -> Any:
    try:
        result = read(*arguments)
        _forget_flags()
        return result
    except (TooMuch, RecursionError):
        raise ServiceError(ua.StatusCodes.BadEncodingLimitsExceeded) from None
    except Exception as error:  # whatever it stumbles over, these bytes are to blame
        raise ServiceError(_status(error)) from error


def _read_pairs(body: Buffer) -> list[tuple[int, int]]:
    (count,) = struct.unpack("<i", body.read(4))
    if count <= 0:
        return []
    numbers = struct.unpack(f"<{2 * count}I", body.read(8 * count))
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _status(error: Exception) -> int:
    """What part 4 calls an error of decoding."""
    if isinstance(error, ValueError) and error.args:
        # "7 is not a valid TimestampsToReturn"
        name = str(error.args[0]).rpartition(" ")[2]
        return int(ENUMERATIONS.get(name, ua.StatusCodes.BadDecodingError))
    return int(ua.StatusCodes.BadDecodingError)


def _read_null(data: Buffer) -> None:
    if isinstance(data, LimitedBuffer):
        data.spend(PARTS_A_NULL)


def _read_octets(data: Buffer, most: int) -> bytes | None:
    (length,) = INT32.unpack(data.read(INT32.size))
    if length == -1:
        return None
    if length > most:
        raise TooMuch
    return bytes(data.read(length))


def _read_byte_string(data: Buffer) -> bytes | None:
    longest = data.longest if isinstance(data, LimitedBuffer) else ANY_LENGTH
    return _read_octets(data, longest.byte_string)


def _read_string(data: Buffer) -> str | None:
    longest = data.longest if isinstance(data, LimitedBuffer) else ANY_LENGTH
    octets = _read_octets(data, longest.string)
    return None if octets is None else octets.decode("utf-8", errors="surrogateescape")


_read_array = ua_binary.unpack_uatype_array


def _read_short_array(type_: ua.VariantType, data: Buffer) -> list[Any] | None:
    if isinstance(data, LimitedBuffer):
        (length,) = INT32.unpack_from(data._data, data._cur_pos)
        if length > data.longest.array:
            raise TooMuch
    found: list[Any] | None = _read_array(type_, data)
    return found


def _flag_types() -> dict[type[IntFlag], dict[int, Any]]:
    """All types of flags, with the members that they have from the beginning."""
    return {
        one: dict(one._value2member_map_)
        for one in vars(ua).values()
        if isinstance(one, type) and issubclass(one, IntFlag)
    }


def _forget_flags() -> None:
    """Python remembers every combination of flags that it ever met, for ever."""
    for flags, members in _FLAGS.items():
        known: dict[int, Any] = flags._value2member_map_
        if len(known) > MOST_FLAGS:
            # a new one: another thread may be looking at the old one
            flags._value2member_map_ = dict(members)


_FLAGS = _flag_types()


_reshape = ua_binary._reshape


def _reshape_few(flat: list[Any], dimensions: list[int]) -> list[Any]:
    if len(dimensions) > MOST_DIMENSIONS or any(one < 0 for one in dimensions):
        raise ValueError(f"{len(dimensions)} dimensions")
    return list(_reshape(flat, dimensions))


ua_binary.Primitives.Null.unpack = _read_null
ua_binary._Bytes.unpack = staticmethod(_read_byte_string)
ua_binary._String.unpack = staticmethod(_read_string)
ua_binary.unpack_uatype_array = _read_short_array
ua_binary._reshape = _reshape_few
ua_binary.MAX_RESHAPE_ELEMENTS = 65_536

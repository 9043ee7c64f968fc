"""Samples as their encoding: numpy arrays whose memory is what goes over the wire.

    ClientHandle u32 | mask u8 | variant | [status u32] | [source time i64] | [server time i64]

One packed layout per type of value, status and choice of times. Text has no fixed size: its
notifications are put together one by one.                     OPC UA part 6, 5.2.2.17 (DataValue)
"""

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from twincell.server.opcua.space.layout import Layout, Values

GOOD = 0
HAS_VALUE, HAS_STATUS, HAS_SOURCE_TIME, HAS_SERVER_TIME = 1, 2, 4, 8


class Times(IntEnum):
    """Which times a client wants with a value; the numbers are OPC UA's."""

    SOURCE = 0
    SERVER = 1
    BOTH = 2
    NEITHER = 3


class SampleEncoder:
    """Encodes notifications of values of one layout."""

    def __init__(self, layout: Layout, times: Times) -> None:
        self._layout = layout
        self._times = times

    def array(
        self, handle: Any, values: Values, stamp: Any, status: int, now: int
    ) -> npt.NDArray[np.void]:
        """Notifications of fixed size, of the shape of `handle`."""
        type_, mask = _notification_type(self._layout, self._times, status != GOOD)
        encoded = np.empty(np.shape(handle), type_)
        encoded["handle"], encoded["mask"] = handle, mask
        encoded["head"] = np.void(self._layout.head)
        encoded["numbers"] = self._layout.numbers(values)
        _fill_tail(encoded, mask, stamp, status, now)
        return encoded

    def texts(
        self, handle: Any, texts: Sequence[str], stamp: Any, status: int, now: int
    ) -> list[bytes]:
        """Notifications of texts."""
        mask = _mask(self._times, status != GOOD)
        heads = np.empty(len(texts), _HEAD)
        heads["handle"], heads["mask"] = handle, mask
        tails = np.empty(len(texts), _tail_type(mask))
        _fill_tail(tails, mask, stamp, status, now)
        return [
            head.tobytes() + encoded_text(text) + tail.tobytes()
            for head, text, tail in zip(heads, texts, tails, strict=True)
        ]

    def without_value(self, handle: Any, status: int, now: int) -> npt.NDArray[np.void]:
        """Notifications that there is no value, and why."""
        mask = _mask(self._times, True) & ~HAS_VALUE
        encoded = np.empty(np.shape(handle), _HEAD.descr + _tail_type(mask).descr)
        encoded["handle"], encoded["mask"] = handle, mask
        _fill_tail(encoded, mask, now, status, now)
        return encoded


_HEAD = np.dtype([("handle", "<u4"), ("mask", "u1")])


def _mask(times: Times, with_status: bool) -> int:
    """Encoding mask of a DataValue with a value."""
    mask = HAS_VALUE | (HAS_STATUS if with_status else 0)
    if times in (Times.SOURCE, Times.BOTH):
        mask |= HAS_SOURCE_TIME
    if times in (Times.SERVER, Times.BOTH):
        mask |= HAS_SERVER_TIME
    return mask


def _tail_type(mask: int) -> np.dtype[np.void]:
    """What follows the value."""
    fields = [
        ("status", "<u4", HAS_STATUS),
        ("source_time", "<i8", HAS_SOURCE_TIME),
        ("server_time", "<i8", HAS_SERVER_TIME),
    ]
    return np.dtype([(name, type_) for name, type_, bit in fields if mask & bit])


def _fill_tail(encoded: npt.NDArray[np.void], mask: int, stamp: Any, status: int, now: int) -> None:
    if mask & HAS_STATUS:
        encoded["status"] = status
    if mask & HAS_SOURCE_TIME:
        encoded["source_time"] = stamp
    if mask & HAS_SERVER_TIME:
        encoded["server_time"] = now


@lru_cache
def _notification_type(
    layout: Layout, times: Times, with_status: bool
) -> tuple[np.dtype[np.void], int]:
    """Memory of a notification, and the mask of its DataValue."""
    mask = _mask(times, with_status)
    numbers = ("numbers", layout.number, (layout.count,))
    value: list[Any] = [("head", f"V{len(layout.head)}"), numbers]
    return np.dtype(_HEAD.descr + value + _tail_type(mask).descr), mask


@lru_cache(maxsize=4096)
def encoded_text(text: str) -> bytes:
    """A String variant."""
    data = text.encode("utf-8")
    return b"\x0c" + len(data).to_bytes(4, "little", signed=True) + data

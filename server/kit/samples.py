"""Samples out of a Publish response, without looking at them one by one.

A subscription brings hundreds of thousands of samples a second. Consecutive notifications of one
type of value have one size, so that a whole run of them is a numpy array already.

    ClientHandle u32 | mask u8 | type u8 | value | [status u32] | [source time i64] | ...
                                             OPC UA part 4, 5.13.5; part 6, 5.2.2.16 and 5.2.2.17
"""

import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from asyncua import ua

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

VALUE, STATUS, SOURCE_TIME, SERVER_TIME, SOURCE_PICO, SERVER_PICO = 1, 2, 4, 8, 16, 32
TEXT = 12
NUMBERS = {  # types of value, as OPC UA counts them
    1: "?",
    5: "<u2",
    6: "<i4",
    8: "<i8",
    10: "<f4",
    11: "<f8",
}
BAD = 0x8000_0000
OVERFLOW = 0x0000_0480  # samples were lost beside this one                  part 4, 7.39

DATA_CHANGE = struct.pack("<BBH", 1, 0, ua.ObjectIds.DataChangeNotification_Encoding_DefaultBinary)


class SamplesLost(Exception):
    """There is a gap in what the cell told: a trace with a hole proves nothing."""


class CellIsDown(Exception):
    """The values of the cell are bad: its process has ended, or has not begun."""


class Samples(NamedTuple):
    """What some items reported, each item's samples in order."""

    handle: Ints
    stamp: Ints  # source time, equal for all values of a tick
    value: Floats  # a text by its code


class Published(NamedTuple):
    """One answer to a Publish request."""

    number: int  # of the message, to be acknowledged
    samples: list[Samples]
    more: bool  # whether the next message waits already

    @property
    def is_empty(self) -> bool:
        """Whether it is but a sign of life."""
        return not self.samples


def opened(message: bytes, code_of: Callable[[str], int]) -> Published:
    """Cut a PublishResponse open; texts become the codes that `code_of` gives them."""
    at = 4 + 8 + 4 + 4 + 1 + 4 + 3  # type, header: time, handle, status, diagnostics, texts, rest
    _, available = struct.unpack_from("<Ii", message, at)
    at += 8 + 4 * max(available, 0)
    more, number, _, count = struct.unpack_from("<?Iqi", message, at)
    at += 17
    samples: list[Samples] = []
    for _ in range(count):
        kind, size = struct.unpack_from("<4sxi", message, at)
        if kind != DATA_CHANGE:
            raise CellIsDown("the server ended the subscription")
        samples += _runs(message[at + 9 : at + 9 + size], code_of)
        at += 9 + size
    return Published(number, samples, more)


def _runs(data: bytes, code_of: Callable[[str], int]) -> Iterator[Samples]:
    """The samples of a DataChangeNotification, run by run."""
    (left,) = struct.unpack_from("<i", data)
    at = 4
    while left > 0:
        _, mask, kind = struct.unpack_from("<IBB", data, at)
        if not mask & VALUE:
            raise CellIsDown("the cell's process is down")
        if kind == TEXT:
            sample, at = _text(data, at, code_of)
            yield sample
            left -= 1
            continue
        type_ = _notification_type(mask, NUMBERS[kind])
        longest = min(left, (len(data) - at) // type_.itemsize)
        run = np.frombuffer(data, type_, longest, at)
        same = (run["mask"] == mask) & (run["type"] == kind)
        length = longest if same.all() else int(np.argmin(same))
        run = run[:length]
        if mask & STATUS:
            for status in np.unique(run["status"]):
                _check(int(status))
        yield Samples(
            run["handle"].astype(np.int64),
            run["source_time"].astype(np.int64),
            run["value"].astype(np.float64),
        )
        left -= length
        at += length * type_.itemsize


def _text(data: bytes, at: int, code_of: Callable[[str], int]) -> tuple[Samples, int]:
    """One notification of a text, and where the next one begins."""
    handle, mask, _, size = struct.unpack_from("<IBBi", data, at)
    at += 10
    text = data[at : at + size].decode("utf-8") if size > 0 else ""
    at += max(size, 0)
    tail = np.frombuffer(data, _tail_type(mask), 1, at)
    if mask & STATUS:
        _check(int(tail["status"][0]))
    found = Samples(
        np.array([handle]), tail["source_time"].astype(np.int64), np.array([float(code_of(text))])
    )
    return found, at + tail.itemsize


def _check(status: int) -> None:
    if status & BAD and status != ua.StatusCodes.BadSensorFailure:  # that one has a value
        raise CellIsDown(f"the cell tells {ua.StatusCode(status).name}")
    if status & OVERFLOW == OVERFLOW:
        raise SamplesLost("samples were lost: they were not fetched in time")


def _tail_type(mask: int) -> np.dtype[np.void]:
    fields = (
        ("status", "<u4", STATUS),
        ("source_time", "<i8", SOURCE_TIME),
        ("source_pico", "<u2", SOURCE_PICO),
        ("server_time", "<i8", SERVER_TIME),
        ("server_pico", "<u2", SERVER_PICO),
    )
    return np.dtype([(name, type_) for name, type_, bit in fields if mask & bit])


@lru_cache
def _notification_type(mask: int, number: str) -> np.dtype[np.void]:
    head: list[Any] = [("handle", "<u4"), ("mask", "u1"), ("type", "u1"), ("value", number)]
    return np.dtype(head + _tail_type(mask).descr)

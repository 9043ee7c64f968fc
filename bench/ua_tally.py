"""Counts samples of Doubles as they arrive, and finds every one that is lost, double or late.

A DataChangeNotification of Doubles is a numpy array as it comes; no object is made of a value:

    count i32 | handle u32, mask u8, type u8, value f64, [status u32,] [source time i64,] ... | ...

The first item (handle 0) is Simulation.Time: it tells the tick of a source time. Between two
samples of an item lies exactly one tick. Where the loop has set its clock anew, source times jump;
that is no loss when the ticks go on and the jump is the same for all items.
"""

import struct
from collections import Counter
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

DOUBLE = 11
STATUS, SOURCE_TIME, SERVER_TIME = 2, 4, 8  # bits of a DataValue's mask, beside the value's
STEP_S = 0.001
TICK = 10_000  # of a source time, in 100 ns


@dataclass
class Count:
    """What was found; everything but `samples` and `clock_set` should be 0."""

    samples: int = 0
    odd_messages: int = 0  # with anything but good Doubles: an overflow, a Bad status
    lost: int = 0
    doubled: int = 0  # twice, or out of order
    clock_set: int = 0  # times the loop has set the source times anew

    @property
    def wrong(self) -> int:
        """How many samples did not come once and in order."""
        return self.odd_messages + self.lost + self.doubled

    @property
    def verdict(self) -> str:
        """The same in words."""
        if not self.wrong:
            return f"none of {self.samples} lost, double or out of order"
        lost = f"{self.lost} lost, {self.doubled} double or out of order"
        return f"{lost}, {self.odd_messages} messages with anything but good values"

    def plus(self, other: "Count") -> "Count":
        """Both together."""
        mine, theirs = asdict(self), asdict(other)
        return Count(**{name: mine[name] + theirs[name] for name in mine})


class Tally:
    """The samples of one subscription with handles 0 to n - 1."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._last = np.zeros(n, dtype=np.int64)  # newest source time of each item
        self._last_tick = -1
        self._jumps: Counter[tuple[int, int]] = Counter()  # source times with no tick in between
        self._lost_ticks = 0
        self._samples = 0
        self._odd = 0

    @property
    def samples(self) -> int:
        return self._samples

    @property
    def is_even(self) -> bool:
        """Whether all items have come equally far."""
        return bool((self._last == self._last[0]).all() and self._last[0] > 0)

    def take(self, body: bytes) -> None:
        """Count a DataChangeNotification."""
        (count,) = struct.unpack_from("<i", body)
        items = np.frombuffer(body, _item_type(body[8]), count, 4) if _fits(body, count) else None
        if items is None or not _are_good_doubles(items):
            self._odd += 1
            return
        self._samples += count
        order = np.argsort(items["handle"].astype(np.uint16), kind="stable")  # a radix sort
        handle, stamp = items["handle"][order], items["source_time"][order]
        begins = np.concatenate([[True], handle[1:] != handle[:-1]])
        before = np.concatenate([[0], stamp[:-1]])
        before[begins] = self._last[handle[begins]]
        jumped = (stamp - before != TICK) & (before > 0)
        if jumped.any():
            self._jumps.update(zip(before[jumped].tolist(), stamp[jumped].tolist(), strict=True))
        self._look_at_clock(items["value"][order][handle == 0])
        ends = np.concatenate([begins[1:], [True]])
        self._last[handle[ends]] = stamp[ends]

    def count(self) -> Count:
        """What was found so far."""
        allowed = self._jumps if self._lost_ticks == 0 else Counter()
        shared = {jump for jump, items in allowed.items() if items == self._n and jump[1] > jump[0]}
        rest = [(jump, items) for jump, items in self._jumps.items() if jump not in shared]
        silent = int((self._last == 0).sum())
        lost = sum(max(1, (b - a) // TICK - 1) * items for (a, b), items in rest if b > a)
        return Count(
            samples=self._samples,
            odd_messages=self._odd,
            lost=lost + silent,
            doubled=sum(items for (a, b), items in rest if b <= a),
            clock_set=len(shared),
        )

    def _look_at_clock(self, times_s: npt.NDArray[np.float64]) -> None:
        """See that the ticks of Simulation.Time follow one another."""
        ticks = np.rint(times_s / STEP_S).astype(np.int64)
        if not len(ticks):
            return
        if self._last_tick >= 0:
            ticks = np.concatenate([[self._last_tick], ticks])
        self._lost_ticks += int((np.diff(ticks) != 1).sum())
        self._last_tick = int(ticks[-1])


def _fits(body: bytes, count: int) -> bool:
    """Whether all items of a notification have the size of its first."""
    return count > 0 and len(body) == 4 + count * _item_type(body[8]).itemsize + 4


def _are_good_doubles(items: npt.NDArray[np.void]) -> bool:
    mask, names = items["mask"], items.dtype.names or ()
    alike = (mask == mask[0]).all() and (items["type"] == DOUBLE).all() and mask[0] & SOURCE_TIME
    return bool(alike and ("status" not in names or not items["status"].any()))


@lru_cache
def _item_type(mask: int) -> np.dtype[np.void]:
    """A MonitoredItemNotification with a Double."""
    fields = [("handle", "<u4"), ("mask", "u1"), ("type", "u1"), ("value", "<f8")]
    fields += [("status", "<u4")] if mask & STATUS else []
    fields += [("source_time", "<i8")] if mask & SOURCE_TIME else []
    fields += [("server_time", "<i8")] if mask & SERVER_TIME else []
    return np.dtype(fields)

"""Every sample of many variables, straight from the ring to the wire.

Monitored items whose values look alike and are sampled at the same ticks form a group. Nothing
happens on a tick. When the subscription publishes, the group takes all rows since it last did as
one block of numbers and decides, for all items at once, which samples are reported:

    Status                 status differs from what was last reported
    StatusValue            ... or the value differs from the last reported one
    with a deadband d      ... or |value - last reported| > d, in any of its numbers
    StatusValueTimestamp   every sample, since no two have the same time

Of these, each item keeps as many as its queue holds; where some were lost, the one beside the gap
carries the overflow bit. When the status of all values changes, each item reports that as well,
once, after its samples.
                                                          OPC UA part 4, 5.12.1 and 7.22.2
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from server.opcua.layout import Layout, Shape, Values
from server.opcua.notification import Encoded
from server.opcua.sample_encoding import GOOD, SampleEncoder, Times
from server.opcua.variable import Variable
from server.realtime.ring import Ints, Ring

Bools = npt.NDArray[np.bool_]
Items = npt.NDArray[np.void]

OVERFLOW = 0x0000_0480  # InfoType DataValue, Overflow                    part 4, 7.39
IS_BAD = 0x8000_0000  # bit of a status
NOTHING_REPORTED = 0xFFFF_FFFF  # stands for the status of an item that is still silent
MOST_NUMBERS = 4_000_000  # looked at together; chosen: 32 MB


class Trigger(IntEnum):
    """What is worth a notification; the numbers are OPC UA's."""

    STATUS = 0
    STATUS_VALUE = 1
    STATUS_VALUE_TIMESTAMP = 2


class Asked(NamedTuple):
    """What a client asked of one monitored item, after revision."""

    number: int  # id of the monitored item
    variable: Variable
    handle: int  # the client's own number for it
    times: Times
    period: int  # in ticks
    queue: int  # samples that may wait
    discard_oldest: bool
    trigger: Trigger
    deadband: float  # 0 for none


class Moment(NamedTuple):
    """The cell at one moment, the same for all items that publish together."""

    end: int  # number of the row after the newest
    status: int  # of all values: Good while the loop runs
    now: int  # server time


class Kept(NamedTuple):
    """Samples that are reported."""

    values: Values  # (n, m, columns)
    stamp: Ints  # (n,)
    which: Bools  # (n, m)
    before_gap: Bools | None  # of these: the last ones before a loss    (n, m)
    after_gap: Bools | None  # of these: the first ones after a loss     (n, m)


class Group:
    """Monitored items of one layout, one sampling period and one choice of times."""

    def __init__(self, layout: Layout, times: Times, period: int, ring: Ring) -> None:
        self._layout = layout
        self._encoder = SampleEncoder(layout, times)
        self._period = period
        self._ring = ring
        self._texts: dict[int, tuple[str, ...]] = {}  # of String items, by their number
        self.items: Items = np.zeros(0, _item_type(layout.columns))

    def __len__(self) -> int:
        return len(self.items)

    def add(self, asked: Sequence[Asked], moment: Moment) -> None:
        """Begin to sample; the newest row is the first sample, whatever the period."""
        new = np.zeros(len(asked), self.items.dtype)
        new["status"] = NOTHING_REPORTED
        # while the loop is down its last row is no sample: that it is down will be reported
        is_good = moment.status == GOOD
        newest = max(moment.end - 1, 0)
        new["next"], new["first"] = (newest, newest) if is_good else (moment.end, -1)
        for item, ask in zip(new, asked, strict=True):
            item["number"], item["columns"] = ask.number, ask.variable.columns
            self._texts[ask.number] = ask.variable.texts
            _set_rules(item, ask)
        self.items = np.concatenate([self.items, new])

    def remove(self, number: int) -> Items:
        """Stop sampling an item; returns it, for another group of the same layout."""
        mine = self.items["number"] == number
        removed, self.items = self.items[mine], self.items[~mine]
        del self._texts[number]
        return removed

    def adopt(self, item: Items, asked: Asked) -> None:
        """Take over an item from another group; what it has reported stays reported."""
        self._texts[asked.number] = asked.variable.texts
        _set_rules(item[0], asked)
        self.items = np.concatenate([self.items, item])

    def report_again(self) -> None:
        """Let every item report its next sample, or the newest if there is none."""
        self.items["status"] = NOTHING_REPORTED

    def take(self, moment: Moment) -> tuple[list[Encoded], set[int]]:
        """All notifications that are due, encoded; and the numbers of the items that report."""
        blocks: list[Encoded] = []
        reporting: set[int] = set()
        for part in self._parts(moment):
            kept = self._kept(part, moment)
            if kept is not None:
                reporting.update(part["number"][kept.which.any(axis=0)].tolist())
                blocks += self._encoded(part, kept, moment)
            silent = part["status"] != moment.status
            if silent.any() and (moment.end or moment.status != GOOD):
                reporting.update(part["number"][silent].tolist())
                blocks.append(self._encoded_now(part, silent, moment))
        return blocks, reporting

    def _parts(self, moment: Moment) -> Iterator[Items]:
        """The items in portions, so that a client that was away long needs no more memory."""
        if not len(self.items):
            return
        rows = max(1, moment.end - int(self.items["next"].min()))
        size = max(1, MOST_NUMBERS // (rows * self._layout.columns))
        for first in range(0, len(self.items), size):
            yield self.items[first : first + size]

    def _kept(self, items: Items, moment: Moment) -> Kept | None:
        """What the items keep of the rows since they last looked."""
        first = int(items["next"].min())
        if first >= moment.end:
            return None
        rows = self._ring.read(first, moment.end, items["columns"].ravel())
        number = np.arange(rows.first, rows.first + len(rows.stamp))
        values = rows.values.reshape(len(number), len(items), -1)
        stamp = rows.stamp
        items["lost"] |= self._next_sample(items) < rows.first
        sampled = None
        if (items["next"] == first).all() and (items["first"] < 0).all():
            at = slice(-rows.first % self._period, None, self._period)
            number, values, stamp = number[at], values[at], stamp[at]
        else:
            sampled = (number % self._period == 0)[:, None] | (number[:, None] == items["first"])
            sampled &= number[:, None] >= items["next"]
        items["next"], items["first"] = moment.end, -1
        if not len(number):
            return None
        return Kept(values, stamp, *_within_queues(items, _reported(items, values, sampled)))

    def _next_sample(self, items: Items) -> Ints:
        """Row of each item's next sample."""
        in_step = -(-items["next"] // self._period) * self._period
        return np.where(items["first"] >= 0, items["first"], in_step)

    def _encoded(self, items: Items, kept: Kept, moment: Moment) -> list[Encoded]:
        """Encode; a sample beside a gap stands before or after the others of its item."""
        values, stamp, which, before_gap, after_gap = kept
        if before_gap is None or after_gap is None:
            if which.all() and self._layout.shape is not Shape.TEXT:
                handle = np.broadcast_to(items["handle"], which.shape)
                stamps = np.broadcast_to(stamp[:, None], which.shape)
                return [self._encoder.array(handle, values, stamps, GOOD, moment.now).ravel()]
            before_gap = after_gap = np.zeros_like(which)

        def encode(which: Bools, status: int) -> Encoded:
            row, item = np.nonzero(which)
            return self._encode(items[item], values[row, item], stamp[row], status, moment)

        plain = which & ~before_gap & ~after_gap
        parts = (after_gap, OVERFLOW), (plain, GOOD), (before_gap, OVERFLOW)
        return [encode(part, status) for part, status in parts if part.any()]

    def _encoded_now(self, items: Items, silent: Bools, moment: Moment) -> Encoded:
        """How items stand now that have not said so: without a value when bad."""
        items["status"][silent] = moment.status
        picked = items[silent]
        if moment.status & IS_BAD or not moment.end:
            return self._encoder.without_value(picked["handle"], moment.status, moment.now)
        row = self._ring.read(moment.end - 1, moment.end)
        values = row.values[0][picked["columns"]]
        items["last"][silent] = values
        return self._encode(picked, values, row.stamp[0], moment.status, moment)

    def _encode(
        self, items: Items, values: Values, stamp: Any, status: int, moment: Moment
    ) -> Encoded:
        handle = items["handle"]
        if self._layout.shape is not Shape.TEXT:
            return self._encoder.array(handle, values, stamp, status, moment.now)
        coded = zip(items["number"].tolist(), values[:, 0].tolist(), strict=True)
        texts = [self._texts[number][int(code)] for number, code in coded]
        return self._encoder.texts(handle, texts, stamp, status, moment.now)


def _reported(items: Items, values: Values, sampled: Bools | None) -> Bools:
    """Which samples (n, m) are worth a notification; brings `last` and `status` up to date."""
    if sampled is not None or (items["deadband"] > 0.0).any():
        return _reported_one_by_one(items, values, sampled)
    every = items["trigger"] == Trigger.STATUS_VALUE_TIMESTAMP
    status_only = items["trigger"] == Trigger.STATUS
    if every.all():
        reported = np.ones(values.shape[:2], dtype=bool)
    else:
        reported = np.empty(values.shape[:2], dtype=bool)
        reported[0] = (values[0] != items["last"]).any(axis=-1)
        reported[1:] = (values[1:] != values[:-1]).any(axis=-1)
        reported[:, status_only] = False
        reported[:, every] = True
        reported[0, items["status"] != GOOD] = True
    # all others have reported their last value, or it was the same
    items["last"][~status_only] = values[-1, ~status_only]
    items["last"][reported[0] & status_only] = values[0, reported[0] & status_only]
    items["status"] = GOOD
    return reported


def _reported_one_by_one(items: Items, values: Values, sampled: Bools | None) -> Bools:
    """The same, sample by sample: for deadbands, and where items are sampled at different rows."""
    reported = np.zeros(values.shape[:2], dtype=bool)
    last, deadband = items["last"], items["deadband"]
    with_value = items["trigger"] != Trigger.STATUS
    every = (items["trigger"] == Trigger.STATUS_VALUE_TIMESTAMP) & (deadband == 0.0)
    for row, sample in enumerate(values):
        far = (np.abs(sample - last) > deadband[:, None]).any(axis=-1)
        other = np.where(deadband > 0.0, far, (sample != last).any(axis=-1))
        due = (other & with_value) | every | (items["status"] != GOOD)
        if sampled is not None:
            due &= sampled[row]
        reported[row] = due
        last[due] = sample[due]
        items["status"][due] = GOOD
    return reported


def _within_queues(items: Items, reported: Bools) -> tuple[Bools, Bools | None, Bools | None]:
    """What queues keep of the reported samples; of these, the ones before and after a loss."""
    queue, lost = items["queue"], items["lost"]
    if not lost.any() and len(reported) <= int(queue.min()):
        return reported, None, None
    full = reported.sum(axis=0) > queue
    if not lost.any() and not full.any():
        return reported, None, None
    from_start = np.cumsum(reported, axis=0)
    from_end = np.cumsum(reported[::-1], axis=0)[::-1]
    drops_oldest = items["discard_oldest"] | (queue == 1)
    newest = from_end <= queue
    # the newest one always takes the last place
    oldest = (from_start < queue) | (from_end == 1)
    kept = reported & np.where(drops_oldest, newest, oldest)
    # rows that the ring has lost were older than all that are left
    after_gap = kept & (np.cumsum(kept, axis=0) == 1) & (lost | (full & drops_oldest))
    before_gap = kept & (from_end == 1) & full & ~drops_oldest & ~after_gap
    items["lost"] &= ~kept.any(axis=0)
    is_told = queue > 1  # whoever has no queue wants the newest value only
    return kept, before_gap & is_told, after_gap & is_told


def _set_rules(item: Any, ask: Asked) -> None:
    item["handle"], item["queue"] = ask.handle, ask.queue
    item["discard_oldest"] = ask.discard_oldest
    item["trigger"], item["deadband"] = ask.trigger, ask.deadband


def _item_type(columns: int) -> np.dtype[np.void]:
    """The state of an item in a group."""
    return np.dtype(
        [
            ("number", "u4"),
            ("handle", "u4"),
            ("queue", "i8"),
            ("discard_oldest", "?"),
            ("trigger", "u1"),
            ("deadband", "f8"),
            ("next", "i8"),  # first row that was not looked at yet
            ("first", "i8"),  # row of the first sample, -1 once it was taken
            ("lost", "?"),  # samples that were not looked at in time, since it last reported
            ("status", "u4"),  # last reported
            ("columns", "i8", (columns,)),
            ("last", "f8", (columns,)),  # value last reported
        ]
    )

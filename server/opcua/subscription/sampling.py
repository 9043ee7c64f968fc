"""Every sample of many variables, straight from the ring to the wire.

Monitored items whose values look alike and are sampled at the same ticks form a group. Nothing
happens on a tick. When the subscription publishes, the group takes all rows since it last did as
one block of numbers, sees for all items at once which samples are reported (sample_choice), and
encodes these (sample_encoding). When the status of all values changes, each item reports that as
well, once, after its samples.
                                                                  OPC UA part 4, 5.12.1
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from twincell.server.opcua.space.layout import Layout, Shape, Values
from twincell.server.opcua.space.variable import Variable
from twincell.server.opcua.subscription.notification import Encoded
from twincell.server.opcua.subscription.sample_choice import (
    Bools,
    Items,
    Trigger,
    item_type,
    reported_samples,
    within_queues,
)
from twincell.server.opcua.subscription.sample_encoding import GOOD, SampleEncoder, Times
from twincell.server.opcua.subscription.sample_losses import SampleLosses
from twincell.server.realtime.shared.ring import Ints, Ring, Row

OVERFLOW = 0x0000_0480  # InfoType DataValue, Overflow                    part 4, 7.39
IS_BAD = 0x8000_0000  # bit of a status
NOTHING_REPORTED = 0xFFFF_FFFF  # stands for the status of an item that is still silent
MOST_NUMBERS = 60_000  # looked at in one go: some 12 ms, and three megabytes; measured


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
    of_samples: int = GOOD  # status of the rows before `end`, whatever has become of the loop since


class Kept(NamedTuple):
    """Samples that are reported."""

    values: Values  # (n, m, columns)
    stamp: Ints  # (n,)
    which: Bools  # (n, m)
    before_gap: Bools | None  # of these: the last ones before a loss    (n, m)
    after_gap: Bools | None  # of these: the first ones after a loss     (n, m)


class Group:
    """Monitored items of one layout, one sampling period and one choice of times."""

    def __init__(
        self,
        layout: Layout,
        times: Times,
        period: int,
        ring: Ring,
        losses: SampleLosses | None = None,
    ) -> None:
        self._layout = layout
        self._losses = losses or SampleLosses()
        self._encoder = SampleEncoder(layout, times)
        self._period = period
        self._ring = ring
        self._texts: dict[int, tuple[str, ...]] = {}  # of String items, by their number
        self._table: Items = np.zeros(4, item_type(layout.columns))  # longer than there are items
        self._places: dict[int, int] = {}  # of items in the table, by their number

    def __len__(self) -> int:
        return len(self._places)

    @property
    def items(self) -> Items:
        """The state of all items."""
        return self._table[: len(self)]

    @property
    def width(self) -> int:
        """Numbers that its items take from each row."""
        return len(self) * self._layout.columns

    @property
    def first(self) -> int:
        """The oldest row that one of its items has yet to look at."""
        return int(self.items["next"].min())

    def add(self, asked: Asked, moment: Moment) -> None:
        """Begin to sample; the newest row is the first sample, whatever the period."""
        item = np.zeros(1, self._table.dtype)
        item["number"], item["columns"] = asked.number, asked.variable.columns
        item["status"] = NOTHING_REPORTED
        # while the loop is down its last row is no sample: that it is down will be reported
        newest = max(moment.end - 1, 0)
        is_good = moment.status == moment.of_samples
        item["next"], item["first"] = (newest, newest) if is_good else (moment.end, -1)
        self.adopt(item, asked)

    def adopt(self, item: Items, asked: Asked) -> None:
        """Take over an item from another group; what it has reported stays reported."""
        place = len(self)
        if place == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        _set_rules(item[0], asked)
        self._table[place] = item[0]
        self._places[asked.number] = place
        self._texts[asked.number] = asked.variable.texts

    def remove(self, number: int) -> Items:
        """Stop sampling an item; returns it, for another group of the same layout."""
        place, last = self._places.pop(number), len(self._places)
        removed = self._table[place : place + 1].copy()
        if place < last:  # the last one fills the gap
            self._table[place] = self._table[last]
            self._places[int(self._table["number"][place])] = place
        del self._texts[number]
        return removed

    def report_again(self) -> None:
        """Let every item report its next sample, or the newest if there is none."""
        self.items["status"] = NOTHING_REPORTED

    def take(self, moment: Moment) -> tuple[list[Encoded], set[int]]:
        """All notifications that are due, encoded; and the numbers of the items that report."""
        blocks: list[Encoded] = []
        reporting: set[int] = set()
        for some, numbers in self.take_by_parts(moment):
            blocks += some
            reporting |= numbers
        return blocks, reporting

    def take_by_parts(self, moment: Moment) -> Iterator[tuple[list[Encoded], set[int]]]:
        """The same, of some items after the others: what is due in between can go first."""
        for part in self._parts(moment):
            blocks: list[Encoded] = []
            reporting: set[int] = set()
            kept = self._kept(part, moment)
            if kept is not None:
                reporting.update(part["number"][kept.which.any(axis=0)].tolist())
                blocks += self._encoded(part, kept, moment)
            silent = self._silent(part, moment)
            if silent.any() and (moment.end or moment.status != GOOD):
                reporting.update(part["number"][silent].tolist())
                blocks.append(self._encoded_now(part, silent, moment))
            yield blocks, reporting

    def _parts(self, moment: Moment) -> Iterator[Items]:
        """The items in portions, so that a client that was away long holds nobody up.

        Meanwhile there may come others, which are last, and some may go.
        """
        if not len(self.items):
            return
        rows = max(1, min(moment.end - self.first, self._ring.readable))
        size = max(1, MOST_NUMBERS // (rows * self._layout.columns))
        first = 0
        while first < len(self.items):
            yield self.items[first : first + size]
            first += size

    def _kept(self, items: Items, moment: Moment) -> Kept | None:
        """What the items keep of the rows since they last looked."""
        first = int(items["next"].min())
        if first >= moment.end:
            return None
        rows = self._ring.read(first, moment.end, items["columns"].ravel())
        if not len(rows.stamp):  # all of them have left the ring: the next look begins later
            return None
        number = np.arange(rows.first, rows.first + len(rows.stamp))
        values = rows.values.reshape(len(number), len(items), -1)
        stamp = rows.stamp
        wanted = self._next_sample(items)
        is_late = wanted < rows.first
        if is_late.any():
            items["lost"] |= is_late
            self._losses.count_overtaken(items, wanted, rows.first, self._period)
        sampled = None
        if (items["next"] == first).all() and (items["first"] < 0).all():
            at = slice(-rows.first % self._period, None, self._period)
            number, values, stamp = number[at], values[at], stamp[at]
        else:
            sampled = (number % self._period == 0)[:, None] | (number[:, None] == items["first"])
            sampled &= number[:, None] >= items["next"]
        items["first"][items["next"] < moment.end] = -1
        items["next"] = np.maximum(items["next"], moment.end)
        lost = self._lost(number)
        if lost is not None:
            number, values, stamp = number[~lost], values[~lost], stamp[~lost]
            sampled = None if sampled is None else sampled[~lost]
        if not len(number):
            return None
        reported = reported_samples(items, values, sampled, moment.of_samples)
        kept, before_gap, after_gap = within_queues(items, reported)
        if kept is not reported:
            self._losses.count_dropped(items, reported, kept)
        return Kept(values, stamp, kept, before_gap, after_gap)

    def _lost(self, number: Ints) -> Bools | None:
        """Which rows are no samples of any item; None if there are none."""
        return None

    def _silent(self, items: Items, moment: Moment) -> Bools:
        """Items that have not said how they stand; before their first sample they need not."""
        silent: Bools = (items["status"] != moment.status) & (items["first"] < 0)
        return silent

    def _next_sample(self, items: Items) -> Ints:
        """Row of each item's next sample."""
        in_step = -(-items["next"] // self._period) * self._period
        return np.where(items["first"] >= 0, items["first"], in_step)

    def _encoded(self, items: Items, kept: Kept, moment: Moment) -> list[Encoded]:
        """Encode; a sample beside a gap stands before or after the others of its item."""
        values, stamp, which, before_gap, after_gap = kept
        good = moment.of_samples
        if before_gap is None or after_gap is None:
            if which.all() and self._layout.shape is not Shape.TEXT:
                handle = np.broadcast_to(items["handle"], which.shape)
                stamps = np.broadcast_to(stamp[:, None], which.shape)
                return [self._encoder.array(handle, values, stamps, good, moment.now).ravel()]
            before_gap = after_gap = np.zeros_like(which)

        def encode(which: Bools, status: int) -> Encoded:
            row, item = np.nonzero(which)
            return self._encode(items[item], values[row, item], stamp[row], status, moment)

        plain = which & ~before_gap & ~after_gap
        overflow = good | OVERFLOW
        parts = (after_gap, overflow), (plain, good), (before_gap, overflow)
        return [encode(part, status) for part, status in parts if part.any()]

    def _encoded_now(self, items: Items, silent: Bools, moment: Moment) -> Encoded:
        """How items stand now that have not said so."""
        items["status"][silent] = moment.status
        picked = items[silent]
        row = self._shown(moment)
        if row is None:
            return self._encoder.without_value(picked["handle"], moment.status, moment.now)
        values = row.values[picked["columns"]]
        items["last"][silent] = values
        return self._encode(picked, values, row.stamp, moment.status, moment)

    def _shown(self, moment: Moment) -> Row | None:
        """The newest row; none when there is no value."""
        if moment.status & IS_BAD or not moment.end:
            return None
        rows = self._ring.read(moment.end - 1, moment.end)
        return Row(rows.values[0], int(rows.stamp[0]))

    def _encode(
        self, items: Items, values: Values, stamp: Any, status: int, moment: Moment
    ) -> Encoded:
        handle = items["handle"]
        if self._layout.shape is not Shape.TEXT:
            return self._encoder.array(handle, values, stamp, status, moment.now)
        coded = zip(items["number"].tolist(), values[:, 0].tolist(), strict=True)
        texts = [self._texts[number][int(code)] for number, code in coded]
        return self._encoder.texts(handle, texts, stamp, status, moment.now)


def _set_rules(item: Any, ask: Asked) -> None:
    item["handle"], item["queue"] = ask.handle, ask.queue
    item["discard_oldest"] = ask.discard_oldest
    item["trigger"], item["deadband"] = ask.trigger, ask.deadband

"""What monitored items report, item by item and sample by sample, as OPC UA part 4 tells it.

Slow and plain: no numpy, no groups, no encoding. The real thing must come to the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from twincell.server.opcua.subscription.sample_choice import Trigger
from twincell.server.opcua.subscription.sample_encoding import Times
from twincell.server.opcua.subscription.sampling import Asked, Moment

GOOD = 0
OVERFLOW = 0x480


class Row(NamedTuple):
    stamp: int
    values: Sequence[float]


class Notice(NamedTuple):
    """One notification; what is not sent is None."""

    status: int
    value: tuple[float, ...] | None
    source_time: int | None
    server_time: int | None


@dataclass
class Entry:
    """A sample in the queue of an item."""

    value: tuple[float, ...]
    stamp: int
    overflow: bool = False


@dataclass
class OracleItem:
    """One monitored item."""

    asked: Asked
    next: int  # row that it has not seen
    first: int | None  # row of its first sample, whatever the period
    status: int | None = None  # that it last reported
    last: tuple[float, ...] = ()  # value that it last put into its queue
    lost: bool = False
    queue: list[Entry] = field(default_factory=list)

    @classmethod
    def created(cls, asked: Asked, moment: Moment) -> "OracleItem":
        """The newest row is the first sample, if its values are good."""
        if moment.status == GOOD:
            return cls(asked, moment.end - 1, moment.end - 1)
        return cls(asked, moment.end, None)

    def take(self, rows: Sequence[Row], oldest: int, moment: Moment) -> list[Notice]:
        """What it reports of the rows since it was last asked; `oldest` can still be read."""
        for number in range(self.next, moment.end):
            if number % self.asked.period != 0 and number != self.first:
                continue
            if number < oldest:
                self.lost = True
                continue
            value = tuple(rows[number].values[c] for c in self.asked.variable.columns)
            if self._is_worth_it(value):
                self.last, self.status = value, GOOD
                self._put(Entry(value, rows[number].stamp))
        self.next, self.first = moment.end, None
        notices = [
            self._notice(e.value, e.stamp, OVERFLOW * e.overflow, moment) for e in self.queue
        ]
        self.queue.clear()
        if self.status != moment.status:
            notices.append(self._standing(rows, moment))
        return notices

    def _is_worth_it(self, value: tuple[float, ...]) -> bool:
        """7.22.2: DataChangeFilter."""
        if self.status != GOOD:
            return True
        if self.asked.trigger is Trigger.STATUS:
            return False
        if self.asked.deadband > 0.0:
            pairs = zip(value, self.last, strict=True)
            return any(abs(new - old) > self.asked.deadband for new, old in pairs)
        return self.asked.trigger is Trigger.STATUS_VALUE_TIMESTAMP or value != self.last

    def _put(self, entry: Entry) -> None:
        """5.12.1.5: queue parameters."""
        size = self.asked.queue
        entry.overflow = self.lost and size > 1
        self.lost = False
        if len(self.queue) < size:
            self.queue.append(entry)
        elif size == 1:
            self.queue[0] = entry
        elif self.asked.discard_oldest:
            self.queue = [*self.queue[1:], entry]
            self.queue[0].overflow = True
        else:
            entry.overflow = True
            self.queue[-1] = entry

    def _standing(self, rows: Sequence[Row], moment: Moment) -> Notice:
        """How it stands, when the status of all values has changed."""
        self.status = moment.status
        if moment.status & 0x8000_0000:
            return self._notice(None, moment.now, moment.status, moment)
        newest = rows[moment.end - 1]
        self.last = tuple(newest.values[c] for c in self.asked.variable.columns)
        return self._notice(self.last, newest.stamp, moment.status, moment)

    def _notice(
        self, value: tuple[float, ...] | None, stamp: int, status: int, moment: Moment
    ) -> Notice:
        times = self.asked.times
        return Notice(
            status,
            value,
            stamp if times in (Times.SOURCE, Times.BOTH) else None,
            moment.now if times in (Times.SERVER, Times.BOTH) else None,
        )

"""Commands on their way from the server to the tick.

One Write request is one batch. A tick latches a batch as a whole; of several batches it latches as
many as do not change a command a second time: that change waits for the next tick, so that a pulse
of one tick is never lost. One writer (the OPC UA process), one reader (the loop).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from twincell.server.realtime.shared.ring import Floats, Ints

CAPACITY = 65_536  # entries; chosen: a thousand commands written every tick for 65 ms
TIMELINE_OFF = -1  # a "command": the cell file's timeline ends here
CYCLE = -2  # a "command": the controller's cycle counter; see handshake.py

# What one call latches at most (and always a whole batch): chosen so that whoever floods the queue
# delays the commands, not the tick. Measured: 4 µs a batch and 0.2 µs an entry.
MOST_BATCHES = 32
MOST_ENTRIES = 1024


class QueueArrays(NamedTuple):
    """The memory of a queue. Entries are counted from the start, and lie at count mod capacity."""

    size: Ints  # entries of the batch that begins here             (capacity,)
    command: Ints  # (capacity,)
    value: Floats  # (capacity,)
    put: Ints  # entries put so far                                (1,)
    taken: Ints  # entries taken so far                            (1,)


class Cycle(NamedTuple):
    """A batch with a cycle counter."""

    counter: int
    at: int  # entry of the queue with which the batch begins
    after: int  # entry after its last one


class CommandQueue:
    """Batches of commands, first in first out."""

    def __init__(self, arrays: QueueArrays) -> None:
        self._arrays = arrays
        self._capacity = len(arrays.size)

    @property
    def waiting(self) -> int:
        """Entries that no tick has latched yet."""
        return int(self._arrays.put[0] - self._arrays.taken[0])

    @property
    def end(self) -> int:
        """Entry with which the next batch will begin."""
        return int(self._arrays.put[0])

    def put(self, batch: Sequence[tuple[int, float]]) -> bool:
        """Hand over one batch; False, and nothing is handed over, when there is no room."""
        arrays = self._arrays
        if len(batch) > self._capacity - self.waiting:
            return False
        if not batch:
            return True
        put = int(arrays.put[0])
        slots = self._slots(put, len(batch))
        arrays.size[slots[0]] = len(batch)
        arrays.command[slots] = [command for command, _ in batch]
        arrays.value[slots] = [value for _, value in batch]
        arrays.put[0] = put + len(batch)
        return True

    def latch(
        self, values: Floats, changed: set[int] | None = None, until: int | None = None
    ) -> bool:
        """Latch what the next tick may; return whether the timeline is to end.

        Who latches more than once before a tick says in `changed` which commands it has changed
        since the last one; it is kept up to date. Batches from entry `until` on are left alone.
        """
        arrays = self._arrays
        put, taken = int(arrays.put[0]), int(arrays.taken[0])
        if until is not None:
            put = min(put, until)
        if taken >= put:
            return False
        if changed is None:
            changed = set()
        timeline_off = False
        most = taken + MOST_ENTRIES
        for _ in range(MOST_BATCHES):
            if taken == put or taken > most:
                break
            size = int(arrays.size[taken % self._capacity])
            batch = self._batch(taken, size)
            ends_timeline = batch.pop(TIMELINE_OFF, 0.0) != 0.0
            batch.pop(CYCLE, None)
            new = {command for command, value in batch.items() if values[command] != value}
            if not changed.isdisjoint(new):
                break
            for command in new:
                values[command] = batch[command]
            changed |= new
            timeline_off |= ends_timeline
            taken += size
        arrays.taken[0] = taken
        return timeline_off

    def find_cycle(self, first: int, end: int) -> Cycle | None:
        """The first batch with a cycle counter that waits, between two entries that begin one."""
        arrays = self._arrays
        at = max(first, int(arrays.taken[0]))
        while at < end:
            size = int(arrays.size[at % self._capacity])
            counter = self._batch(at, size).get(CYCLE)
            if counter is not None:
                return Cycle(int(counter), at, at + size)
            at += size
        return None

    def clear(self) -> bool:
        """Forget what waits; return whether the timeline was to end."""
        arrays = self._arrays
        put, taken = int(arrays.put[0]), int(arrays.taken[0])
        forgotten = arrays.command[self._slots(taken, put - taken)]
        arrays.taken[0] = put
        return bool((forgotten == TIMELINE_OFF).any())

    def _batch(self, first: int, size: int) -> dict[int, float]:
        slots = self._slots(first, size)
        commands, values = self._arrays.command[slots], self._arrays.value[slots]
        return dict(zip(commands.tolist(), values.tolist(), strict=True))

    def _slots(self, first: int, size: int) -> Ints:
        return np.arange(first, first + size) % self._capacity

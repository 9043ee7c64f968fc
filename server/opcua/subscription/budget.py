"""What all subscriptions together may hold: each alone is bounded, but there may be a thousand."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

KEPT_BYTES = 256_000_000  # of messages that were sent and not acknowledged; chosen
QUEUED_BYTES = 512_000_000  # that may wait in the queues of all items; chosen
BREATH_S = 0.0005  # between two long pieces of work; chosen
LINKS = 200_000  # between the items of all subscriptions: 100 MB at most; chosen
CLAUSES = 20_000  # of the filters of all items on events: some 20 ms for each event; chosen


class Keeper(Protocol):
    """A subscription, as far as it keeps messages for Republish."""

    @property
    def kept_bytes(self) -> int:
        """How much it keeps."""

    def forget_oldest(self) -> None:
        """Let its oldest message go."""


class Budget:
    """What is left for everybody."""

    def __init__(self) -> None:
        self._keepers: set[Keeper] = set()
        self._kept = 0
        self.queued = 0  # bytes that are promised to queues
        self.clauses = 0  # of filters
        self.links = 0  # between items
        self._long: deque[Callable[[], None]] = deque()  # work that takes long, in its order

    def keep(self, keeper: Keeper, size: int) -> None:
        """A subscription keeps a message; where too much is kept, whoever has most gives up."""
        self._keepers.add(keeper)
        self._kept += size
        while self._kept > KEPT_BYTES:
            max(self._keepers, key=lambda one: one.kept_bytes).forget_oldest()

    def let_go(self, size: int) -> None:
        """A kept message is gone."""
        self._kept -= size

    def leave(self, keeper: Keeper) -> None:
        """A subscription is over, with all that it kept."""
        self._kept -= keeper.kept_bytes
        self._keepers.discard(keeper)

    def in_turn(self, work: Callable[[], None]) -> None:
        """Do work that takes long when nobody else does; in between everything else goes on."""
        self._long.append(work)
        if len(self._long) == 1:
            asyncio.get_running_loop().call_soon(self._do_next)

    def _do_next(self) -> None:
        try:
            self._long[0]()
        finally:
            self._long.popleft()
            if self._long:
                # a timer: what has arrived and what is due meanwhile comes first
                asyncio.get_running_loop().call_later(BREATH_S, self._do_next)

    @property
    def kept(self) -> int:
        """Bytes that all subscriptions keep."""
        return self._kept

    @property
    def left_for_queues(self) -> int:
        """Bytes that can still be promised."""
        return max(QUEUED_BYTES - self.queued, 0)

    @property
    def can_link(self) -> bool:
        """Whether there may be another link."""
        return self.links < LINKS

    def can_take(self, clauses: int) -> bool:
        """Whether so many more clauses can be worked out for each event."""
        return self.clauses + clauses <= CLAUSES

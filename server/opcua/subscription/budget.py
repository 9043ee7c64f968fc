"""What all subscriptions keep for Republish together, and whose turn it is when work takes long."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Hashable
from typing import Protocol

KEPT_BYTES = 256_000_000  # of messages that were sent and not acknowledged; chosen
BREATH_S = 0.0005  # between two long pieces of work; chosen


class Keeper(Protocol):
    """A subscription, as far as it keeps messages for Republish."""

    @property
    def kept_bytes(self) -> int:
        """How much it keeps."""

    @property
    def client(self) -> str:
        """Whose it is."""

    def forget_oldest(self) -> None:
        """Let its oldest message go."""


class Budget:
    """What is left for everybody."""

    def __init__(self) -> None:
        self._keepers: set[Keeper] = set()
        self._kept = 0
        self._long: dict[Hashable, deque[Callable[[], None]]] = {}  # work of each; next is first

    def keep(self, keeper: Keeper, size: int) -> None:
        """A subscription keeps a message; where too much is kept, whoever has most gives up."""
        self._keepers.add(keeper)
        self._kept += size
        while self._kept > KEPT_BYTES:
            self._greediest().forget_oldest()

    def _greediest(self) -> Keeper:
        """Of the client that keeps most, the subscription that keeps most."""
        of_client: Counter[str] = Counter()
        for one in self._keepers:
            of_client[one.client] += one.kept_bytes
        return max(self._keepers, key=lambda one: (of_client[one.client], one.kept_bytes))

    def let_go(self, size: int) -> None:
        """A kept message is gone."""
        self._kept -= size

    def leave(self, keeper: Keeper) -> None:
        """A subscription is over, with all that it kept."""
        self._kept -= keeper.kept_bytes
        self._keepers.discard(keeper)

    def in_turn(self, whose: Hashable, work: Callable[[], None]) -> None:
        """Do work that takes long when nobody else does; in between everything else goes on.

        One piece of each who waits, then the next piece of each: much work of one holds up nobody.
        """
        is_idle = not self._long
        self._long.setdefault(whose, deque()).append(work)
        if is_idle:
            asyncio.get_running_loop().call_soon(self._do_next)

    def _do_next(self) -> None:
        whose, works = next(iter(self._long.items()))
        try:
            works.popleft()()
        finally:
            del self._long[whose]
            if works:
                self._long[whose] = works  # behind the others
            if self._long:
                # a timer: what has arrived and what is due meanwhile comes first
                asyncio.get_running_loop().call_later(BREATH_S, self._do_next)

    @property
    def kept(self) -> int:
        """Bytes that all subscriptions keep."""
        return self._kept

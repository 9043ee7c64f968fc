"""The way in: how many connections there are and from where, and whose turn it is."""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.wire.turns import TimeUsed, Turns

if TYPE_CHECKING:
    from twincell.server.opcua.wire.connection import Connection

log = logging.getLogger("twincell.opcua")


class Admission:
    """What all connections share."""

    def __init__(self, limits: Limits, origin_of: Callable[[str, str], str]) -> None:
        self._limits = limits
        self.origin_of = origin_of  # (client's address, ours) → its machine
        self.turns = Turns()  # whose request is answered now
        # all who have not logged in count as one client
        self.strangers_time, self.strangers_long_time = TimeUsed(), TimeUsed()
        self.connections: set[Connection] = set()
        self._strangers: dict[Connection, None] = {}  # nobody has logged in there; oldest first
        self._origins: Counter[str] = Counter()  # connections of each machine
        self._channel = secrets.randbelow(2**31)

    def enter(self, connection: Connection) -> bool:
        """Whether there is room for a connection; if so it is in.

        Where too many have not logged in, one of them has to go: the oldest from the machine that
        has most of them. So a flood from elsewhere does not push out a client that is slow; and
        nobody has to go while his password is looked at.
        """
        limits = self._limits
        waiting = [one for one in self._strangers if not one.is_logging_in]
        if self._origins[connection.origin] >= limits.connections_per_address:
            beside = [one for one in waiting if one.origin == connection.origin]
            if not self._show_out_one_of(beside):
                self.complain(f"{connection.name}: too many connections from {connection.origin}")
                return False
        elif (
            len(self.connections) >= limits.connections
            or len(self._strangers) >= limits.unauthenticated_connections
        ) and not self._show_out_one_of(waiting):
            self.complain(f"{connection.name}: there are too many connections")
            return False
        self.connections.add(connection)
        self._strangers[connection] = None
        self._origins[connection.origin] += 1
        return True

    def _show_out_one_of(self, strangers: list[Connection]) -> bool:
        """End the oldest of them, from where most of them are; whether there was one."""
        if not strangers:
            return False
        ((origin, _),) = Counter(one.origin for one in strangers).most_common(1)
        oldest = next(one for one in strangers if one.origin == origin)
        self.complain(f"{oldest.name}: it did not log in while others came")
        del self._strangers[oldest]
        oldest.transport.abort()
        return True

    def logged_out(self, connection: Connection) -> None:
        """It has no active session any more."""
        if connection in self.connections:
            self._strangers[connection] = None

    def logged_in(self, connection: Connection) -> None:
        """It has an active session now."""
        self._strangers.pop(connection, None)

    def leave(self, connection: Connection) -> bool:
        """Whether it was in."""
        if connection not in self.connections:
            return False
        self.connections.remove(connection)
        self._strangers.pop(connection, None)
        self._origins[connection.origin] -= 1
        if not self._origins[connection.origin]:
            del self._origins[connection.origin]
        return True

    def next_channel(self) -> int:
        """A number that no other channel has."""
        self._channel = self._channel % (2**32 - 1) + 1
        return self._channel

    def complain(self, text: str) -> None:
        """Log what a client did wrong."""
        log.warning("refused %s", text)

    def close(self) -> None:
        """Show everybody out."""
        for connection in list(self.connections):
            connection.transport.abort()

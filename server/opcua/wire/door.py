"""The way in: how many connections there are and from where, and whose turn it is."""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from server.opcua.limits import Limits
from server.opcua.wire.turns import Account, Turns

if TYPE_CHECKING:
    from server.opcua.wire.connection import Connection

log = logging.getLogger("twincell.opcua")


class Door:
    """What all connections share."""

    def __init__(self, limits: Limits, is_local: Callable[[str, str], bool]) -> None:
        self._limits = limits
        self.is_local = is_local  # (client's address, ours) → whether it is on this machine
        self.turns = Turns()  # whose request is answered now
        # all who have not logged in count as one client
        self.strangers_account, self.strangers_long_account = Account(), Account()
        self.connections: set[Connection] = set()
        self._strangers: dict[Connection, None] = {}  # nobody has logged in there; oldest first
        self._addresses: Counter[str] = Counter()
        self._channel = secrets.randbelow(2**31)

    def enter(self, connection: Connection) -> bool:
        """Whether there is room for a connection; if so it is in.

        Where too many have not logged in, one of them has to go: the oldest from the address that
        has most of them. So a flood from elsewhere does not push out a client that is slow.
        """
        limits = self._limits
        if self._addresses[connection.address] >= limits.connections_per_address:
            self.complain(f"{connection.name}: too many connections from this address")
            return False
        is_full = len(self.connections) >= limits.connections
        if is_full or len(self._strangers) >= limits.unauthenticated_connections:
            if not self._strangers:
                self.complain(f"{connection.name}: there are too many connections")
                return False
            oldest = self._oldest_of_most()
            self.complain(f"{oldest.name}: it did not log in while others came")
            del self._strangers[oldest]
            oldest.transport.abort()
        self.connections.add(connection)
        self._strangers[connection] = None
        self._addresses[connection.address] += 1
        return True

    def _oldest_of_most(self) -> Connection:
        """The oldest stranger from the address with most strangers."""
        ((address, _),) = Counter(one.address for one in self._strangers).most_common(1)
        return next(one for one in self._strangers if one.address == address)

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
        self._addresses[connection.address] -= 1
        if not self._addresses[connection.address]:
            del self._addresses[connection.address]
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

"""Who looks at the page: guests, and users who have logged in.

A user is checked by the OPC UA server itself: the page logs in there with the name and password,
and keeps that connection as the visitor's hand. The browser holds a random token in a cookie that
scripts cannot read. A user who is removed, or gets another password, is out within a second.
"""

import secrets
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from server.client.login import Login
from server.security.roles import Identity, Role
from server.security.security import is_loopback
from server.serving import Serving
from server.web.hand import Hand, Unreachable

COOKIE = "twincell_visitor"
MINUTE_S = 60.0
LONGEST_S = 12 * 3600.0  # a login lasts a working day; chosen
MOST_VISITORS = 200  # logged in at a time; the oldest goes; chosen


class TooManyAttempts(Exception):
    """Somebody guesses passwords."""


@dataclass(eq=False)
class Visitor:
    """Somebody in front of a browser, or several who gave no name."""

    identity: Identity
    hand: Hand
    since_s: float = 0.0

    @property
    def name(self) -> str:
        return self.identity.name

    def may(self, role: Role) -> bool:
        return self.identity.role >= role


class Visitors:
    """Everybody who is there."""

    def __init__(self, serving: Serving, endpoint: str) -> None:
        self._serving = serving
        self._endpoint = endpoint
        self._by_token: dict[str, Visitor] = {}
        self._failures: dict[str, deque[float]] = {}  # of an address: when
        self._guest_hand = Hand(endpoint, Login())

    def visitor(self, cookies: Mapping[str, str], address: str) -> Visitor:
        """Who sent a request: a user, or a guest with the rights of a client without a name."""
        known = self._by_token.get(cookies.get(COOKIE, ""))
        if known is not None and self._is_still_in(known):
            return known
        role = self._serving.security.anonymous(is_loopback(address))
        return Visitor(Identity("", role), self._guest_hand)

    def is_current(self, visitor: Visitor) -> bool:
        """Whether a page that was made for somebody may still be shown."""
        return not visitor.name or (
            visitor in self._by_token.values() and self._is_still_in(visitor)
        )

    async def log_in(self, name: str, password: str, address: str) -> str:
        """The token of a user who has proved who he is; else raises what went wrong."""
        failures = self._recent_failures(address)
        if len(failures) >= self._serving.limits.failed_logins:
            raise TooManyAttempts
        security = self._serving.security
        hand = Hand(self._endpoint, Login(name, password, folder=security.trust.folder))
        failures.append(time.monotonic())  # before we know: others guess at the same time
        try:
            await hand.connect()
        except Unreachable:
            failures.pop()
            raise
        failures.pop()
        entry = next((one for one in security.users.entries() if one.name == name), None)
        # in lab mode there are users whom no file knows
        identity = entry.identity(entry.password) if entry else Identity(name, Role.ENGINEER)
        token = secrets.token_urlsafe(32)
        self._by_token[token] = Visitor(identity, hand, time.monotonic())
        while len(self._by_token) > MOST_VISITORS:
            await self._forget(next(iter(self._by_token)))
        return token

    async def log_out(self, token: str) -> None:
        if token in self._by_token:
            await self._forget(token)

    async def tidy(self) -> None:
        """Let go of who is out, and of hands that nobody uses."""
        for token, visitor in list(self._by_token.items()):
            if not self._is_still_in(visitor):
                await self._forget(token)
            else:
                await visitor.hand.rest()
        await self._guest_hand.rest()

    async def close(self) -> None:
        for token in list(self._by_token):
            await self._forget(token)
        await self._guest_hand.close()

    async def _forget(self, token: str) -> None:
        await self._by_token.pop(token).hand.close()

    def _is_still_in(self, visitor: Visitor) -> bool:
        now = self._serving.security.users.now(visitor.identity)
        if now is None or time.monotonic() - visitor.since_s > LONGEST_S:
            return False
        visitor.identity = now  # he may have got another role
        return True

    def _recent_failures(self, address: str) -> deque[float]:
        """When logins from an address failed within the last minute."""
        before = time.monotonic() - MINUTE_S
        for known, times in list(self._failures.items()):
            while times and times[0] < before:
                times.popleft()
            if not times:
                del self._failures[known]
        return self._failures.setdefault(address, deque())

"""Who looks at the page: guests, and users who have logged in.

A user's name and password are checked here first: for the OPC UA server all browsers come from this
machine, so those who guess would there lock out everybody. Then the page logs in there with them,
and keeps that connection as the visitor's session. The browser holds a random token in a cookie
that scripts cannot read. A user who is removed, or gets another password, is out within a second.
"""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from twincell.server.client.login import Login
from twincell.server.client.mistake import Mistake
from twincell.server.config import Serving
from twincell.server.security.origin import THIS_MACHINE, origin_of
from twincell.server.security.roles import Identity, Role
from twincell.server.web.access.user_session import UserSession

MINUTE_S = 60.0
LONGEST_S = 12 * 3600.0  # a login lasts a working day; chosen
CLOSE_S = 2.0  # that hands get to end their connections
MOST_VISITORS = 200  # logged in at a time; the oldest goes; chosen


def origin_of_request(asked: HTTPConnection) -> str:
    """The machine that a browser is on."""
    client, own = asked.client, asked.scope.get("server")
    return origin_of(client.host, str(own[0])) if client and own else ""


class TooManyAttempts(Exception):
    """Somebody guesses passwords."""


@dataclass(eq=False)
class Visitor:
    """Somebody in front of a browser, or several who gave no name."""

    identity: Identity
    user_session: UserSession
    since_s: float = 0.0

    @property
    def name(self) -> str:
        return self.identity.name

    def may(self, role: Role) -> bool:
        return self.identity.role >= role


class Visitors:
    """Everybody who is there."""

    def __init__(self, serving: Serving, endpoint: str, port: int) -> None:
        self.cookie = f"twincell_{port}"  # browsers tell hosts apart, but not ports
        self._serving = serving
        self._endpoint = endpoint
        self._by_token: dict[str, Visitor] = {}
        self._failures: dict[str, deque[float]] = {}  # of a machine: when
        self._guest_session = UserSession(endpoint, Login())
        self._hashing = asyncio.Lock()  # one password at a time: hashing is slow on purpose

    def visitor(self, cookies: Mapping[str, str], origin: str) -> Visitor:
        """Who sent a request: a user, or a guest with the rights of a client without a name."""
        known = self._by_token.get(cookies.get(self.cookie, ""))
        if known is not None and self._is_still_in(known):
            return known
        role = self._serving.security.anonymous(origin == THIS_MACHINE)
        return Visitor(Identity("", role), self._guest_session)

    def is_current(self, visitor: Visitor) -> bool:
        """Whether a page that was made for somebody may still be shown."""
        return not visitor.name or (
            visitor in self._by_token.values() and self._is_still_in(visitor)
        )

    async def log_in(self, name: str, password: str, origin: str) -> str:
        """The token of a user who has proved who he is; else raises what went wrong."""
        identity = await self._identity(name, password, self._recent_failures(origin))
        folder = self._serving.security.trust.folder
        user_session = UserSession(self._endpoint, Login(name, password, folder=folder))
        await user_session.connect()
        token = secrets.token_urlsafe(32)
        self._by_token[token] = Visitor(identity, user_session, time.monotonic())
        await self._forget(*list(self._by_token)[:-MOST_VISITORS])
        return token

    async def _identity(self, name: str, password: str, failures: deque[float]) -> Identity:
        """Who has proved by his password who he is."""
        if len(failures) >= self._serving.limits.failed_logins:
            raise TooManyAttempts
        security = self._serving.security
        failures.append(time.monotonic())  # before we know: others guess at the same time
        # without a name the page's own connection would be let in, as that of this machine
        if name:
            async with self._hashing:
                found = await asyncio.to_thread(security.users.by_password, name, password)
            if security.users.is_ours(name):
                found = None  # no people, but none whom the time of the answer tells
            elif found is None and security.lets_everybody_in:
                found = Identity(name, Role.ENGINEER)
            if found is not None:
                failures.pop()
                return found
        raise Mistake(f"the cell does not let {name or 'nobody'} in: a wrong name or password")

    async def log_out(self, token: str) -> None:
        await self._forget(token)

    async def tidy(self) -> None:
        """Let go of who is out, and of hands that nobody uses."""
        await self._forget(
            *(token for token, one in self._by_token.items() if not self._is_still_in(one))
        )
        sessions = [
            self._guest_session,
            *(visitor.user_session for visitor in self._by_token.values()),
        ]
        await _together(*(user_session.rest() for user_session in sessions))

    async def close(self) -> None:
        """End all connections; pages that are open wait for the next start."""
        sessions = [
            self._guest_session,
            *(visitor.user_session for visitor in self._by_token.values()),
        ]
        await _together(*(user_session.close() for user_session in sessions))

    async def _forget(self, *tokens: str) -> None:
        """Visitors are out at once, however long it takes to end their connections."""
        gone = [self._by_token.pop(token, None) for token in tokens]
        await _together(*(visitor.user_session.close() for visitor in gone if visitor))

    def _is_still_in(self, visitor: Visitor) -> bool:
        now = self._serving.security.users.now(visitor.identity)
        if now is None or time.monotonic() - visitor.since_s > LONGEST_S:
            return False
        visitor.identity = now  # he may have got another role
        return True

    def _recent_failures(self, origin: str) -> deque[float]:
        """When logins from a machine failed within the last minute."""
        before = time.monotonic() - MINUTE_S
        for known, times in list(self._failures.items()):
            while times and times[0] < before:
                times.popleft()
            if not times:
                del self._failures[known]
        return self._failures.setdefault(origin, deque())


async def _together(*deeds: Coroutine[object, object, None]) -> None:
    """Do several things at a time; what fails or takes too long is none of the others' business."""
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_S):
            await asyncio.gather(*deeds, return_exceptions=True)

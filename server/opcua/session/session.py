"""A client's session: who it acts for, over which connection, and until when."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Protocol

from asyncua import ua
from asyncua.common.utils import ServiceError

from twincell.server.opcua.diagnostic.session_diagnostics import RequestCounts
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.session import rights
from twincell.server.opcua.shares import Rank, Shares
from twincell.server.opcua.subscription.publish_queue import PublishQueue
from twincell.server.opcua.view.continuation import Continuations
from twincell.server.opcua.wire.channel import Channel
from twincell.server.security.roles import Identity, Role

TOKEN_BYTES = 32
NONCE_BYTES = 32
LONGEST_NAME = 512  # characters of names that a client gives itself, which are kept; chosen


class SessionConnection(Protocol):
    """The connection that a session belongs to."""

    channel: Channel
    address: str  # of the client
    origin: str  # the machine that it is on
    logins: int  # that are under way: whoever proves who he is has to make room for nobody

    @property
    def is_local(self) -> bool:
        """Whether the client is on this machine."""

    def no_session_left(self) -> None:
        """Nobody is logged in here any more."""

    def login_failed(self) -> None:
        """Somebody could not prove who he is."""

    def give_up(self) -> None:
        """End it: its session has ended by itself."""


class SessionState(Enum):
    """What a session can be used for."""

    CREATED = 0  # nothing but to activate it
    ACTIVE = 1
    CLOSED = 2


@dataclass(frozen=True)
class User:
    """Who a session acts for, and how that was proved."""

    identity: Identity
    authentication: str  # anonymous, username or certificate


NOT_YET = User(Identity("", Role.NOBODY), "")


class Session:
    """One client, from CreateSession to CloseSession or its timeout."""

    def __init__(
        self,
        connection: SessionConnection,
        params: ua.CreateSessionParameters,
        limits: Limits,
        shares: Shares,
        outside_commands: int,
    ) -> None:
        channel = connection.channel
        self.session_id = ua.NodeId(secrets.randbelow(2**32 - 1) + 1, 1)
        self.token = ua.NodeId(secrets.token_bytes(TOKEN_BYTES), 0)
        self.nonce = secrets.token_bytes(NONCE_BYTES)  # that the client has to sign next
        self.connection: SessionConnection | None = connection
        self._state = SessionState.CREATED
        self.logins = 0  # that are under way
        self._user = NOT_YET
        self._origin = connection.origin  # the machine that its client is on, or was on last
        self.account = shares.account(self)
        self.user_history: list[str] = []  # names, in the order in which it acted for them
        shortest, longest = limits.min_session_timeout_ms, limits.max_session_timeout_ms
        wanted = params.RequestedSessionTimeout
        self.timeout_ms = min(max(wanted, shortest), longest) if wanted > 0 else longest
        self.client_name = params.SessionName or ""
        self.client_description = _short(params.ClientDescription)
        self.endpoint_url = params.EndpointUrl or ""
        self.server_uri = params.ServerUri or ""
        self.max_response_bytes = params.MaxResponseMessageSize  # that its client can read; 0: any
        self.locale_ids: list[str] = []
        self.client_certificate = channel.client_certificate
        self.security_policy_uri = channel.security_policy.URI
        self.security_mode = channel.security_policy.Mode
        self.connected_at = datetime.now(UTC)
        self.last_contact = self.connected_at
        self.publish_queue = PublishQueue(limits.publish_requests_per_session)
        self.continuations = Continuations(limits.continuation_points)
        self.requests = RequestCounts()
        self.outside_before = outside_commands  # commands from outside, when it began
        self._last_s = time.monotonic()

    @property
    def user(self) -> User:
        """Who it acts for."""
        return self._user

    @property
    def origin(self) -> str:
        """The machine that its client is on, or was on last."""
        return self._origin

    @property
    def state(self) -> SessionState:
        """What it can be used for."""
        return self._state

    def act_for(self, user: User, origin: str) -> None:
        """Be somebody's session, who is on that machine: what it has is his now."""
        self._user, self._origin = user, origin
        self.account.holder_changed()

    def open(self) -> None:
        """It can be used."""
        self._state = SessionState.ACTIVE

    def end(self) -> None:
        """It cannot be used any more: what it leaves behind has no part of its own."""
        self._state = SessionState.CLOSED
        self.account.holder_changed()

    @property
    def identity(self) -> Identity:
        return self._user.identity

    @property
    def authentication(self) -> str:
        return self._user.authentication

    @property
    def role(self) -> Role:
        return self._user.identity.role

    @property
    def is_active(self) -> bool:
        return self._state is SessionState.ACTIVE

    @property
    def is_closed(self) -> bool:
        return self._state is SessionState.CLOSED

    @property
    def is_lost(self) -> bool:
        """Whether it waits for its client, whose connection is lost."""
        return self.is_active and self.connection is None

    @property
    def rank(self) -> Rank:
        return rank_of(self._user)

    @property
    def client(self) -> str:
        """Whose share it has a part of."""
        return client_of(self._user, self._origin)

    def touch(self) -> None:
        """It was heard of."""
        self._last_s = time.monotonic()
        self.last_contact = datetime.now(UTC)

    def has_timed_out(self, now_s: float) -> bool:
        return now_s - self._last_s > self.timeout_ms / 1e3

    def may_read(self, node: ua.NodeId) -> bool:
        """Whether its user may see a node's value."""
        return rights.may_read(self.role, node)

    def may_have(self, other: "Session") -> bool:
        """Whether what belongs to another session may become this one's.

        Both must act for the same user. Nobody can tell two anonymous clients apart, except by
        the certificates of their applications.                             part 4, 5.14.7
        """
        if self.user != other.user or not self.is_active:
            return False
        if self.authentication != "anonymous":
            return True
        return self.client_certificate is not None and (
            self.client_certificate == other.client_certificate
        )


def rank_of(user: User) -> Rank:
    """Whom a user has to leave something to."""
    if not is_named(user):
        return Rank.NAMELESS
    return Rank.ENGINEER if user.identity.role >= Role.ENGINEER else Rank.NAMED


def client_of(user: User, origin: str) -> str:
    """Whose share it is: a user's, or that of the machine where nobody gives a name."""
    return f"user {user.identity.name}" if is_named(user) else f"nameless on {origin}"


def is_named(user: User) -> bool:
    """Whether it is known who it is."""
    return user.authentication not in ("", "anonymous")


@contextmanager
def logging_in(session: Session, connection: SessionConnection) -> Iterator[None]:
    """Meanwhile neither has to make room for others."""
    session.logins += 1
    connection.logins += 1
    try:
        yield
    except ServiceError:
        connection.login_failed()
        raise
    finally:
        session.logins -= 1
        connection.logins -= 1


def _short(said: ua.ApplicationDescription) -> ua.ApplicationDescription:
    """What a client says about itself, as far as it is worth keeping."""
    name = said.ApplicationName.Text if said.ApplicationName is not None else None
    return ua.ApplicationDescription(
        ApplicationUri=said.ApplicationUri,
        ProductUri=said.ProductUri,
        ApplicationName=ua.LocalizedText((name or "")[:LONGEST_NAME]),
        ApplicationType=said.ApplicationType,
    )

"""The Session services: create, activate, close; and sessions that end by themselves.

A session belongs to the channel that created or last activated it; only there its token is good.
Another channel may take it over when it comes from the same application, and the same user proves
again who he is. A session whose connection is lost waits for its client if it has subscriptions.
It ends when nobody uses it, or when its user is one no longer.

                                                                    OPC UA part 4, 5.7
"""

import asyncio
import hmac
import logging
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from asyncua import ua
from asyncua.common.utils import ServiceError
from cryptography.exceptions import InvalidSignature

from twincell.server.opcua.diagnostic.diagnostics import Counters
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.session.session import (
    LONGEST_NAME,
    NONCE_BYTES,
    Session,
    SessionConnection,
    SessionState,
    User,
    client_of,
    logging_in,
    rank_of,
)
from twincell.server.opcua.session.user_tokens import UserTokens
from twincell.server.opcua.shares import Shared, Shares, ShareUsedUp
from twincell.server.security.security import Security
from twincell.server.security.trust import CertificateRefused, check_uri

LOOK_S = 0.5  # between two looks at whether sessions still hold; chosen
LONGEST_NONCE = 256
SESSIONS_A_CHANNEL = 10  # chosen

log = logging.getLogger("twincell.opcua")


class Heirs(Protocol):
    """What has to know that a session has ended."""

    def session_closed(self, session: Session, delete_subscriptions: bool) -> None:
        """It ends now."""

    def has_subscriptions(self, session: Session) -> bool:
        """Whether it has something to come back for."""


class Sessions:
    """All sessions of the server."""

    def __init__(
        self,
        security: Security,
        limits: Limits,
        shares: Shares,
        counters: Counters,
        heirs: Heirs,
    ) -> None:
        self._security = security
        self._limits = limits
        self._shares = shares
        self._counters = counters
        self._heirs = heirs
        self._tokens = UserTokens(security, limits.failed_logins)
        self._by_token: dict[bytes, Session] = {}

    def __len__(self) -> int:
        return len(self._by_token)

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._by_token.values()))

    # ---------------------------------------------------------------- finding

    def of_request(self, connection: SessionConnection, token: ua.NodeId) -> Session:
        """The session that a request belongs to, whether it is active or not."""
        session = self._find(token)
        if session is None or session.connection is not connection:
            # a token of another channel's session looks like any wrong one
            raise ServiceError(ua.StatusCodes.BadSessionIdInvalid)
        session.touch()
        return session

    def active(self, connection: SessionConnection, token: ua.NodeId) -> Session:
        """The active session that a request belongs to."""
        session = self.of_request(connection, token)
        if not session.is_active:
            self._end(session, delete=True)
            raise ServiceError(ua.StatusCodes.BadSessionNotActivated)
        return session

    def of_connection(self, connection: SessionConnection) -> list[Session]:
        return [one for one in self._by_token.values() if one.connection is connection]

    def _find(self, token: ua.NodeId) -> Session | None:
        if token.NodeIdType is not ua.NodeIdType.ByteString or not token.Identifier:
            return None
        return self._by_token.get(bytes(token.Identifier))

    # ---------------------------------------------------------------- services

    def create(
        self,
        connection: SessionConnection,
        params: ua.CreateSessionParameters,
        endpoints: list[ua.EndpointDescription],
        outside_commands: int,
    ) -> ua.CreateSessionResult:
        """CreateSession."""
        channel = connection.channel
        if not self._may_be_plain(connection):
            raise self._rejected(ua.StatusCodes.BadSecurityPolicyRejected)
        self._check_client(channel.client_certificate, params)
        if len(self.of_connection(connection)) >= SESSIONS_A_CHANNEL:
            raise self._rejected(ua.StatusCodes.BadTooManySessions)
        self._check_room()
        self._make_room_to_log_in(connection)
        session = Session(connection, params, self._limits, self._shares, outside_commands)
        self._by_token[bytes(session.token.Identifier)] = session
        self._counters.cumulated_sessions += 1
        policy = channel.security_policy
        signed = (channel.client_certificate or b"") + (params.ClientNonce or b"")
        signature = ua.SignatureData()
        if channel.is_secured:
            signature.Algorithm = policy.AsymmetricSignatureURI
            signature.Signature = policy.asymmetric_cryptography.signature(signed)
        return ua.CreateSessionResult(
            session.session_id,
            session.token,
            session.timeout_ms,
            session.nonce,
            self._security.own.der,
            endpoints,
            [],
            signature,
            self._limits.message_bytes,
        )

    async def activate(
        self,
        connection: SessionConnection,
        token: ua.NodeId,
        params: ua.ActivateSessionParameters,
    ) -> ua.ActivateSessionResult:
        """ActivateSession; awaits while a password is hashed."""
        session = self._find(token)
        if session is None:
            raise ServiceError(ua.StatusCodes.BadSessionIdInvalid)
        is_moving = session.connection is not connection
        if is_moving and not self._may_move(session, connection):
            raise ServiceError(ua.StatusCodes.BadSecurityChecksFailed)
        self._check_signature(session, connection, params.ClientSignature)
        nonce = session.nonce
        with logging_in(session, connection):
            user = await self._tokens.user(
                session, connection, params.UserIdentityToken, params.UserTokenSignature
            )
        if session.is_closed or not hmac.compare_digest(session.nonce, nonce):
            raise ServiceError(ua.StatusCodes.BadSessionIdInvalid)  # meanwhile
        if is_moving and user != session.user:
            raise ServiceError(ua.StatusCodes.BadIdentityChangeNotSupported)
        self._check_share(session, user, connection.origin)
        self._admit(session, connection, user, params.LocaleIds)
        return ua.ActivateSessionResult(session.nonce, [], [])

    def close(self, connection: SessionConnection, token: ua.NodeId, delete: bool) -> None:
        """CloseSession."""
        self._end(self.of_request(connection, token), delete)

    # ---------------------------------------------------------------- ends

    def connection_lost(self, connection: SessionConnection) -> None:
        """A connection is gone: its sessions end, or wait for their client."""
        for session in self.of_connection(connection):
            if session.is_active and self._heirs.has_subscriptions(session):
                session.connection = None
            else:
                self._counters.session_aborts += 1
                self._end(session, delete=True)

    async def look_after(self) -> None:
        """End sessions whose time is up or whose user is gone, for ever."""
        while True:
            await asyncio.sleep(LOOK_S)
            self._end_timed_out()
            self._follow_users()

    def _end_timed_out(self) -> None:
        now_s = time.monotonic()
        for session in self:
            if session.has_timed_out(now_s):
                self._counters.session_timeouts += 1
                connection = session.connection
                self._end(session, delete=True)
                if connection is not None and not self.of_connection(connection):
                    connection.give_up()

    def _follow_users(self) -> None:
        """Sessions of users who are removed end, and those of users with another role get that.

        All are looked at every time, as a user may change while the password is being hashed.
        """
        for session in self:
            before = session.identity
            now = self._security.users.now(before)
            if now is None:
                log.warning(
                    "ended a session of %s: removed, or given another password or certificate",
                    before.name,
                )
                self._end(session, delete=True)
            elif now != before:
                log.warning(
                    "a session of %s has the rights of an %s now, not of an %s",
                    before.name,
                    now.role.name.lower(),
                    before.role.name.lower(),
                )
                session.act_for(replace(session.user, identity=now), session.origin)

    def end_all(self) -> None:
        """The server stops."""
        for session in self:
            self._end(session, delete=True)

    def _end(self, session: Session, delete: bool) -> None:
        connection, session.connection = session.connection, None
        if session.is_active:
            _tell("has left", session, connection)
        session.end()
        self._by_token.pop(bytes(session.token.Identifier), None)
        session.account.add(Shared.SESSIONS, -session.account.has[Shared.SESSIONS])
        self._heirs.session_closed(session, delete)
        self._tell_if_empty(connection)

    def _tell_if_empty(self, connection: SessionConnection | None) -> None:
        """A connection has lost a session, perhaps its last active one."""
        if connection is not None and not any(s.is_active for s in self.of_connection(connection)):
            connection.no_session_left()

    # ---------------------------------------------------------------- checks

    def _rejected(self, status: int) -> ServiceError:
        self._counters.rejected_sessions += 1
        return ServiceError(status)

    def _check_client(self, certificate: bytes | None, params: ua.CreateSessionParameters) -> None:
        """The application is the one that opened the channel, and says nothing endless."""
        if certificate is not None:
            given = params.ClientCertificate or b""
            if not given.startswith(certificate):
                raise self._rejected(ua.StatusCodes.BadSecurityChecksFailed)
            if not NONCE_BYTES <= len(params.ClientNonce or b"") <= LONGEST_NONCE:
                raise self._rejected(ua.StatusCodes.BadNonceInvalid)
            try:
                uri = params.ClientDescription.ApplicationUri or ""
                check_uri(certificate, uri)
            except CertificateRefused as refusal:
                self._counters.security_rejected_sessions += 1
                log.warning("%s", refusal.why)
                raise self._rejected(refusal.told) from refusal
        description = params.ClientDescription
        texts = [params.SessionName, params.EndpointUrl, params.ServerUri]
        texts += [description.ApplicationUri, description.ProductUri]
        if any(len(text or "") > LONGEST_NAME for text in texts):
            raise self._rejected(ua.StatusCodes.BadEncodingLimitsExceeded)

    def _check_room(self) -> None:
        """There may be another session, or there is one whose client is lost."""
        used = [one for one in self._by_token.values() if one.is_active]
        if len(used) >= self._limits.sessions and all(one.connection for one in used):
            raise self._rejected(ua.StatusCodes.BadTooManySessions)

    def _make_room_to_log_in(self, connection: SessionConnection) -> None:
        """One more session may wait for its login: where most of them wait, the oldest goes.

        There may be one for each connection: so nobody has to go who has no other one, and nobody
        who is about to prove who he is.
        """
        waiting = [one for one in self._by_token.values() if one.state is SessionState.CREATED]
        if len(waiting) < self._limits.connections:
            return
        counts = Counter([connection, *(one.connection for one in waiting)])
        idle = [one for one in waiting if not one.logins]
        if not idle:
            raise self._rejected(ua.StatusCodes.BadTooManySessions)
        self._end(max(idle, key=lambda one: counts[one.connection]), delete=True)

    def _check_share(self, session: Session, user: User, origin: str) -> None:
        """A client has no more sessions than its share.

        Those whose connections are lost make room: whoever crashes and comes again is not in his
        own way. Those of other clients do not, as they may come back.
        """
        rank, client = rank_of(user), client_of(user, origin)
        if session.is_active and client == session.client:
            return
        while self._shares.room_of_client(Shared.SESSIONS, rank, client) < 1.0:
            lost = [one for one in self if one.is_lost and one.client == client]
            if not lost:
                if not session.is_active:
                    self._end(session, delete=True)
                why = self._shares.why_no_more(Shared.SESSIONS, rank, client)
                log.warning("refused a session: %s", why)
                self._counters.rejected_sessions += 1
                raise ShareUsedUp(ua.StatusCodes.BadTooManySessions, why)
            self._end(lost[0], delete=True)

    def _may_move(self, session: Session, connection: SessionConnection) -> bool:
        """Whether another channel may ask for a session: the same application, as secure."""
        channel = connection.channel
        return (
            session.is_active
            and channel.client_certificate == session.client_certificate
            and session.security_policy_uri == channel.security_policy.URI
            and channel.security_policy.Mode == session.security_mode
            and self._may_be_plain(connection)
        )

    def _may_be_plain(self, connection: SessionConnection) -> bool:
        """Whether a channel is secured, or need not be."""
        return connection.channel.is_secured or self._security.allows_plain(connection.is_local)

    def _check_signature(
        self, session: Session, connection: SessionConnection, signature: ua.SignatureData
    ) -> None:
        """The application proves that it still has its key: it signs our last nonce."""
        channel = connection.channel
        if not channel.is_secured:
            return
        policy = channel.security_policy
        try:
            if signature.Algorithm != policy.AsymmetricSignatureURI:
                raise InvalidSignature
            signed = self._security.own.der + session.nonce
            policy.asymmetric_cryptography.verify(signed, signature.Signature or b"")
        except InvalidSignature:
            self._counters.security_rejected_requests += 1
            raise ServiceError(ua.StatusCodes.BadApplicationSignatureInvalid) from None

    def _admit(
        self,
        session: Session,
        connection: SessionConnection,
        user: User,
        locale_ids: list[str] | None,
    ) -> None:
        if session.user != user:
            session.user_history = [*session.user_history[-9:], user.identity.name]
        session.act_for(user, connection.origin)
        session.account.add(Shared.SESSIONS, 1 - session.account.has[Shared.SESSIONS])
        session.locale_ids = [str(one)[:32] for one in (locale_ids or [])[:8]]
        old, session.connection = session.connection, connection
        if old is not connection:
            # messages must not go where the client does not listen any more
            session.publish_queue.refuse_all(ua.StatusCodes.BadSecureChannelClosed)
            self._tell_if_empty(old)
        if not session.is_active:
            _tell("logged in", session, connection)
        session.open()
        session.nonce = secrets.token_bytes(NONCE_BYTES)
        session.touch()
        connection.channel.allow_large_messages(True)


def _tell(what: str, session: Session, connection: SessionConnection | None) -> None:
    """Say who comes and goes; whoever gives no name looks only, and is not worth that much."""
    is_named = session.authentication != "anonymous"
    # in lab mode a client may call itself anything
    name = "".join(c for c in session.identity.name if c.isprintable())[:LONGEST_NAME]
    who = name if is_named else "somebody without a name"
    where = f"from {connection.address}" if connection else "whose connection was lost"
    log.log(logging.INFO if is_named else logging.DEBUG, "%s %s, %s", who, what, where)

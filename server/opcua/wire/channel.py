"""The secure channel of one connection: who is at the other end, and keys that are renewed.

asyncua's channel takes any certificate, any nonce, any lifetime, numbers its tokens 13, 14, ...,
and goes on with keys that have expired. What is wrong ends the connection, with the status that
part 4 and 6 have for it.

Leans on: SecureConnection's fields, _receive, revolve_tokens and message_to_binary; MessageChunk.
                                                    OPC UA part 4, 5.5.2; part 6, 6.7.4 to 6.7.7
"""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha1

from asyncua import ua
from asyncua.common.connection import MessageChunk, SecureConnection, TransportLimits
from asyncua.common.utils import Buffer, ServiceError
from asyncua.crypto.security_policies import (
    SecurityPolicy,
    SecurityPolicyFactory,
    SecurityPolicyNone,
)
from asyncua.ua.ua_binary import header_from_binary

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.wire.decoding import decoded
from twincell.server.opcua.wire.framing import TransportRefused
from twincell.server.security.certificate import read_chain
from twincell.server.security.trust import CertificateRefused, Trust

GRACE = 1.25  # of a token's lifetime, for messages on their way
UNSECURED = SecurityPolicyNone.URI


class Channel(SecureConnection):
    """The server's end of a secure channel."""

    security_policy: SecurityPolicy
    next_security_token: ua.ChannelSecurityToken

    def __init__(
        self, policies: list[SecurityPolicyFactory], own: bytes, trust: Trust, limits: Limits
    ) -> None:
        transport = TransportLimits(
            limits.chunk_bytes, limits.chunk_bytes, limits.chunks, limits.message_bytes_before
        )
        super().__init__(SecurityPolicyNone(), transport)
        self.set_policy_factories(policies)
        self._own = own
        self._thumbprint = sha1(own).digest()  # of our certificate
        self._trust = trust
        self.address = ""  # of the client, as soon as it has connected
        # to be called with a refusal and the chain that is refused
        self.tell_refused: Callable[[CertificateRefused, bytes], None] = lambda *_: None
        self._bounds = limits
        self._expires_s = self._next_expires_s = 0.0  # of the token in use, and the next one
        self._sender: bytes | None = None  # certificate, and its issuers', that opened it
        self._peer: bytes | None = None  # that certificate alone

    # ---------------------------------------------------------------- what is known about it

    @property
    def number(self) -> int:
        return int(self.security_token.ChannelId)

    @property
    def is_secured(self) -> bool:
        return bool(self.security_policy.URI != UNSECURED)

    @property
    def client_certificate(self) -> bytes | None:
        """Of the application at the other end; None on a channel without security."""
        return self.security_policy.peer_certificate if self.is_secured else None

    @property
    def has_expired(self) -> bool:
        """Whether its last token is too old to be used."""
        return self.is_open() and time.monotonic() > self._expires_s

    @property
    def seconds_left(self) -> float:
        """Until it expires, unless it is renewed."""
        return max(self._expires_s, self._next_expires_s) - time.monotonic()

    @property
    def bytes_a_chunk(self) -> int:
        """Of a message that we send; the client may take few chunks."""
        crypto = self.security_policy.symmetric_cryptography
        return int(MessageChunk.max_body_size(crypto, self._limits.max_send_buffer))

    def allow_large_messages(self, allowed: bool) -> None:
        """Whether requests may be as large as somebody needs who has logged in."""
        bounds = self._bounds
        self._limits.max_message_size = (
            bounds.message_bytes if allowed else bounds.message_bytes_before
        )

    def agree(self, hello: ua.Hello) -> ua.Acknowledge:
        """Sizes that both sides can take; what the client says is about what we send."""
        self._limits.max_send_buffer = min(hello.ReceiveBufferSize, self._bounds.chunk_bytes)
        return ua.Acknowledge(
            0,
            min(self._bounds.chunk_bytes, hello.SendBufferSize),
            self._limits.max_send_buffer,
            self._bounds.message_bytes,
            self._bounds.chunks,
        )

    # ---------------------------------------------------------------- messages

    def receive(self, chunk: bytes) -> ua.Message | None:
        """Take a chunk; the message, if it is whole now."""
        buffer = Buffer(chunk)
        header = header_from_binary(buffer)
        refusal = None
        try:
            if header.MessageType == ua.MessageType.SecureOpen:
                security = decoded(ua.AsymmetricAlgorithmHeader, buffer.copy())
                refusal = self._check_sender(header, security)
            else:
                self._check_token(header, decoded(ua.SymmetricAlgorithmHeader, buffer.copy()))
            taken = MessageChunk.from_header_and_body(self.security_policy, header, buffer)
            message = self._receive(taken)
        except TransportRefused:
            raise
        except (ua.uaerrors.UaStatusCodeError, ServiceError) as error:
            raise TransportRefused(error.code, "the message is too large or broken") from error
        except Exception as error:  # signature, padding, numbers: it tells nobody which
            raise TransportRefused(
                ua.StatusCodes.BadSecurityChecksFailed, "the message is not secured as agreed"
            ) from error
        if refusal is not None:
            # only now is it proved that the sender has the key of this certificate
            self._trust.reject(self._sender or b"", self.address)
            self.tell_refused(refusal, self._sender or b"")
            raise _refused(refusal)
        return message

    def open_or_renew(
        self, request: ua.OpenSecureChannelParameters, number: int
    ) -> ua.OpenSecureChannelResult:
        """Answer OpenSecureChannel; `number` is that of a new channel."""
        is_new = not self.is_open()
        if is_new != (request.RequestType == ua.SecurityTokenRequestType.Issue):
            raise TransportRefused(
                ua.StatusCodes.BadRequestTypeInvalid, "a channel is opened once, then renewed"
            )
        self._check_mode(request.SecurityMode, is_new)
        policy = self.security_policy
        nonce_length = policy.secure_channel_nonce_length
        if nonce_length and len(request.ClientNonce or b"") != nonce_length:
            raise TransportRefused(
                ua.StatusCodes.BadNonceInvalid, f"a nonce has {nonce_length} bytes"
            )
        bounds = self._bounds
        lifetime_ms = int(
            min(
                max(request.RequestedLifetime, bounds.min_channel_lifetime_ms),
                bounds.max_channel_lifetime_ms,
            )
        )
        token = ua.ChannelSecurityToken(
            number if is_new else self.number,
            secrets.randbelow(2**31) + 1 if is_new else self._newest_token_id() + 1,
            datetime.now(UTC),
            lifetime_ms,
        )
        if self.next_security_token.TokenId:
            self.revolve_tokens()  # who renews again has the keys of the last time, and uses them
        self.local_nonce = secrets.token_bytes(nonce_length)
        self.remote_nonce = request.ClientNonce
        expires_s = time.monotonic() + GRACE * lifetime_ms / 1e3
        if is_new:
            self._open = True
            self._expires_s = expires_s
            self.security_token = token
            policy.make_local_symmetric_key(self.remote_nonce, self.local_nonce)
            policy.make_remote_symmetric_key(self.local_nonce, self.remote_nonce, lifetime_ms)
        else:
            self.next_security_token = token  # used as soon as the client does
            self._next_expires_s = expires_s
        return ua.OpenSecureChannelResult(0, token, self.local_nonce)

    # ---------------------------------------------------------------- checks

    def _newest_token_id(self) -> int:
        return int(self.next_security_token.TokenId or self.security_token.TokenId)

    def _check_token(self, header: ua.Header, security: ua.SymmetricAlgorithmHeader) -> None:
        """A message belongs to this channel and its keys still hold."""
        if not self.is_open() or header.ChannelId != self.number:
            raise TransportRefused(
                ua.StatusCodes.BadTcpSecureChannelUnknown, "there is no such channel here"
            )
        if security.TokenId and security.TokenId == self.next_security_token.TokenId:
            self.revolve_tokens()
        if security.TokenId != self.security_token.TokenId:
            raise TransportRefused(
                ua.StatusCodes.BadSecureChannelTokenUnknown, "there is no such token"
            )
        if self.has_expired:
            raise TransportRefused(
                ua.StatusCodes.BadSecureChannelTokenUnknown, "the channel was not renewed in time"
            )

    def revolve_tokens(self) -> None:
        """Use the next token from now on."""
        super().revolve_tokens()
        self._expires_s = self._next_expires_s

    def _check_sender(
        self, header: ua.Header, security: ua.AsymmetricAlgorithmHeader
    ) -> CertificateRefused | None:
        """An OpenSecureChannel request is meant for us; why we do not trust its sender, if so."""
        uri, sender = security.SecurityPolicyURI, security.SenderCertificate or None
        if self.is_open():
            if header.ChannelId != self.number:
                raise TransportRefused(
                    ua.StatusCodes.BadTcpSecureChannelUnknown, "there is no such channel here"
                )
            if uri != self.security_policy.URI or sender != self._sender:
                raise TransportRefused(
                    ua.StatusCodes.BadSecurityChecksFailed, "a channel keeps its certificate"
                )
            return self._why_untrusted(sender) if self.is_secured else None
        factory = next((one for one in self._policies if one.matches(uri)), None)
        if factory is None:
            raise TransportRefused(
                ua.StatusCodes.BadSecurityPolicyRejected, "GetEndpoints tells the policies"
            )
        self._sender = sender
        if uri == UNSECURED:
            self.security_policy = factory.create(None)
            return None
        if security.ReceiverCertificateThumbPrint != self._thumbprint:
            raise TransportRefused(
                ua.StatusCodes.BadSecurityChecksFailed, "this is meant for another certificate"
            )
        refusal = self._why_untrusted(sender)
        self._peer = read_chain(sender or b"")[0].der
        self.security_policy = factory.create(self._peer)
        return refusal

    def _why_untrusted(self, sender: bytes | None) -> CertificateRefused | None:
        """Why we do not trust a certificate; whatever else is wrong with it ends it at once."""
        if sender == self._own:  # who has our key as well shares our security folder
            return None
        try:
            self._trust.check(sender or b"")
        except CertificateRefused as error:
            if error.status != ua.StatusCodes.BadCertificateUntrusted:
                self.tell_refused(error, sender or b"")
                raise _refused(error) from error
            return error
        return None

    def _check_mode(self, mode: ua.MessageSecurityMode, is_new: bool) -> None:
        """Settle on the mode, which is known only now that the request is decrypted."""
        if not is_new:
            if mode == self.security_policy.Mode:
                return
        else:
            for factory in self._policies:
                if factory.matches(self.security_policy.URI, mode):
                    self.security_policy = factory.create(self._peer)
                    return
        raise TransportRefused(
            ua.StatusCodes.BadSecurityModeRejected, "GetEndpoints tells the modes"
        )


def _refused(refusal: CertificateRefused) -> TransportRefused:
    """Why, and what to do about it, is for our log: a stranger learns no names and folders."""
    told = "the certificate is refused: the server's log says why"
    return TransportRefused(refusal.told, refusal.why, told)

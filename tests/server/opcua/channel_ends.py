"""A secure channel without a network: a client's end and the server's end in one place."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from asyncua import ua
from asyncua.common.connection import MessageChunk, SecureConnection, TransportLimits
from asyncua.common.utils import Buffer
from asyncua.crypto.security_policies import (
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256Sha256,
    SecurityPolicyNone,
)
from asyncua.ua.ua_binary import header_from_binary, struct_from_binary, struct_to_binary

from tests.server.opcua.made_security import made_security
from tests.server.security.made_certificates import Made, make
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.wire.channel import Channel
from twincell.server.opcua.wire.endpoints import factories
from twincell.server.opcua.wire.framing import TransportRefused
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.trust import Trust

ENCRYPT, SIGN = ua.MessageSecurityMode.SignAndEncrypt, ua.MessageSecurityMode.Sign
NONE = ua.MessageSecurityMode.None_
ISSUE, RENEW = ua.SecurityTokenRequestType.Issue, ua.SecurityTokenRequestType.Renew
TODAY = datetime.now(UTC)
DAY = timedelta(days=1)
POLICIES = [
    SecurityPolicyBasic256Sha256,
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
]
HOUR_MS = 3_600_000
MESSAGE = b"a message"


def made(name: str = "PLC", **changed: Any) -> Made:
    return make(name, **({"begins": TODAY - DAY, "ends": TODAY + DAY} | changed))


class Ends:
    """Both ends of a channel; what one sends goes to the other without a way in between."""

    def __init__(self, folder: Path, client: Made | None = None, **limits: float) -> None:
        self.folder = SecurityFolder(folder)
        self.own = made_security().own
        self.client = client or made()
        self.limits = replace(Limits(), **limits)
        self.server = Channel(factories(self.own), self.own.der, Trust(self.folder), self.limits)
        self._end = SecureConnection(SecurityPolicyNone(), TransportLimits())
        self._nonce = b""

    def trust(self) -> None:
        self.client.put(self.folder.trusted)

    def secure(self, policy: Any = SecurityPolicyBasic256Sha256, mode: Any = ENCRYPT) -> None:
        """Let the client use a policy."""
        if policy is SecurityPolicyNone:
            self._end.security_policy = SecurityPolicyNone()
            return
        key = self.client.key
        self._end.security_policy = policy(self.own.certificate, self.client.certificate, key, mode)

    # ---------------------------------------------------------------- OpenSecureChannel

    def open_chunk(self, request: ua.OpenSecureChannelRequest, **header: Any) -> bytes:
        (chunk,) = MessageChunk.message_to_chunks(
            self._end.security_policy,
            struct_to_binary(request),
            65_535,
            ua.MessageType.SecureOpen,
            self._end.security_token.ChannelId,
        )
        for name, value in header.items():
            setattr(chunk.SecurityHeader, name, value)
        return self.numbered(chunk)

    def numbered(self, chunk: MessageChunk) -> bytes:
        self._end._sequence_number += 1
        chunk.SequenceHeader.SequenceNumber = self._end._sequence_number
        return chunk.to_binary()

    def request(
        self,
        kind: Any = ISSUE,
        mode: Any = None,
        nonce: bytes | None = None,
        lifetime_ms: int = HOUR_MS,
    ) -> ua.OpenSecureChannelRequest:
        policy = self._end.security_policy
        length = policy.secure_channel_nonce_length
        self._nonce = bytes(range(length)) if nonce is None else nonce
        request = ua.OpenSecureChannelRequest()
        request.Parameters = ua.OpenSecureChannelParameters(
            0, kind, policy.Mode if mode is None else mode, self._nonce, lifetime_ms
        )
        return request

    def open(self, kind: Any = ISSUE, **asked: Any) -> ua.OpenSecureChannelResult:
        """Open or renew, as a whole: there and back."""
        return self.open_with(self.open_chunk(self.request(kind, **asked)), kind)

    def open_with(self, data: bytes, kind: Any = ISSUE) -> ua.OpenSecureChannelResult:
        message = self.server.receive(data)
        assert message is not None
        got = struct_from_binary(ua.OpenSecureChannelRequest, Buffer(bytes(message.body())))
        result = self.server.open_or_renew(got.Parameters, 77)
        response = ua.OpenSecureChannelResponse()
        response.Parameters = result
        sent = self.server.message_to_binary(
            struct_to_binary(response), ua.MessageType.SecureOpen, 1
        )
        buffer = Buffer(sent)
        answer = self._end.receive_from_header_and_body(header_from_binary(buffer), buffer)
        told = struct_from_binary(ua.OpenSecureChannelResponse, Buffer(bytes(answer.body())))
        self._end.set_channel(told.Parameters, kind, self._nonce)
        return result

    # ---------------------------------------------------------------- messages

    def message(
        self, body: bytes = MESSAGE, *, chunk_bytes: int = 65_535, **changed: int
    ) -> list[bytes]:
        """Chunks of a message from the client, with whatever ids."""
        token = self._end.security_token
        chunks = MessageChunk.message_to_chunks(
            self._end.security_policy,
            body,
            chunk_bytes,
            channel_id=changed.get("channel", token.ChannelId),
            token_id=changed.get("token", token.TokenId),
        )
        return [self.numbered(chunk) for chunk in chunks]

    def send(self, body: bytes = MESSAGE, **changed: int) -> bytes | None:
        """What the server understands of a message."""
        message = None
        for chunk in self.message(body, **changed):
            message = self.server.receive(chunk)
        return None if message is None else bytes(message.body())

    def use_new_keys(self) -> None:
        self._end.revolve_tokens()

    def skip_numbers(self, count: int) -> None:
        self._end._sequence_number += count


def status_of(act: Callable[[], Any]) -> str:
    with pytest.raises(TransportRefused) as refused:
        act()
    return str(ua.StatusCode(refused.value.status).name)

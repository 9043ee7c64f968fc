"""The secure channel: a client's end and the server's end in one place, without a network.

What goes wrong must end the connection with the status that OPC UA has for it.
"""

import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from asyncua import ua
from asyncua.common.connection import MessageChunk, SecureConnection, TransportLimits
from asyncua.common.utils import Buffer
from asyncua.crypto.security_policies import (
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256,
    SecurityPolicyBasic256Sha256,
    SecurityPolicyNone,
)
from asyncua.ua.ua_binary import header_from_binary, struct_from_binary, struct_to_binary

from server.opcua.limits import Limits
from server.opcua.wire import channel as channel_module
from server.opcua.wire.channel import Channel
from server.opcua.wire.endpoints import factories
from server.opcua.wire.framing import TransportRefused
from server.security.folder import SecurityFolder
from server.security.trust import Trust
from tests.server.opcua.made_security import made_security
from tests.server.security.made_certificates import Made, make, rsa_key

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


@pytest.fixture
def ends(tmp_path: Path) -> Ends:
    """A client that is trusted, before it opens a channel."""
    both = Ends(tmp_path)
    both.trust()
    both.secure()
    return both


@pytest.fixture
def opened(ends: Ends) -> Ends:
    ends.open()
    return ends


def status_of(act: Callable[[], Any]) -> str:
    with pytest.raises(TransportRefused) as refused:
        act()
    return str(ua.StatusCode(refused.value.status).name)


def rejected(ends: Ends) -> list[Path]:
    return sorted(ends.folder.rejected.glob("*")) if ends.folder.rejected.exists() else []


# ---------------------------------------------------------------- open


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("mode", [SIGN, ENCRYPT])
def test_a_channel_of_every_policy_and_mode_carries_messages(ends, policy, mode):
    ends.secure(policy, mode)
    ends.open()
    assert ends.send() == MESSAGE
    assert ends.server.is_secured
    assert ends.server.client_certificate == ends.client.der
    assert ends.server.security_policy.Mode == mode
    ends.open(RENEW)
    ends.use_new_keys()
    assert ends.send() == MESSAGE


def test_a_channel_without_security_carries_messages(ends):
    ends.secure(SecurityPolicyNone)
    ends.open()
    assert ends.send() == MESSAGE
    assert not ends.server.is_secured
    assert ends.server.client_certificate is None


def test_what_is_encrypted_cannot_be_read_and_what_is_signed_can(ends):
    ends.open()
    assert MESSAGE not in ends.message()[0]
    ends.secure(mode=SIGN)
    signing = Ends(ends.folder.root, ends.client)
    signing.secure(mode=SIGN)
    signing.open()
    assert MESSAGE in signing.message()[0]


@pytest.mark.parametrize(
    ("asked_ms", "revised_ms"),
    [(0, 10_000), (1, 10_000), (60_000, 60_000), (2**32 - 1, HOUR_MS)],
)
def test_a_lifetime_is_kept_within_bounds(ends, asked_ms, revised_ms):
    assert ends.open(lifetime_ms=asked_ms).SecurityToken.RevisedLifetime == revised_ms


def test_tokens_and_nonces_of_two_channels_have_nothing_in_common(tmp_path):
    results = []
    for _ in range(5):
        ends = Ends(tmp_path)
        ends.trust()
        ends.secure()
        results.append(ends.open())
    assert len({one.SecurityToken.TokenId for one in results}) == 5
    assert len({one.ServerNonce for one in results}) == 5
    assert all(len(one.ServerNonce) == 32 for one in results)


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
def test_a_nonce_of_the_wrong_length_is_refused(ends, length):
    assert status_of(lambda: ends.open(nonce=bytes(length))) == "BadNonceInvalid"


def test_renewal_needs_a_nonce_of_the_right_length_as_well(opened):
    assert status_of(lambda: opened.open(RENEW, nonce=b"")) == "BadNonceInvalid"


def test_a_channel_that_is_not_open_cannot_be_renewed(ends):
    assert status_of(lambda: ends.open(RENEW)) == "BadRequestTypeInvalid"


def test_a_channel_is_not_opened_twice(opened):
    assert status_of(opened.open) == "BadRequestTypeInvalid"


def test_a_mode_that_the_policy_does_not_have_is_refused(ends):
    assert status_of(lambda: ends.open(mode=NONE)) == "BadSecurityModeRejected"


def test_none_with_a_mode_that_pretends_security_is_refused(ends):
    ends.secure(SecurityPolicyNone)
    assert status_of(lambda: ends.open(mode=ENCRYPT)) == "BadSecurityModeRejected"


def test_an_old_policy_is_refused(ends):
    ends.secure(SecurityPolicyBasic256)
    assert status_of(ends.open) == "BadSecurityPolicyRejected"


def test_a_request_meant_for_another_certificate_is_refused(ends):
    chunk = ends.open_chunk(ends.request(), ReceiverCertificateThumbPrint=sha1(b"x").digest())
    assert status_of(lambda: ends.open_with(chunk)) == "BadSecurityChecksFailed"


def test_a_request_without_a_certificate_is_refused(ends):
    chunk = ends.open_chunk(ends.request(), SenderCertificate=b"")
    assert status_of(lambda: ends.open_with(chunk)) == "BadSecurityChecksFailed"
    assert rejected(ends) == []


# ---------------------------------------------------------------- who may come in


def test_a_stranger_that_has_its_key_is_kept_for_a_decision(tmp_path):
    ends = Ends(tmp_path)
    ends.secure()
    assert status_of(ends.open) == "BadSecurityChecksFailed"
    (kept,) = rejected(ends)
    assert kept.read_bytes() == ends.client.der


def test_a_stranger_is_told_neither_why_nor_where_our_files_are(tmp_path):
    ends = Ends(tmp_path)
    ends.secure()
    with pytest.raises(TransportRefused) as refused:
        ends.open()
    assert f"twincell trust accept {ends.client.thumbprint}" in refused.value.reason  # our log
    assert str(tmp_path) not in refused.value.told
    assert "trust" not in refused.value.told


def test_somebody_elses_certificate_is_not_kept_and_does_not_let_in(tmp_path):
    ends = Ends(tmp_path)
    thief = Made(ends.client.certificate, rsa_key("thief"))
    ends.client = thief
    ends.secure()
    assert status_of(ends.open) == "BadSecurityChecksFailed"
    assert rejected(ends) == []


def test_a_trusted_certificate_is_worth_nothing_without_its_key(tmp_path):
    ends = Ends(tmp_path)
    ends.trust()
    ends.client = Made(ends.client.certificate, rsa_key("thief"))
    ends.secure()
    assert status_of(ends.open) == "BadSecurityChecksFailed"
    assert not ends.server.is_open()


def test_a_stranger_comes_in_once_it_is_trusted(tmp_path):
    ends = Ends(tmp_path)
    ends.secure()
    assert status_of(ends.open) == "BadSecurityChecksFailed"
    ends.trust()
    again = Ends(tmp_path, ends.client)
    again.secure()
    again.open()
    assert again.send() == MESSAGE


def test_a_trusted_certificate_that_has_expired_is_refused_and_not_kept(tmp_path):
    ends = Ends(tmp_path, made("old", begins=TODAY - 9 * DAY, ends=TODAY - DAY))
    ends.trust()
    ends.secure()
    assert status_of(ends.open) == "BadCertificateTimeInvalid"
    assert rejected(ends) == []


def test_a_weak_key_is_refused(tmp_path):
    ends = Ends(tmp_path, made("weak", key=rsa_key("weak", 1_024)))
    ends.trust()
    ends.secure()
    status = status_of(ends.open)
    assert status in ("BadCertificatePolicyCheckFailed", "BadSecurityChecksFailed")
    assert not ends.server.is_open()


# ---------------------------------------------------------------- messages


@pytest.mark.parametrize("kind", [b"MSG", b"CLO"])
def test_nothing_is_taken_before_the_channel_is_open(ends, kind):
    data = kind + b"F" + struct.pack("<IIIII", 28, 1, 1, 1, 1) + b"abcd"
    assert status_of(lambda: ends.server.receive(data)) == "BadTcpSecureChannelUnknown"


@pytest.mark.parametrize("channel", [0, 1, 76, 78, 2**32 - 1])
def test_a_wrong_channel_id_is_refused(opened, channel):
    assert status_of(lambda: opened.send(channel=channel)) == "BadTcpSecureChannelUnknown"


@pytest.mark.parametrize("token", [0, 1, 2**32 - 1])
def test_a_wrong_token_id_is_refused(opened, token):
    assert status_of(lambda: opened.send(token=token)) == "BadSecureChannelTokenUnknown"


def test_token_zero_is_not_the_next_one_while_there_is_none(opened):
    assert status_of(lambda: opened.send(token=0)) == "BadSecureChannelTokenUnknown"


@pytest.mark.parametrize("place", [12, 16, 24, 40, -1])
def test_a_changed_byte_is_noticed(opened, place):
    data = bytearray(opened.message()[0])
    data[place] ^= 1
    assert status_of(lambda: opened.server.receive(bytes(data))) in (
        "BadSecurityChecksFailed",
        "BadSecureChannelTokenUnknown",
    )


def test_a_message_sent_again_is_refused(opened):
    (data,) = opened.message()
    assert opened.server.receive(data) is not None
    assert status_of(lambda: opened.server.receive(data)) == "BadSecurityChecksFailed"


@pytest.mark.parametrize("gap", [1, 1_000, -1])
def test_a_gap_in_the_sequence_is_refused(opened, gap):
    assert opened.send() == MESSAGE
    opened.skip_numbers(gap)
    assert status_of(opened.send) == "BadSecurityChecksFailed"


def test_the_sequence_may_begin_anew_near_its_end(opened):
    opened.server._peer_sequence_number = opened._end._sequence_number = 2**32 - 500
    assert opened.send() == MESSAGE
    opened._end._sequence_number = 3
    assert opened.send() == MESSAGE


def test_two_messages_do_not_mix_their_chunks(opened):
    first = opened.message(bytes(20_000), chunk_bytes=8_192)[0]
    opened.server.receive(first)
    other = MessageChunk.message_to_chunks(
        opened._end.security_policy,
        MESSAGE,
        65_535,
        channel_id=77,
        request_id=2,
        token_id=opened._end.security_token.TokenId,
    )[0]
    opened._end._sequence_number = 2
    data = opened.numbered(other)
    assert status_of(lambda: opened.server.receive(data)) == "BadSecurityChecksFailed"


# ---------------------------------------------------------------- renewal


def test_both_keys_work_until_the_client_uses_the_new_ones(opened):
    first = opened.server.security_token.TokenId
    renewed = opened.open(RENEW).SecurityToken
    assert renewed.ChannelId == 77
    assert renewed.TokenId == first + 1
    assert opened.send() == MESSAGE  # with the old keys
    opened.use_new_keys()
    assert opened.send() == MESSAGE


def test_the_old_keys_are_worth_nothing_once_the_new_ones_were_used(opened):
    opened.open(RENEW)
    (late,) = opened.message()
    opened.use_new_keys()
    opened._end._sequence_number -= 1
    assert opened.send() == MESSAGE
    assert status_of(lambda: opened.server.receive(late)) == "BadSecureChannelTokenUnknown"


def test_the_old_keys_under_the_name_of_the_new_token_are_refused(opened):
    token = opened.open(RENEW).SecurityToken.TokenId
    assert status_of(lambda: opened.send(token=token)) == "BadSecurityChecksFailed"


def test_a_channel_renewed_twice_uses_the_last_keys(opened):
    opened.open(RENEW)
    opened.open(RENEW)
    opened.use_new_keys()
    assert opened.send() == MESSAGE


def test_renewal_does_not_change_the_mode(opened):
    assert status_of(lambda: opened.open(RENEW, mode=SIGN)) == "BadSecurityModeRejected"


@pytest.mark.parametrize("policy", [SecurityPolicyNone, SecurityPolicyAes256Sha256RsaPss])
def test_renewal_does_not_change_the_policy(opened, policy):
    opened.secure(policy)
    assert status_of(lambda: opened.open(RENEW)) == "BadSecurityChecksFailed"


def test_renewal_does_not_change_the_certificate(opened):
    opened.client = made("another")
    opened.trust()
    opened.secure()
    assert status_of(lambda: opened.open(RENEW)) == "BadSecurityChecksFailed"


def test_renewal_needs_the_key_of_the_certificate(opened):
    opened.client = Made(opened.client.certificate, rsa_key("thief"))
    opened.secure()
    assert status_of(lambda: opened.open(RENEW)) == "BadSecurityChecksFailed"


def test_renewal_names_its_channel(opened):
    opened._end.security_token = replace(opened._end.security_token, ChannelId=78)
    assert status_of(lambda: opened.open(RENEW)) == "BadTcpSecureChannelUnknown"


def test_a_channel_that_was_not_renewed_in_time_is_refused(ends, monkeypatch):
    ends.open(lifetime_ms=60_000)
    clock = channel_module.time.monotonic
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 70)
    assert ends.send() == MESSAGE  # a quarter is for messages on their way
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 76)
    assert ends.server.has_expired
    assert ends.server.seconds_left < 0
    assert status_of(ends.send) == "BadSecureChannelTokenUnknown"


def test_renewal_gives_the_channel_new_time(ends, monkeypatch):
    ends.open(lifetime_ms=60_000)
    clock = channel_module.time.monotonic
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 70)
    ends.open(RENEW, lifetime_ms=60_000)
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 130)
    ends.use_new_keys()
    assert ends.send() == MESSAGE


def test_old_keys_are_not_used_longer_because_there_are_new_ones(ends, monkeypatch):
    ends.open(lifetime_ms=60_000)
    clock = channel_module.time.monotonic
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 70)
    ends.open(RENEW, lifetime_ms=60_000)
    assert ends.send() == MESSAGE  # with the old ones
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 80)
    assert status_of(ends.send) == "BadSecureChannelTokenUnknown"


# ---------------------------------------------------------------- how much


def test_before_a_login_a_message_is_small(opened):
    assert opened.send(bytes(65_000)) == bytes(65_000)
    big = bytes(70_000)
    assert status_of(lambda: opened.send(big)) == "BadRequestTooLarge"


def test_after_a_login_a_message_may_be_large_but_not_endless(tmp_path):
    ends = Ends(tmp_path, message_bytes=100_000, message_bytes_before=16_384)
    ends.trust()
    ends.secure()
    ends.open()
    ends.server.allow_large_messages(True)
    assert ends.send(bytes(99_999)) == bytes(99_999)
    assert status_of(lambda: ends.send(bytes(100_001))) == "BadRequestTooLarge"


def test_a_message_has_not_more_chunks_than_told(tmp_path):
    ends = Ends(tmp_path, chunks=3)
    ends.trust()
    ends.secure()
    ends.open()
    ends.server.allow_large_messages(True)
    three = bytes(
        MessageChunk.max_body_size(ends._end.security_policy.symmetric_cryptography, 8192)
    )
    assert ends.send(three * 3, chunk_bytes=8_192) == three * 3
    assert status_of(lambda: ends.send(three * 4, chunk_bytes=8_192)) == "BadRequestTooLarge"


def test_an_aborted_message_is_forgotten_and_the_channel_goes_on(opened):
    first, *_ = opened.message(bytes(20_000), chunk_bytes=8_192)
    opened.server.receive(first)
    error = struct_to_binary(ua.ErrorMessage(ua.StatusCode(ua.StatusCodes.BadOutOfMemory), "no"))
    abort = MessageChunk(
        opened._end.security_policy.symmetric_cryptography,
        error,
        ua.MessageType.SecureMessage,
        ua.ChunkType.Abort,
    )
    token = opened._end.security_token
    abort.SecurityHeader.TokenId, abort.MessageHeader.ChannelId = token.TokenId, token.ChannelId
    abort.SequenceHeader.RequestId = 1
    opened._end._sequence_number = 2
    assert opened.server.receive(opened.numbered(abort)) is None
    assert opened.send() == MESSAGE

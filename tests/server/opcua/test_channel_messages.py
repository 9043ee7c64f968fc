"""The secure channel, both ends in one place: messages, and how large they are.

What goes wrong must end the connection with the status that OPC UA has for it.
"""

import struct

import pytest
from asyncua import ua
from asyncua.common.connection import MessageChunk
from asyncua.ua.ua_binary import struct_to_binary

from tests.server.opcua.channel_ends import (
    MESSAGE,
    Ends,
    status_of,
)

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

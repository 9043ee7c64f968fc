"""Framing: chunks come out whole, however their bytes come in, and nonsense is refused at once."""

import pytest
from asyncua import ua
from hypothesis import given
from hypothesis import strategies as st

from twincell.server.opcua.wire.framing import (
    FROM_CLIENT,
    HEAD,
    KINDS,
    LEAST_CHUNK_BYTES,
    Framing,
    TransportRefused,
)

MOST = 8_192
STATUSES = {ua.StatusCodes.BadTcpMessageTypeInvalid, ua.StatusCodes.BadTcpMessageTooLarge}


def chunk(type_: bytes = b"MSG", kind: bytes = b"F", body: bytes = b"1234") -> bytes:
    return HEAD.pack(type_, kind, HEAD.size + len(body)) + body


def chunks_of(*parts: bytes) -> list[bytes]:
    framing = Framing(MOST)
    return [whole for part in parts for whole in framing.feed(part)]


def refusal_of(data: bytes) -> TransportRefused:
    with pytest.raises(TransportRefused) as refused:
        chunks_of(data)
    return refused.value


bodies = st.binary(min_size=LEAST_CHUNK_BYTES - HEAD.size, max_size=200)
messages = st.builds(chunk, st.just(b"MSG"), st.sampled_from(KINDS), bodies)
openings = st.builds(chunk, st.sampled_from(FROM_CLIENT), st.just(b"F"), bodies)


@given(st.lists(messages | openings, max_size=8), st.data())
def test_however_the_bytes_are_split_the_chunks_are_the_same(sent, data):
    stream = b"".join(sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    parts = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert chunks_of(*parts) == sent


def test_bytes_that_come_one_by_one_are_a_chunk_with_the_last_of_them():
    whole = chunk(body=b"x" * 50)
    framing = Framing(MOST)
    found = [list(framing.feed(whole[i : i + 1])) for i in range(len(whole))]
    assert found == [[]] * (len(whole) - 1) + [[whole]]


@given(st.lists(st.binary(max_size=60), max_size=20))
def test_random_bytes_are_refused_or_waited_for_and_nothing_else(parts):
    try:
        chunks_of(*parts)
    except TransportRefused as refusal:
        assert refusal.status in STATUSES
        assert refusal.reason


@given(st.sampled_from(FROM_CLIENT), st.sampled_from(KINDS), st.integers(0, 2**32 - 1))
def test_every_head_is_judged_before_its_body_comes(type_, kind, size):
    head = HEAD.pack(type_, kind, size)
    is_chunk = LEAST_CHUNK_BYTES <= size <= MOST and (kind == b"F" or type_ == b"MSG")
    if is_chunk:
        assert chunks_of(head) == []
    else:
        assert refusal_of(head).status in STATUSES


@pytest.mark.parametrize("type_", [b"ACK", b"ERR", b"RHE", b"GET", b"\x16\x03\x01", b"msg"])
def test_what_no_client_may_send_is_refused(type_):
    assert refusal_of(chunk(type_)).status == ua.StatusCodes.BadTcpMessageTypeInvalid


@pytest.mark.parametrize("kind", [b"X", b"f", b"\0"])
def test_a_chunk_is_final_or_followed_by_others_or_aborted(kind):
    assert refusal_of(chunk(kind=kind)).status == ua.StatusCodes.BadTcpMessageTypeInvalid


@pytest.mark.parametrize("type_", [b"HEL", b"OPN", b"CLO"])
@pytest.mark.parametrize("kind", [b"C", b"A"])
def test_only_messages_have_more_than_one_chunk(type_, kind):
    assert refusal_of(chunk(type_, kind)).status == ua.StatusCodes.BadTcpMessageTypeInvalid


@pytest.mark.parametrize("size", [0, 7, 8, LEAST_CHUNK_BYTES - 1])
def test_a_chunk_is_not_shorter_than_its_own_head(size):
    refused = refusal_of(HEAD.pack(b"MSG", b"F", size))
    assert refused.status == ua.StatusCodes.BadTcpMessageTypeInvalid


@pytest.mark.parametrize("size", [MOST + 1, 2**31, 2**32 - 1])
def test_a_claim_of_gigabytes_is_refused_after_eight_bytes(size):
    refused = refusal_of(HEAD.pack(b"MSG", b"C", size))
    assert refused.status == ua.StatusCodes.BadTcpMessageTooLarge


def test_the_longest_chunk_is_taken():
    longest = chunk(body=b"x" * (MOST - HEAD.size))
    assert chunks_of(longest) == [longest]


def test_chunks_before_the_bad_one_still_come_out():
    good, framing, found = chunk(), Framing(MOST), []
    with pytest.raises(TransportRefused):
        for whole in framing.feed(good + b"nonsense"):
            found.append(whole)
    assert found == [good]

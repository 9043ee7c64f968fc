"""A controller that sends without an end: a bridge leaves it before it has cost much."""

import asyncio
import struct

import pytest
from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.crypto.security_policies import SecurityPolicyNone
from asyncua.ua.ua_binary import struct_from_binary, struct_to_binary

from tests.server.bridge.greedy_server import endless_chunks, greedy, one_huge_chunk
from twincell.server.bridge.peer import told
from twincell.server.client.bounded_protocol import (
    CHUNK_BYTES,
    MESSAGE_BYTES,
    MOST_CHUNKS,
    BoundedProtocol,
)
from twincell.server.client.mistake import Mistake
from twincell.server.client.session import connected
from twincell.server.opcua.wire.decoding import TooMuch

UNDER_WAY = 16_000_000  # bytes that the system holds between both ends


async def refusal(url: str) -> Exception:
    """Why there is no connection."""
    with pytest.raises(Exception) as caught:
        async with asyncio.timeout(60), connected(url, "bridge", patience_s=30.0):
            pass
    return caught.value


@pytest.mark.parametrize("size", [CHUNK_BYTES - 24, 1])
async def test_chunks_without_an_end_are_taken_up_to_a_bound(size):
    async with greedy(endless_chunks(size)) as plc:
        error = await refusal(plc.url)
    assert isinstance(error, Mistake)
    problem, hint = told(error, plc.url)
    most = f"more than {MESSAGE_BYTES} bytes or {MOST_CHUNKS} chunks"
    assert problem == f"{plc.url}: sends a message of {most}"
    assert "no OPC UA server has a reason to do so" in hint
    assert plc.sent < MESSAGE_BYTES + UNDER_WAY


async def test_a_chunk_larger_than_we_said_is_not_waited_for():
    async with greedy(one_huge_chunk()) as plc:
        error = await refusal(plc.url)
    assert told(error, plc.url)[0] == f"{plc.url}: a chunk has at most {CHUNK_BYTES} bytes"
    assert plc.sent < UNDER_WAY


async def test_what_we_take_is_said_in_hello():
    async with greedy(one_huge_chunk()) as plc:
        await refusal(plc.url)
    hello = plc.hello
    assert hello.ReceiveBufferSize == CHUNK_BYTES
    assert (hello.MaxMessageSize, hello.MaxChunkCount) == (MESSAGE_BYTES, MOST_CHUNKS)


async def test_an_array_that_claims_millions_of_elements_is_not_made():
    protocol = BoundedProtocol(1.0, SecurityPolicyNone())
    answer = protocol._callbackmap[1] = asyncio.get_running_loop().create_future()
    nulls = struct.pack("<iBBi", 1, 0x01, 0x80, 8_000_000)  # one value, with a variant: Null[]
    body = struct_to_binary(ua.ReadResponse())[: -2 * 4] + nulls
    protocol._call_callback(1, Buffer(body))
    with pytest.raises(TooMuch) as caught:
        struct_from_binary(ua.ReadResponse, answer.result())
    assert told(caught.value, "plc")[0] == "plc: sends a message that decodes to more than it may"


async def test_an_honest_answer_is_decoded_as_it_is():
    protocol = BoundedProtocol(1.0, SecurityPolicyNone())
    answer = protocol._callbackmap[1] = asyncio.get_running_loop().create_future()
    values = [ua.DataValue(ua.Variant([True] * 5_000)) for _ in range(100)]
    protocol._call_callback(1, Buffer(struct_to_binary(ua.ReadResponse(Results=values))))
    decoded = struct_from_binary(ua.ReadResponse, answer.result())
    assert [one.Value for one in decoded.Results] == [one.Value for one in values]

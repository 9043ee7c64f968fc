"""Answers are never larger than their client said it can take: when it connected, and of a session.

OPC UA part 6, 7.1.2.3 (Hello); part 4, 5.7.2 (MaxResponseMessageSize)
"""

import asyncio
from typing import Any

import pytest
from asyncua import Client, ua
from asyncua.ua.ua_binary import struct_to_binary, uatcp_to_binary

from tests.server.opcua.asking import read_status, status_of, wanted
from tests.server.opcua.guest import TICK, Guest
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCHEMA = ua.NodeId(ua.ObjectIds.OpcUa_BinarySchema)  # its value has 300 kB
SIGNALS = ("Simulation.Time", "Tool1.Pose.X", "Tool1.Pose.Y", "Tool1.Pose.Z")


@pytest.mark.parametrize(("most_bytes", "most_chunks"), [(100_000, 0), (0, 2)])
async def test_an_answer_that_the_client_cannot_take_is_told_to_be_too_large(
    cell, most_bytes, most_chunks
):
    client = Client(cell.server.endpoint, timeout=20)
    await client.connect_socket()
    protocol = client.uaclient.protocol
    hello = ua.Hello(0, 65_535, 65_535, most_bytes, most_chunks, cell.server.endpoint)
    acknowledged = protocol._callbackmap[0] = asyncio.get_running_loop().create_future()
    protocol.transport.write(uatcp_to_binary(ua.MessageType.Hello, hello))
    await asyncio.wait_for(acknowledged, 20)
    await client.open_secure_channel()
    await client.create_session()
    await client.activate_session()
    assert await status_of(read_status(client, SCHEMA)) == "BadResponseTooLarge"
    assert await read_status(client, TICK) == "Good"
    client.disconnect_socket()


async def with_session(house: InProcess, most_bytes: int) -> RawClient:
    """An anonymous client with a session whose answers may have so many bytes."""
    guest = await Guest(house).channel()
    params = ua.CreateSessionParameters(MaxResponseMessageSize=most_bytes)
    told = (await guest.raw.ask(ua.CreateSessionRequest(), params)).Parameters
    guest.client.uaclient.protocol.authentication_token = told.AuthenticationToken
    await guest.raw.ask(ua.ActivateSessionRequest(), ua.ActivateSessionParameters())
    return guest.raw


async def answer_bytes(raw: RawClient, *nodes: Any) -> int:
    """Size of the answer to a Read request: without the header of its chunk, with its type."""
    params = ua.ReadParameters(NodesToRead=[wanted(node) for node in nodes])
    return len(struct_to_binary(await raw.ask(ua.ReadRequest(), params)))


@pytest.mark.parametrize("most_bytes", [1, 50, 10_000, 200_000])
async def test_an_answer_larger_than_the_session_takes_is_refused(house, most_bytes):
    raw = await with_session(house, most_bytes)
    assert await status_of(answer_bytes(raw, SCHEMA)) == "BadResponseTooLarge"
    status = "Good" if most_bytes >= 10_000 else "BadResponseTooLarge"
    assert await status_of(answer_bytes(raw, TICK)) == status


async def test_zero_is_no_limit(house):
    raw = await with_session(house, 0)
    assert await answer_bytes(raw, SCHEMA) > 200_000


async def test_the_limit_is_exact(house):
    size = await answer_bytes(await with_session(house, 0), TICK)
    assert await status_of(answer_bytes(await with_session(house, size), TICK)) == "Good"
    raw = await with_session(house, size - 1)
    assert await status_of(answer_bytes(raw, TICK)) == "BadResponseTooLarge"


async def test_sessions_of_one_channel_have_limits_of_their_own(house):
    raw = await with_session(house, 10_000)
    narrow = raw.protocol.authentication_token
    told = await raw.ask(ua.CreateSessionRequest(), ua.CreateSessionParameters())
    raw.protocol.authentication_token = told.Parameters.AuthenticationToken
    await raw.ask(ua.ActivateSessionRequest(), ua.ActivateSessionParameters())
    assert await status_of(answer_bytes(raw, SCHEMA)) == "Good"
    raw.protocol.authentication_token = narrow
    assert await status_of(answer_bytes(raw, SCHEMA)) == "BadResponseTooLarge"


async def test_a_subscription_sends_smaller_messages_and_loses_nothing(house):
    most = 1_000  # room for some 40 samples
    raw = await with_session(house, most)
    items = [item(name, n, filter_=EVERY_SAMPLE) for n, name in enumerate(SIGNALS)]
    await raw.monitored(*items)
    for n in range(len(SIGNALS)):
        await raw.hear(n, 1)
    house.tick(200)
    for n in range(len(SIGNALS)):
        await raw.hear(n, 200)
    times = [value.SourceTimestamp for value in raw.values[0]]
    assert len(set(times)) == len(times) >= 200
    data = [m for m in raw.messages if m.NotificationMessage.NotificationData]
    counts = [len(m.NotificationMessage.NotificationData[0].MonitoredItems) for m in data]
    assert max(counts) * 22 < most  # a sample of a Double has 22 bytes
    assert max(counts) * 22 > most / 2  # and the room is used


async def test_a_value_that_never_fits_is_told_to_be_too_large(house):
    raw = await with_session(house, 300)
    await raw.monitored(item(SCHEMA))
    assert await status_of(raw.publish()) == "BadResponseTooLarge"

"""Requests find their service, and get an answer whatever they are."""

import asyncio
import logging

import pytest
from asyncua import Client, ua
from asyncua.ua.ua_binary import struct_from_binary, struct_to_binary

from tests.server.opcua.asking import change, read_status, status_of, wanted
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import comes_true
from tests.server.opcua.raw_client import RawClient

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK, PAUSE = "Simulation.Tick", "Simulation.Pause"
UNSERVED = [
    "AddNodes",
    "AddReferences",
    "DeleteNodes",
    "DeleteReferences",
    "HistoryUpdate",
    "QueryFirst",
    "QueryNext",
    "RegisterServer",
    "RegisterServer2",
    "FindServersOnNetwork",
]
SERVED = [
    "Browse",
    "BrowseNext",
    "Call",
    "Cancel",
    "CreateMonitoredItems",
    "CreateSubscription",
    "DeleteMonitoredItems",
    "DeleteSubscriptions",
    "HistoryRead",
    "ModifyMonitoredItems",
    "ModifySubscription",
    "Publish",
    "Read",
    "RegisterNodes",
    "Republish",
    "SetMonitoringMode",
    "SetPublishingMode",
    "SetTriggering",
    "TransferSubscriptions",
    "TranslateBrowsePathsToNodeIds",
    "UnregisterNodes",
    "Write",
]
WITHOUT_LISTS = ("Cancel", "CreateSubscription")


def type_of(name: str) -> int:
    return int(getattr(ua.ObjectIds, f"{name}Request_Encoding_DefaultBinary"))


async def channel_to(cell: InProcess) -> RawClient:
    """A client with an open channel and nothing more."""
    client = Client(cell.server.endpoint, timeout=20)
    await client.connect_sessionless()
    return RawClient(client)


@pytest.mark.parametrize("name", UNSERVED)
async def test_what_is_not_served_is_unsupported_with_and_without_a_session(cell, name):
    raw = RawClient(await cell.client())
    assert await status_of(raw.ask_with_bytes(type_of(name), b"")) == "BadServiceUnsupported"
    other = await channel_to(cell)
    assert await status_of(other.ask_with_bytes(type_of(name), b"")) == "BadServiceUnsupported"
    other.client.disconnect_socket()


@pytest.mark.parametrize("type_id", [1, 84, 449, 633, 65_535])
async def test_what_is_no_request_is_unsupported(cell, type_id):
    raw = RawClient(await cell.client())
    assert await status_of(raw.ask_with_bytes(type_id, b"")) == "BadServiceUnsupported"


@pytest.mark.parametrize("name", SERVED)
async def test_without_a_session_nothing_else_is_even_decoded(cell, name):
    raw = await channel_to(cell)
    asked = raw.ask_with_bytes(type_of(name), b"\xff" * 40)
    assert await status_of(asked) == "BadSessionIdInvalid"
    raw.client.disconnect_socket()


@pytest.mark.parametrize("name", [one for one in SERVED if one != "Publish"])
async def test_a_request_that_ends_too_soon_cannot_be_decoded_and_the_session_goes_on(cell, name):
    client = await cell.client()
    raw = RawClient(client)
    assert await status_of(raw.ask_with_bytes(type_of(name), b"\1")) == "BadDecodingError"
    assert await read_status(client, TICK) == "Good"


@pytest.mark.parametrize("name", [one for one in SERVED if one not in WITHOUT_LISTS])
async def test_a_request_that_claims_a_billion_things_is_refused(cell, name):
    client = await cell.client()
    raw = RawClient(client)
    status = await status_of(raw.ask_with_bytes(type_of(name), b"\xff\xff\xff\x3f" * 20))
    assert status.startswith("Bad")
    assert status != "BadInternalError"
    assert await read_status(client, TICK) == "Good"


async def test_an_answer_carries_the_handle_of_its_request(cell):
    raw = RawClient(await cell.client())
    request = ua.ReadRequest()
    request.Parameters = ua.ReadParameters(NodesToRead=[wanted(TICK)])
    data = await raw.protocol.send_request(request)
    response = struct_from_binary(ua.ReadResponse, data)
    assert response.ResponseHeader.RequestHandle == request.RequestHeader.RequestHandle


async def test_what_goes_wrong_inside_is_logged_and_told_and_the_client_stays(
    cell, monkeypatch, caplog
):
    client = await cell.client()

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(cell.server.subscriptions, "_terms", fail)
    with caplog.at_level(logging.ERROR, "twincell.opcua"):
        assert await status_of(RawClient(client).subscribe()) == "BadInternalError"
    assert any("CreateSubscription" in message for message in caplog.messages)
    assert await read_status(client, TICK) == "Good"


async def test_refusals_are_counted(cell):
    client = await cell.client()
    raw, counters = RawClient(client), cell.server.sessions._counters
    before = counters.rejected_requests
    await status_of(raw.ask_with_bytes(type_of("AddNodes"), b""))
    await status_of(raw.ask_with_bytes(type_of("Read"), b""))
    assert counters.rejected_requests == before + 2


async def test_requests_sent_at_once_are_all_answered(cell):
    client = await cell.client()
    statuses = await asyncio.gather(*(read_status(client, TICK) for _ in range(200)))
    assert statuses == ["Good"] * 200


async def test_a_call_that_waits_for_the_loop_holds_nobody_up(cell):
    client = await cell.client()
    cell.takes_orders = False
    calling = asyncio.ensure_future(
        client.uaclient.call([ua.CallMethodRequest(cell.id("Simulation"), cell.id(PAUSE), [])])
    )
    await asyncio.sleep(0.05)
    assert await read_status(client, TICK) == "Good"
    assert not calling.done()
    cell.takes_orders = True
    (result,) = await calling
    assert result.StatusCode.is_good()


async def test_after_closing_the_channel_nothing_more_is_done(cell):
    """A command behind CloseSecureChannel, in the same bytes, must not be carried out."""
    client = await cell.client(user="operator")
    protocol = client.uaclient.protocol
    write = ua.WriteRequest()
    write.Parameters = ua.WriteParameters([change("Robot1Flange.Closed", True)])
    protocol._setup_request_header(write.RequestHeader, 10)
    close = ua.CloseSecureChannelRequest()
    protocol._setup_request_header(close.RequestHeader, 10)
    connection, first = protocol._connection, protocol._request_id
    data = connection.message_to_binary(
        struct_to_binary(close), ua.MessageType.SecureClose, request_id=first + 1
    )
    data += connection.message_to_binary(struct_to_binary(write), request_id=first + 2)
    protocol.transport.write(data)
    await comes_true(lambda: not cell.server.admission.connections)
    cell.tick(3)
    assert cell.newest("Robot1Flange.Closed") == 0

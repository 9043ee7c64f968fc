"""Every limit holds: so much is allowed, one more is refused, and clients are told which it is."""

import asyncio
import inspect
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import fields, replace
from typing import Any

import pytest
import pytest_asyncio
from asyncua import Client, ua

from server.opcua.limits import Limits
from server.opcua.space.namespaces import base_id
from tests.server.opcua.asking import change, read, read_value, status_of, wanted
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true, empty
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import RawClient, item

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK, COMMAND, PAUSE = "Simulation.Tick", "Robot1Flange.Closed", "Simulation.Pause"
PATIENCE_S = 20.0
NARROW = replace(
    Limits(),
    failed_logins=3,
    sessions=4,
    min_session_timeout_ms=2_000.0,
    max_session_timeout_ms=60_000.0,
    min_channel_lifetime_ms=20_000.0,
    max_channel_lifetime_ms=90_000.0,
    subscriptions=5,
    subscriptions_per_session=3,
    monitored_items=14,
    monitored_items_per_subscription=6,
    publish_requests_per_session=2,
    min_publishing_interval_ms=50.0,
    read_nodes=11,
    write_nodes=12,
    call_methods=13,
    browse_nodes=14,
    translate_nodes=15,
    register_nodes=16,
    monitored_item_calls=7,
    references_per_node=2,
    continuation_points=1,
    message_bytes=200_000,
    message_bytes_before=20_000,
    chunk_bytes=16_384,
    chunks=15,
    array_length=2_000,
    string_length=3_000,
    byte_string_length=4_000,
    decoded_parts=20_000,
)
TOO_MANY, TOO_MUCH = "BadTooManyOperations", "BadEncodingLimitsExceeded"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def narrow() -> AsyncIterator[InProcess]:
    cell = InProcess("tool_change_single")
    cell.server.limits = NARROW
    async with cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="session")
async def house(narrow: InProcess) -> AsyncIterator[InProcess]:
    """The narrow cell with nobody in it."""
    yield narrow
    await empty(narrow)


@pytest_asyncio.fixture(loop_scope="session")
async def raw(house: InProcess) -> RawClient:
    return RawClient(await house.client())


async def told(raw: RawClient, name: str) -> Any:
    """A limit as ServerCapabilities tell it."""
    node = base_id(getattr(ua.ObjectIds, f"Server_ServerCapabilities_{name}"))
    return await read_value(raw.client, node)


async def connected(house: InProcess) -> Client:
    """A client with an open channel and nothing more."""
    client = Client(house.server.endpoint, timeout=PATIENCE_S)
    await client.connect_sessionless()
    return client


async def is_shown_out(house: InProcess) -> None:
    await comes_true(lambda: not house.server.door.connections)


async def test_every_limit_has_its_test():
    tests = [name for name, _ in inspect.getmembers(sys.modules[__name__], inspect.isfunction)]
    for limit in fields(Limits):
        assert any(name.startswith(f"test_limit_{limit.name}_") for name in tests), limit.name


# ---------------------------------------------------------------- connections


Come = Callable[[int], Awaitable[list[asyncio.StreamReader]]]


@pytest_asyncio.fixture(loop_scope="session")
async def come(house: InProcess) -> AsyncIterator[Come]:
    """Lets clients come that say nothing, one after the other."""
    writers = []

    async def them(count: int) -> list[asyncio.StreamReader]:
        readers = []
        for _ in range(count):
            reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
            readers.append(reader)
            writers.append(writer)
            await asyncio.sleep(0.02)
        return readers

    yield them
    for writer in writers:
        writer.close()
    await asyncio.gather(*(one.wait_closed() for one in writers), return_exceptions=True)


async def still_in(readers: list[asyncio.StreamReader]) -> int:
    async def is_in(reader: asyncio.StreamReader) -> bool:
        try:
            return await asyncio.wait_for(reader.read(1), 0.2) != b""
        except TimeoutError:
            return True
        except ConnectionError:
            return False

    return sum(await asyncio.gather(*map(is_in, readers)))


async def check_connections(house: InProcess, come: Come, monkeypatch: Any, limit: str) -> None:
    change_limits(house, monkeypatch, **{limit: 3})
    assert await still_in(await come(5)) == 3
    assert len(house.server.door.connections) == 3


async def test_limit_connections_is_of_all(house, come, monkeypatch):
    await check_connections(house, come, monkeypatch, "connections")


async def test_limit_connections_per_address_is_of_one(house, come, monkeypatch):
    await check_connections(house, come, monkeypatch, "connections_per_address")


async def test_limit_unauthenticated_connections_is_of_strangers(house, come, monkeypatch):
    await check_connections(house, come, monkeypatch, "unauthenticated_connections")


async def test_limit_seconds_to_open_ends_a_silent_connection(house, come, monkeypatch):
    change_limits(house, monkeypatch, seconds_to_open=0.2)
    await come(1)
    await is_shown_out(house)


async def test_limit_seconds_to_activate_ends_a_channel_without_a_session(house, monkeypatch):
    change_limits(house, monkeypatch, seconds_to_activate=0.2)
    client = await connected(house)
    await is_shown_out(house)
    client.disconnect_socket()


async def test_limit_failed_logins_makes_the_next_one_wait(house):
    client = await house.client()
    for _ in range(NARROW.failed_logins):
        asked = client.activate_session("operator", "wrong")
        assert await status_of(asked) == "BadUserAccessDenied"
    asked = client.activate_session("operator", PASSWORD)
    assert await status_of(asked) == "BadUserAccessDenied"


# ---------------------------------------------------------------- sessions


async def test_limit_sessions_is_of_all(house, raw):
    assert await told(raw, "MaxSessions") == NARROW.sessions
    for _ in range(NARROW.sessions - 1):
        await house.client()
    late = await connected(house)
    assert await status_of(late.create_session()) == "BadTooManySessions"
    late.disconnect_socket()


async def revised_timeout(raw: RawClient, asked_ms: float) -> float:
    params = ua.CreateSessionParameters(RequestedSessionTimeout=asked_ms)
    created = await raw.ask(ua.CreateSessionRequest(), params)
    return float(created.Parameters.RevisedSessionTimeout)


async def test_limit_min_session_timeout_ms_is_the_least(raw):
    assert await revised_timeout(raw, 1.0) == NARROW.min_session_timeout_ms


async def test_limit_max_session_timeout_ms_is_the_most(raw):
    assert await revised_timeout(raw, 1e9) == NARROW.max_session_timeout_ms


async def revised_lifetime(house: InProcess, asked_ms: int) -> int:
    client = Client(house.server.endpoint, timeout=PATIENCE_S)
    client.secure_channel_timeout = asked_ms
    await client.connect_sessionless()
    await client.disconnect_sessionless()
    return client.secure_channel_timeout


async def test_limit_min_channel_lifetime_ms_is_the_least(house):
    assert await revised_lifetime(house, 1) == NARROW.min_channel_lifetime_ms


async def test_limit_max_channel_lifetime_ms_is_the_most(house):
    assert await revised_lifetime(house, 10**9) == NARROW.max_channel_lifetime_ms


# ---------------------------------------------------------------- subscriptions


async def test_limit_subscriptions_is_of_all(house, raw):
    assert await told(raw, "MaxSubscriptions") == NARROW.subscriptions
    other = RawClient(await house.client())
    for one in (raw, raw, raw, other, other):
        await one.subscribe()
    assert await status_of(other.subscribe()) == "BadTooManySubscriptions"


async def test_limit_subscriptions_per_session_is_of_one(raw):
    assert await told(raw, "MaxSubscriptionsPerSession") == NARROW.subscriptions_per_session
    made = [await raw.subscribe() for _ in range(NARROW.subscriptions_per_session)]
    assert await status_of(raw.subscribe()) == "BadTooManySubscriptions"
    await raw.delete(made[0].SubscriptionId)
    assert await status_of(raw.subscribe()) == "Good"


async def test_limit_monitored_items_is_of_all(raw):
    assert await told(raw, "MaxMonitoredItems") == NARROW.monitored_items
    for count in (6, 6, 2):
        subscription = await raw.subscribe()
        assert await status_of(raw.monitor(subscription, *[item(TICK)] * count)) == "Good"
    assert await status_of(raw.monitor(subscription, item(TICK))) == "BadTooManyMonitoredItems"


async def test_limit_monitored_items_per_subscription_is_of_one(raw):
    most = NARROW.monitored_items_per_subscription
    assert await told(raw, "MaxMonitoredItemsPerSubscription") == most
    subscription = await raw.subscribe()
    await raw.monitor(subscription, *[item(TICK)] * most)
    assert await status_of(raw.monitor(subscription, item(TICK))) == "BadTooManyMonitoredItems"


async def test_limit_publish_requests_per_session_sends_the_oldest_back(raw):
    await raw.subscribe(interval_ms=1_000.0)
    first, *others = [raw.publish() for _ in range(NARROW.publish_requests_per_session + 2)]
    assert await status_of(first) == "BadTooManyPublishRequests"
    # the first message of a subscription takes one of them
    assert await status_of(others[0]) in ("BadTooManyPublishRequests", "Good")


async def test_limit_min_publishing_interval_ms_is_the_least(raw):
    made = await raw.subscribe(interval_ms=1.0)
    assert made.RevisedPublishingInterval == NARROW.min_publishing_interval_ms
    modified = ua.ModifySubscriptionParameters(made.SubscriptionId, 0.0, 100, 10, 0, 0)
    response = await raw.ask(ua.ModifySubscriptionRequest(), modified)
    revised = response.Parameters.RevisedPublishingInterval
    assert revised == NARROW.min_publishing_interval_ms


# ---------------------------------------------------------------- operations


def _operations(name: str, count: int) -> Any:
    """A request with so many operations."""
    node = base_id(ua.ObjectIds.ObjectsFolder)
    return {
        "Read": lambda: ua.ReadParameters(NodesToRead=[wanted(TICK)] * count),
        "HistoryRead": lambda: ua.HistoryReadParameters(
            HistoryReadDetails=ua.ReadRawModifiedDetails(),
            NodesToRead=[ua.HistoryReadValueId(node)] * count,
        ),
        "Write": lambda: ua.WriteParameters([change(COMMAND, False)] * count),
        "Call": lambda: ua.CallParameters([ua.CallMethodRequest(node, node, [])] * count),
        "Browse": lambda: ua.BrowseParameters(
            NodesToBrowse=[ua.BrowseDescription(NodeId=base_id(ua.ObjectIds.BaseDataType))] * count
        ),
        "TranslateBrowsePathsToNodeIds": lambda: ua.TranslateBrowsePathsToNodeIdsParameters(
            [ua.BrowsePath(node, ua.RelativePath([ua.RelativePathElement()]))] * count
        ),
        "RegisterNodes": lambda: ua.RegisterNodesParameters([node] * count),
        "UnregisterNodes": lambda: ua.UnregisterNodesParameters([node] * count),
    }[name]()


async def check_operations(raw: RawClient, capability: str, most: int, *names: str) -> None:
    """All of these services take as many operations as is told, not one more, and not none."""
    assert await told(raw, f"OperationLimits_{capability}") == most
    for name in names:
        for count, status in ((most, "Good"), (most + 1, TOO_MANY), (0, "BadNothingToDo")):
            request = getattr(ua, f"{name}Request")()
            asked = raw.ask(request, _operations(name, count))
            assert await status_of(asked) == status, (name, count)


async def test_limit_read_nodes_is_of_one_request(raw):
    await check_operations(raw, "MaxNodesPerRead", NARROW.read_nodes, "Read", "HistoryRead")


async def test_limit_write_nodes_is_of_one_request(raw):
    await check_operations(raw, "MaxNodesPerWrite", NARROW.write_nodes, "Write")


async def test_limit_call_methods_is_of_one_request(raw):
    await check_operations(raw, "MaxNodesPerMethodCall", NARROW.call_methods, "Call")


async def test_limit_browse_nodes_is_of_one_request(raw):
    await check_operations(raw, "MaxNodesPerBrowse", NARROW.browse_nodes, "Browse")


async def test_limit_translate_nodes_is_of_one_request(raw):
    name = "TranslateBrowsePathsToNodeIds"
    await check_operations(raw, f"MaxNodesPer{name}", NARROW.translate_nodes, name)


async def test_limit_register_nodes_is_of_one_request(raw):
    names = "RegisterNodes", "UnregisterNodes"
    await check_operations(raw, "MaxNodesPerRegisterNodes", NARROW.register_nodes, *names)


async def test_limit_monitored_item_calls_is_of_one_request(raw):
    most = NARROW.monitored_item_calls
    assert await told(raw, "OperationLimits_MaxMonitoredItemsPerCall") == most
    subscription = await raw.subscribe()
    number, reporting = subscription.SubscriptionId, ua.MonitoringMode.Reporting
    one = ua.MonitoredItemModifyRequest(1, item(TICK).RequestedParameters)
    both = ua.TimestampsToReturn.Both
    for count, status in ((most, "Good"), (most + 1, TOO_MANY), (0, "BadNothingToDo")):
        for request, params in (
            (
                ua.ModifyMonitoredItemsRequest(),
                ua.ModifyMonitoredItemsParameters(number, both, [one] * count),
            ),
            (
                ua.SetMonitoringModeRequest(),
                ua.SetMonitoringModeParameters(number, reporting, [1] * count),
            ),
            (
                ua.DeleteMonitoredItemsRequest(),
                ua.DeleteMonitoredItemsParameters(number, [1] * count),
            ),
        ):
            assert await status_of(raw.ask(request, params)) == status, (request, count)
    assert await status_of(raw.monitor(subscription, *[item(TICK)] * (most + 1))) == TOO_MANY


def _many() -> ua.BrowseDescription:
    """A node with more references than fit into an answer."""
    return ua.BrowseDescription(
        base_id(ua.ObjectIds.Server), ResultMask=63, IncludeSubtypes=True, NodeClassMask=0
    )


async def test_limit_references_per_node_is_of_one_answer(raw):
    response = await raw.ask(ua.BrowseRequest(), ua.BrowseParameters(NodesToBrowse=[_many()]))
    (result,) = response.Results
    assert len(result.References) == NARROW.references_per_node
    assert result.ContinuationPoint


async def test_limit_continuation_points_is_of_one_session(raw):
    assert await told(raw, "MaxBrowseContinuationPoints") == NARROW.continuation_points
    asked = ua.BrowseParameters(NodesToBrowse=[_many()] * 2)
    results = (await raw.ask(ua.BrowseRequest(), asked)).Results
    names = [one.StatusCode.name for one in results]
    assert names == ["Good", "BadNoContinuationPoints"]


# ---------------------------------------------------------------- messages


def _long_write(size: int) -> ua.WriteParameters:
    """A Write request of some size, of strings that are not too long."""
    text = "x" * 2_900
    return ua.WriteParameters([change(COMMAND, text)] * (size // len(text)))


async def test_limit_message_bytes_is_of_one_who_has_logged_in(house, monkeypatch):
    change_limits(house, monkeypatch, message_bytes=30_000, message_bytes_before=20_000)
    raw = RawClient(await house.client())
    assert await status_of(raw.ask(ua.WriteRequest(), _long_write(29_000))) == "Good"
    assert await status_of(raw.ask(ua.WriteRequest(), _long_write(34_000))) == "BadRequestTooLarge"


async def test_limit_message_bytes_before_is_of_strangers(house):
    raw = RawClient(await connected(house))
    status = await status_of(raw.ask(ua.WriteRequest(), _long_write(18_000)))
    assert status == "BadSessionIdInvalid"
    status = await status_of(raw.ask(ua.WriteRequest(), _long_write(30_000)))
    assert status == "BadRequestTooLarge"


async def test_limit_chunk_bytes_is_of_one_chunk(house):
    client = await connected(house)
    client.uaclient.protocol.transport.write(b"MSGF" + (16_385).to_bytes(4, "little"))
    await is_shown_out(house)
    client.disconnect_socket()


async def test_limit_chunks_is_of_one_message(house, monkeypatch):
    change_limits(house, monkeypatch, chunks=2)
    raw = RawClient(await house.client())
    assert await status_of(raw.ask(ua.WriteRequest(), _long_write(31_000))) == "Good"
    assert await status_of(raw.ask(ua.WriteRequest(), _long_write(35_000))) == "BadRequestTooLarge"


async def check_length(raw: RawClient, capability: str, most: int, make: Any) -> None:
    """A value is as long as is told, and not longer."""
    assert await told(raw, capability) == most
    for length, status in ((most, "Good"), (most + 1, TOO_MUCH)):
        params = ua.WriteParameters([change(COMMAND, make(length))])
        assert await status_of(raw.ask(ua.WriteRequest(), params)) == status, length


@pytest.mark.parametrize(
    "type_", ["Boolean", "Double", "Int64", "String", "Variant"], ids=lambda name: f"of {name}"
)
async def test_limit_array_length_is_of_one_array(raw, type_):
    kind = ua.VariantType[type_]
    value = {"String": "x", "Variant": ua.Variant(1)}.get(type_, 1)
    await check_length(
        raw, "MaxArrayLength", NARROW.array_length, lambda n: ua.Variant([value] * n, kind)
    )


async def test_limit_string_length_is_of_one_string(raw):
    await check_length(raw, "MaxStringLength", NARROW.string_length, lambda n: "x" * n)


async def test_limit_byte_string_length_is_of_one_byte_string(raw):
    await check_length(raw, "MaxByteStringLength", NARROW.byte_string_length, bytes)


async def test_limit_decoded_parts_is_of_one_message(raw):
    strings = ua.Variant(["x"] * 1_900, ua.VariantType.String)
    for count, status in ((4, "Good"), (12, TOO_MUCH)):
        params = ua.WriteParameters([change(COMMAND, strings)] * count)
        assert await status_of(raw.ask(ua.WriteRequest(), params)) == status


async def test_limit_unread_bytes_stops_the_answers_to_a_client_that_does_not_read(
    house, monkeypatch
):
    change_limits(house, monkeypatch, unread_bytes=100_000)
    raw = RawClient(await house.client())
    raw.protocol.transport.pause_reading()
    schema = ua.NodeId(ua.ObjectIds.OpcUa_BinarySchema)
    for _ in range(40):
        request = ua.ReadRequest()
        request.Parameters = ua.ReadParameters(NodesToRead=[wanted(schema)])
        raw.protocol._send_request(request)
    (connection,) = house.server.door.connections
    await comes_true(lambda: connection.is_congested)
    held = connection.transport.get_write_buffer_size()
    await asyncio.sleep(0.3)
    assert connection.transport.get_write_buffer_size() == held
    assert held < 100_000 + 1_000_000  # one answer has 0.6 MB
    (value,) = await read((await house.client()), wanted(TICK))  # nobody else minds
    assert value.StatusCode.is_good()
    raw.protocol.transport.abort()

"""Limits of one request and its answer hold: of operations, and of messages."""

import asyncio
from typing import Any

import pytest
import pytest_asyncio
from asyncua import ua

from tests.server.opcua.asking import change, read, status_of, wanted
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true
from tests.server.opcua.narrow_limits import NARROW, connected, told
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.space.namespaces import base_id

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK, COMMAND, PAUSE = "Simulation.Tick", "Robot1Flange.Closed", "Simulation.Pause"
TOO_MANY, TOO_MUCH = "BadTooManyOperations", "BadEncodingLimitsExceeded"


@pytest_asyncio.fixture(loop_scope="session")
async def raw(narrow: InProcess) -> RawClient:
    return RawClient(await narrow.client())


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


async def test_limit_message_bytes_is_of_one_who_has_logged_in(narrow, monkeypatch):
    change_limits(narrow, monkeypatch, message_bytes=30_000, message_bytes_before=20_000)
    raw = RawClient(await narrow.client())
    assert await status_of(raw.ask(ua.WriteRequest(), _long_write(29_000))) == "Good"
    assert await status_of(raw.ask(ua.WriteRequest(), _long_write(34_000))) == "BadRequestTooLarge"


async def test_limit_message_bytes_before_is_of_strangers(narrow):
    raw = RawClient(await connected(narrow))
    status = await status_of(raw.ask(ua.WriteRequest(), _long_write(18_000)))
    assert status == "BadSessionIdInvalid"
    status = await status_of(raw.ask(ua.WriteRequest(), _long_write(30_000)))
    assert status == "BadRequestTooLarge"


async def test_limit_chunk_bytes_is_of_one_chunk(narrow):
    client = await connected(narrow)
    client.uaclient.protocol.transport.write(b"MSGF" + (16_385).to_bytes(4, "little"))
    await comes_true(lambda: not narrow.server.admission.connections)
    client.disconnect_socket()


async def test_limit_chunks_is_of_one_message(narrow, monkeypatch):
    change_limits(narrow, monkeypatch, chunks=2)
    raw = RawClient(await narrow.client())
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
    narrow, monkeypatch
):
    change_limits(narrow, monkeypatch, unread_bytes=100_000)
    raw = RawClient(await narrow.client())
    raw.protocol.transport.pause_reading()
    schema = ua.NodeId(ua.ObjectIds.OpcUa_BinarySchema)
    for _ in range(40):
        request = ua.ReadRequest()
        request.Parameters = ua.ReadParameters(NodesToRead=[wanted(schema)])
        raw.protocol._send_request(request)
    (connection,) = narrow.server.admission.connections
    await comes_true(lambda: connection.is_congested)
    held = connection.transport.get_write_buffer_size()
    await asyncio.sleep(0.3)
    assert connection.transport.get_write_buffer_size() == held
    assert held < 100_000 + 1_000_000  # one answer has 0.6 MB
    (value,) = await read((await narrow.client()), wanted(TICK))  # nobody else minds
    assert value.StatusCode.is_good()
    raw.protocol.transport.abort()

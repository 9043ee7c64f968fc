"""CreateMonitoredItems: what is revised, what is refused, and that a refusal changes nothing."""

from typing import Any

import pytest
from asyncua import Client, ua
from asyncua.ua.object_ids import ObjectIds

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import subscription, subscriptions
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, absolute, item, names
from twincell.server.opcua.subscription.sources import SHORTEST_SAMPLING_S

pytestmark = pytest.mark.asyncio(loop_scope="session")

Trigger = ua.DataChangeTrigger
PERCENT = ua.DataChangeFilter(Trigger.StatusValue, ua.DeadbandType.Percent, 10.0)
NO_SUCH_DEADBAND = ua.DataChangeFilter(Trigger.StatusValue, 7, 1.0)
EVENTS = ua.EventFilter(SelectClauses=[ua.SimpleAttributeOperand()])
XML = ua.QualifiedName("Default XML", 0)
BINARY = ua.QualifiedName("Default Binary", 0)
SERVER = ua.NodeId(ObjectIds.Server)
NAMESPACES = ua.NodeId(ObjectIds.Server_NamespaceArray)

REFUSED: dict[str, tuple[Any, str]] = {
    "unknown node": (item("Tool9.Pose"), "BadNodeIdUnknown"),
    "null node": (item(ua.NodeId()), "BadNodeIdUnknown"),
    "an object has no value": (item("Tool1"), "BadAttributeIdInvalid"),
    "no such attribute": (item("Tool1.Pose", attribute=99), "BadAttributeIdInvalid"),
    "attribute 0": (item("Tool1.Pose", attribute=0), "BadAttributeIdInvalid"),
    "index range is no range": (
        item("Robot1.JointPosition", index_range="1-3"),
        "BadIndexRangeInvalid",
    ),
    "index range backwards": (
        item("Robot1.JointPosition", index_range="3:1"),
        "BadIndexRangeInvalid",
    ),
    "index range beyond the array": (
        item("Robot1.JointPosition", index_range="6"),
        "BadIndexRangeNoData",
    ),
    "index range of two dimensions": (
        item("Robot1.JointPosition", index_range="1,1"),
        "BadIndexRangeNoData",
    ),
    "index range on a scalar": (item("Tool1.Pose.X", index_range="0"), "BadIndexRangeNoData"),
    "index range on a structure": (item("Tool1.Pose", index_range="0"), "BadIndexRangeNoData"),
    "index range beyond packed bits": (item("Bulk.Flags", index_range="9"), "BadIndexRangeNoData"),
    "index range on a slow scalar": (
        item("Simulation.Speed", index_range="0"),
        "BadIndexRangeNoData",
    ),
    "index range beyond a slow array": (item(NAMESPACES, index_range="50"), "BadIndexRangeNoData"),
    "encoding of a number": (item("Tool1.Pose.X", encoding=BINARY), "BadDataEncodingInvalid"),
    "encoding of an attribute": (
        item("Tool1.Pose", attribute=ua.AttributeIds.BrowseName, encoding=BINARY),
        "BadDataEncodingInvalid",
    ),
    "other encoding": (item("Tool1.Pose", encoding=XML), "BadDataEncodingUnsupported"),
    "percent deadband": (
        item("Tool1.Pose.X", filter_=PERCENT),
        "BadMonitoredItemFilterUnsupported",
    ),
    "unknown deadband": (
        item("Tool1.Pose.X", filter_=NO_SUCH_DEADBAND),
        "BadDeadbandFilterInvalid",
    ),
    "negative deadband": (item("Tool1.Pose.X", filter_=absolute(-1.0)), "BadDeadbandFilterInvalid"),
    "deadband not a number": (
        item("Tool1.Pose.X", filter_=absolute(float("nan"))),
        "BadDeadbandFilterInvalid",
    ),
    "deadband on a Boolean": (
        item("Robot1Flange.Closed", filter_=absolute(0.5)),
        "BadFilterNotAllowed",
    ),
    "deadband on Booleans": (item("Robot1.AtLimit", filter_=absolute(0.5)), "BadFilterNotAllowed"),
    "deadband on a String": (item("Tool1.Partner", filter_=absolute(0.5)), "BadFilterNotAllowed"),
    "deadband on a structure": (item("Tool1.Pose", filter_=absolute(0.5)), "BadFilterNotAllowed"),
    "deadband on packed bits": (item("Bulk.Flags", filter_=absolute(0.5)), "BadFilterNotAllowed"),
    "deadband on a slow String": (
        item("Simulation.State", filter_=absolute(0.5)),
        "BadFilterNotAllowed",
    ),
    "filter on another attribute": (
        item("Tool1.Pose", attribute=ua.AttributeIds.BrowseName, filter_=EVERY_SAMPLE),
        "BadFilterNotAllowed",
    ),
    "event filter on a value": (item("Tool1.Pose", filter_=EVENTS), "BadFilterNotAllowed"),
    "event filter on a slow value": (
        item("Simulation.State", filter_=EVENTS),
        "BadFilterNotAllowed",
    ),
    "aggregate filter": (
        item("Tool1.Pose.X", filter_=ua.AggregateFilter()),
        "BadMonitoredItemFilterUnsupported",
    ),
    "something that is no filter": (
        item("Tool1.Pose.X", filter_=ua.ThreeDVector()),
        "BadMonitoredItemFilterUnsupported",
    ),
    "events of what has none": (
        item("Tool1", attribute=ua.AttributeIds.EventNotifier, filter_=EVENTS),
        "BadAttributeIdInvalid",
    ),
    "events of an unknown node": (
        item("Tool9", attribute=ua.AttributeIds.EventNotifier, filter_=EVENTS),
        "BadNodeIdUnknown",
    ),
    "value filter on events": (
        item(SERVER, attribute=ua.AttributeIds.EventNotifier, filter_=EVERY_SAMPLE),
        "BadFilterNotAllowed",
    ),
    "events without a filter": (
        item(SERVER, attribute=ua.AttributeIds.EventNotifier),
        "BadMonitoredItemFilterInvalid",
    ),
    "events without fields": (
        item(SERVER, attribute=ua.AttributeIds.EventNotifier, filter_=ua.EventFilter()),
        "BadEventFilterInvalid",
    ),
}


@pytest.mark.parametrize("wrong", REFUSED)
async def test_a_wrong_item_is_refused_and_the_good_ones_beside_it_work(
    cell: InProcess, client: Client, wrong: str
):
    request, status = REFUSED[wrong]
    raw = RawClient(client)
    made = await raw.subscribe()
    results = await raw.monitor(made, item("Simulation.Tick", 1), request, item("Tool1.Partner", 2))
    assert names(r.StatusCode for r in results) == ["Good", status, "Good"]
    assert results[1].MonitoredItemId == 0
    assert len(subscription(cell, made.SubscriptionId).items) == 2
    cell.tick(1)
    await raw.hear(1, 2)
    assert len(raw.values[2]) == 1


async def test_a_request_without_items_is_refused(client: Client):
    raw = RawClient(client)
    made = await raw.subscribe()
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await raw.monitor(made)


async def test_a_request_with_too_many_items_is_refused(cell: InProcess, client: Client):
    raw = RawClient(client)
    made = await raw.subscribe()
    with pytest.raises(ua.uaerrors.BadTooManyOperations):
        await raw.monitor(made, *[item("Simulation.Tick")] * 1_001)
    assert len(subscription(cell, made.SubscriptionId).items) == 0


async def test_unknown_times_are_refused(cell: InProcess, client: Client):
    raw = RawClient(client)
    made = await raw.subscribe()
    invalid = ua.TimestampsToReturn.Invalid
    with pytest.raises(ua.uaerrors.BadTimestampsToReturnInvalid):
        await raw.monitor(made, item("Simulation.Tick"), times=invalid)
    assert len(subscription(cell, made.SubscriptionId).items) == 0


async def test_items_of_an_unknown_subscription_are_refused(cell: InProcess, client: Client):
    raw = RawClient(client)
    nobody = ua.CreateSubscriptionResult(SubscriptionId=4711)
    with pytest.raises(ua.uaerrors.BadSubscriptionIdInvalid):
        await raw.monitor(nobody, item("Simulation.Tick"))
    assert not subscriptions(cell).subscriptions


@pytest.mark.parametrize(
    ("node", "asked", "revised"),
    [
        ("Simulation.Tick", 0, 1),
        ("Simulation.Tick", 1, 1),
        ("Simulation.Tick", 500, 500),
        ("Simulation.Tick", 2**32 - 1, 16_384 - 256),  # what can be read of the ring
        ("Simulation.State", 500, 1),  # only the newest value of what is no row
    ],
)
async def test_a_queue_is_as_long_as_the_ring_at_most(
    client: Client, node: str, asked: int, revised: int
):
    raw = RawClient(client)
    made = await raw.subscribe()
    (result,) = await raw.monitor(made, item(node, queue=asked))
    assert result.RevisedQueueSize == revised


async def test_many_long_queues_cost_nobody_his(cell: InProcess, client: Client):
    """Samples wait in the ring, which is there anyway."""
    raw = RawClient(client)
    for _ in range(9):
        made = await raw.subscribe()
        await raw.monitor(made, *[item("Tool1.Pose", queue=16_384)] * 500)
    late = RawClient(await cell.client("late", None))
    (result,) = await late.monitor(await late.subscribe(), item("Tool1.Pose", queue=16_384))
    assert result.RevisedQueueSize == 16_384 - 256


async def test_a_slow_value_is_sampled_no_faster_than_the_server_looks(client: Client):
    raw = RawClient(client)
    made = await raw.subscribe()
    intervals = [0.0, -1.0, 50.0, 250.0, float("nan"), float("inf")]
    results = await raw.monitor(made, *[item("Simulation.State", 1, ms) for ms in intervals])
    shortest = SHORTEST_SAMPLING_S * 1e3
    revised = [r.RevisedSamplingInterval for r in results]
    assert revised == [shortest, shortest, shortest, 250.0, shortest, 3_600_000.0]


async def test_any_attribute_can_be_monitored(cell: InProcess, client: Client):
    raw = RawClient(client)
    name = item("Tool1.Pose", 1, attribute=ua.AttributeIds.BrowseName)
    structure = item("Tool1.Pose", 2, encoding=BINARY)
    part = item(NAMESPACES, 3, index_range="3")
    await raw.monitored(name, structure, part)
    await raw.listen(lambda: len(raw.values) == 3)
    assert raw.told(1)[0].Name == "Pose"
    assert isinstance(raw.told(2)[0], ua.ThreeDFrame)
    assert raw.told(3) == [["urn:twincell:cell"]]


async def test_items_of_one_node_are_independent_of_each_other(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(
        item("Simulation.Tick", 1, 1.0),
        item("Simulation.Tick", 2, 10.0),
        item("Simulation.Tick", 1),
    )
    cell.tick(20)
    await raw.hear(1, 42)
    assert sorted(raw.told(1)) == sorted([*range(21)] * 2)
    assert len(raw.values[2]) == 3

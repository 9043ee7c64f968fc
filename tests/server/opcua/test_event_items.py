"""Monitored items on events: fields, queues, modes, messages."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from asyncua import Client, ua
from asyncua.ua.object_ids import ObjectIds

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import subscriptions
from tests.server.opcua.raw_client import RawClient, item

pytestmark = pytest.mark.asyncio(loop_scope="session")

Mode = ua.MonitoringMode
SERVER = ua.NodeId(ObjectIds.Server)
OVERFLOW_TYPE = ua.NodeId(ObjectIds.EventQueueOverflowEventType)


@dataclass
class Happening:
    """An event, as the server's scanner finds them."""

    fields: dict[str, ua.Variant]


def happen(cell: InProcess, *ticks: int) -> None:
    for tick in ticks:
        fields = {
            "EventType": ua.Variant(ua.NodeId(ObjectIds.BaseEventType)),
            "Tick": ua.Variant(tick, ua.VariantType.Int64),
            "Message": ua.Variant(ua.LocalizedText(f"tick {tick}")),
        }
        subscriptions(cell).put_event(Happening(fields))


def select(*names: str) -> list[ua.SimpleAttributeOperand]:
    return [
        ua.SimpleAttributeOperand(
            ua.NodeId(ObjectIds.BaseEventType),
            [ua.QualifiedName(part) for part in name.split("/")],
            ua.AttributeIds.Value,
        )
        for name in names
    ]


def later_than(tick: int) -> ua.ContentFilter:
    operands: list[Any] = [select("Tick")[0], ua.LiteralOperand(ua.Variant(tick))]
    return ua.ContentFilter([ua.ContentFilterElement(ua.FilterOperator.GreaterThan, operands)])


def events(
    handle: int = 1,
    queue: int = 100,
    where: ua.ContentFilter | None = None,
    node: Any = SERVER,
    fields: tuple[str, ...] = ("Tick",),
    **more: Any,
) -> ua.MonitoredItemCreateRequest:
    filter_ = ua.EventFilter(select(*fields), where or ua.ContentFilter())
    notifier = ua.AttributeIds.EventNotifier
    return item(node, handle, 0.0, queue, filter_, attribute=notifier, **more)


async def heard(raw: RawClient, handle: int, count: int) -> list[Any]:
    """First fields of the events that an item has reported."""
    await raw.listen(lambda: len(raw.events[handle]) >= count)
    return [fields[0] for fields in raw.events[handle]]


async def test_events_come_in_their_order_to_the_server_object_and_to_the_cell(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(events(1), events(2, node="Cell"))
    happen(cell, 1, 2, 3)
    assert await heard(raw, 1, 3) == [1, 2, 3]
    assert await heard(raw, 2, 3) == [1, 2, 3]


async def test_fields_are_those_that_were_selected(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(events(fields=("Message", "NoSuchField", "Tick", "A/B")))
    happen(cell, 7)
    await heard(raw, 1, 1)
    assert raw.events[1] == [[ua.LocalizedText("tick 7"), None, 7, None]]


async def test_only_values_of_fields_can_be_selected(cell: InProcess, client: Client):
    raw = RawClient(client)
    request = events(fields=("Tick", "Tick"))
    clauses = request.RequestedParameters.Filter.SelectClauses
    clauses[0].AttributeId = ua.AttributeIds.NodeId
    await raw.monitored(request)
    happen(cell, 7)
    await heard(raw, 1, 1)
    assert raw.events[1] == [[None, 7]]


async def test_the_where_clause_is_honoured(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(events(where=later_than(2)))
    happen(cell, 1, 2, 3, 4)
    assert await heard(raw, 1, 2) == [3, 4]


@pytest.mark.parametrize(
    ("discard_oldest", "kept"),
    [(True, [OVERFLOW_TYPE, 3, 4, 5]), (False, [1, 2, 3, OVERFLOW_TYPE])],
)
async def test_a_full_queue_tells_of_the_loss_at_its_place(
    cell: InProcess, client: Client, discard_oldest: bool, kept: list[Any]
):
    raw = RawClient(client)
    fields = ("Tick", "EventType")
    await raw.monitored(events(queue=3, fields=fields, discard_oldest=discard_oldest))
    happen(cell, 1, 2, 3, 4, 5)
    await heard(raw, 1, 4)
    assert [tick or type_ for tick, type_ in raw.events[1]] == kept
    happen(cell, 6)
    await heard(raw, 1, 5)
    assert raw.events[1][4:] == [[6, ua.NodeId(ObjectIds.BaseEventType)]]


async def test_the_loss_of_events_is_an_event_of_its_own(cell: InProcess, client: Client):
    raw = RawClient(client)
    fields = ("EventType", "EventId", "Time", "ReceiveTime", "SourceName", "Severity", "Message")
    before = datetime.now(UTC)
    await raw.monitored(events(queue=1, fields=fields))
    happen(cell, 1, 2)
    await heard(raw, 1, 2)
    happen(cell, 3, 4)
    await heard(raw, 1, 4)
    lost = [told for told in raw.events[1] if told[0] == OVERFLOW_TYPE]
    assert len(lost) == 2
    for _, event_id, time, receive_time, source, severity, message in lost:
        assert len(event_id) == 16
        assert before <= time <= receive_time <= datetime.now(UTC)
        assert (source, severity) == ("Server", 500)
        assert "lost" in message.Text
    assert lost[0][1] != lost[1][1]


def clause(path: str, type_: int = ObjectIds.BaseEventType, **more: Any) -> Any:
    (made,) = select(path)
    made.TypeDefinitionId = ua.NodeId(type_)
    for name, value in more.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (clause("Message"), "Good"),
        (clause("Partner"), "Good"),  # of one type of event, asked of all
        (clause("EnabledState/Id"), "Good"),  # of the standard's conditions, which we never send
        (clause("Message", 0), "Good"),  # whoever names no type means all of them
        (clause("", ObjectIds.ConditionType, BrowsePath=[], AttributeId=1), "Good"),
        (clause("NoSuchField"), "BadNodeIdUnknown"),
        (clause("Message/NoSuchPart"), "BadNodeIdUnknown"),
        (clause("", BrowsePath=[]), "BadNodeIdUnknown"),
        (clause("Message", ObjectIds.ServerType), "BadTypeDefinitionInvalid"),
        (clause("Message", 4_000_000), "BadTypeDefinitionInvalid"),
        (clause("Message", AttributeId=ua.AttributeIds.NodeId), "BadAttributeIdInvalid"),
        (clause("Message", IndexRange="0:1"), "BadIndexRangeInvalid"),
    ],
)
async def test_a_select_clause_that_nothing_can_satisfy_is_reported(
    cell: InProcess, client: Client, asked: Any, status: str
):
    raw = RawClient(client)
    subscription = await raw.subscribe()
    request = events()
    clauses = request.RequestedParameters.Filter.SelectClauses
    clauses.append(asked)
    (created,) = await raw.monitor(subscription, request)
    modified = await raw.modify(subscription, created.MonitoredItemId, request)
    for result in (created, modified):
        result.StatusCode.check()
        if status == "Good":
            assert not isinstance(result.FilterResult, ua.EventFilterResult)
        else:
            codes = result.FilterResult.SelectClauseResults
            assert [code.name for code in codes] == ["Good", status]
    happen(cell, 5)
    await heard(raw, 1, 1)
    is_message = asked.BrowsePath == [ua.QualifiedName("Message")] and status == "Good"
    assert raw.events[1] == [[5, ua.LocalizedText("tick 5") if is_message else None]]


@pytest.mark.parametrize(("asked", "revised"), [(0, 1_000), (5, 5), (10**9, 10_000)])
async def test_a_queue_is_revised(client: Client, asked: int, revised: int):
    raw = RawClient(client)
    made = await raw.subscribe()
    (result,) = await raw.monitor(made, events(queue=asked))
    assert (result.RevisedQueueSize, result.RevisedSamplingInterval) == (revised, 0.0)


async def test_events_are_split_into_messages_and_none_is_lost(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(events(1), item("Simulation.Tick", 2), most=4, interval_ms=100.0)
    cell.tick(5)
    happen(cell, *range(9))
    assert await heard(raw, 1, 9) == list(range(9))
    await raw.hear(2, 6)
    assert raw.told(2) == list(range(6))
    sizes = [
        sum(len(getattr(part, "Events", getattr(part, "MonitoredItems", []))) for part in parts)
        for parts in (message.NotificationMessage.NotificationData for message in raw.messages)
    ]
    assert sizes == [4, 4, 4, 3]
    assert [m.MoreNotifications for m in raw.messages] == [True, True, True, False]


async def test_an_item_can_be_changed_and_a_wrong_change_changes_nothing(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, (number,) = await raw.monitored(events(1))
    operator = ua.ContentFilterElement(ua.FilterOperator.Like, [])
    wrong = events(7, fields=("Message",), where=ua.ContentFilter([operator]))
    result = await raw.modify(made, number, wrong)
    assert result.StatusCode.name == "BadFilterOperatorUnsupported"
    happen(cell, 1)
    assert await heard(raw, 1, 1) == [1]
    right = events(7, 5, later_than(2), fields=("Message",))
    result = await raw.modify(made, number, right)
    assert (result.StatusCode.name, result.RevisedQueueSize) == ("Good", 5)
    happen(cell, 2, 3)
    assert await heard(raw, 7, 1) == [ua.LocalizedText("tick 3")]


async def test_a_disabled_item_hears_nothing(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (number,) = await raw.monitored(events(1, mode=Mode.Disabled))
    happen(cell, 1)
    await raw.set_mode(made, Mode.Reporting, number)
    happen(cell, 2)
    assert await heard(raw, 1, 1) == [2]
    happen(cell, 3)
    await raw.set_mode(made, Mode.Disabled, number)
    await raw.set_mode(made, Mode.Reporting, number)
    happen(cell, 4)
    await heard(raw, 1, 2)
    assert raw.events[1][-1] == [4]


async def test_events_can_wait_for_a_value_and_values_for_an_event(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (event, tick, closed, quiet) = await raw.monitored(
        events(1),
        item("Simulation.Tick", 2, mode=Mode.Sampling),
        item("Robot1Flange.Closed", 3),
        events(4, mode=Mode.Sampling),
    )
    await raw.hear(3, 1)
    for triggering, triggered in ((event, tick), (closed, quiet)):
        parameters = ua.SetTriggeringParameters(made.SubscriptionId, triggering, [triggered], [])
        await raw.ask(ua.SetTriggeringRequest(), parameters)
    cell.tick(2)
    happen(cell, 1, 2)
    await heard(raw, 1, 2)
    assert raw.told(2) == [0, 1, 2]
    assert not raw.events[4]
    cell.link.commands.put([(cell.column("Robot1Flange.Closed"), 1.0)])
    cell.tick(1)
    await raw.hear(3, 2)
    assert raw.events[4] == [[1], [2]]


async def test_events_wait_while_nobody_asks_and_are_bounded(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(events(1, queue=10))
    for start in range(0, 1000, 100):
        happen(cell, *range(start, start + 100))
    await heard(raw, 1, 11)
    assert raw.events[1] == [[None], *([tick] for tick in range(990, 1000))]

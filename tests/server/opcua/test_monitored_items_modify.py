"""Items change while they are watched: ModifyMonitoredItems, SetMonitoringMode, deletion."""

import asyncio

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import subscription
from tests.server.opcua.raw_client import (
    EVERY_SAMPLE,
    OVERFLOW,
    RawClient,
    absolute,
    item,
    names,
    statuses,
)
from twincell.server.opcua import operations

pytestmark = pytest.mark.asyncio(loop_scope="session")

Mode = ua.MonitoringMode
TICK = "Simulation.Tick"


async def test_another_interval_goes_on_from_the_same_row(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (tick,) = await raw.monitored(item(TICK, 1))
    cell.tick(8)
    await raw.hear(1, 9)
    cell.tick(4)  # what nobody has asked for yet is sampled at the new interval as well
    result = await raw.modify(made, tick, item(TICK, 1, 5.0))
    assert result.StatusCode.is_good()
    assert result.RevisedSamplingInterval == 5.0
    cell.tick(20)
    row_of_tick_0 = cell.link.ring.written - 1 - cell.newest_tick
    in_step = [tick for tick in range(9, 33) if (row_of_tick_0 + tick) % 5 == 0]
    await raw.hear(1, 9 + len(in_step))
    assert raw.told(1)[9:] == in_step
    result = await raw.modify(made, tick, item(TICK, 1, 1.0))
    assert result.RevisedSamplingInterval == 1.0
    cell.tick(3)
    await raw.listen(lambda: raw.told(1)[-1] == cell.newest_tick)
    assert raw.told(1)[-3:] == [33, 34, 35]


async def test_another_queue_another_handle_and_another_policy(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (tick,) = await raw.monitored(item(TICK, 1, queue=100))
    cell.tick(10)
    result = await raw.modify(made, tick, item(TICK, 7, queue=3, discard_oldest=False))
    assert result.RevisedQueueSize == 3
    values = await raw.hear(7, 3)
    assert raw.told(7) == [0, 1, 10]
    assert statuses(values) == [0, 0, OVERFLOW]
    assert not raw.values[1]


async def test_another_filter_compares_with_what_was_reported_before(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, (tick,) = await raw.monitored(item(TICK, 1, filter_=absolute(5.0)))
    cell.tick(10)
    await raw.hear(1, 2)
    assert raw.told(1) == [0, 6]
    await raw.modify(made, tick, item(TICK, 1, filter_=absolute(100.0)))
    cell.tick(90)
    await asyncio.sleep(0.02)
    await raw.modify(made, tick, item(TICK, 1, filter_=absolute(95.0)))
    cell.tick(10)
    await raw.hear(1, 3)
    assert raw.told(1) == [0, 6, 102]
    await raw.modify(made, tick, item(TICK, 1, filter_=EVERY_SAMPLE))
    cell.tick(2)
    await raw.hear(1, 5)
    assert raw.told(1)[-2:] == [111, 112]


async def test_a_value_that_was_not_reported_is_so_under_another_trigger(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    status = ua.DataChangeFilter(ua.DataChangeTrigger.Status, 0, 0.0)
    closed = "Robot1Flange.Closed"
    made, (number, _) = await raw.monitored(item(closed, 1, filter_=status), item(TICK, 2))
    await raw.listen(lambda: len(raw.values) == 2)
    cell.link.commands.put([(cell.column(closed), 1.0)])
    cell.tick(2)
    await raw.hear(2, 3)
    assert raw.told(1) == [False]
    await raw.modify(made, number, item(closed, 1))
    cell.tick(1)
    await raw.hear(1, 2)
    assert raw.told(1) == [False, True]


async def test_other_times(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (tick,) = await raw.monitored(item(TICK, 1))
    await raw.hear(1, 1)
    await raw.modify(made, tick, item(TICK, 1), times=ua.TimestampsToReturn.Neither)
    cell.tick(1)
    first, second = await raw.hear(1, 2)
    assert first.SourceTimestamp is not None
    assert second.SourceTimestamp is None


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        (item(TICK, 7, 5.0, 3, absolute(-1.0)), "BadDeadbandFilterInvalid"),
        (item(TICK, 7, 5.0, 3, ua.AggregateFilter()), "BadMonitoredItemFilterUnsupported"),
    ],
)
async def test_a_refused_change_changes_nothing(
    cell: InProcess, client: Client, changed: ua.MonitoredItemCreateRequest, status: str
):
    raw = RawClient(client)
    made, (tick,) = await raw.monitored(item(TICK, 1))
    result = await raw.modify(made, tick, changed)
    assert result.StatusCode.name == status
    cell.tick(20)
    await raw.hear(1, 21)
    assert raw.told(1) == list(range(21))
    assert not raw.values[7]


async def test_a_slow_item_can_be_changed_and_switched(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (state,) = await raw.monitored(item("Simulation.State", 1))
    await raw.hear(1, 1)
    result = await raw.modify(made, state, item("Simulation.State", 7, 300.0))
    assert (result.RevisedSamplingInterval, result.RevisedQueueSize) == (300.0, 1)
    refused = await raw.modify(made, state, item("Simulation.State", 8, filter_=absolute(1.0)))
    assert refused.StatusCode.name == "BadFilterNotAllowed"
    assert await raw.set_mode(made, Mode.Disabled, state) == ["Good"]
    assert await raw.set_mode(made, Mode.Reporting, state) == ["Good"]
    await raw.hear(7, 1)
    assert raw.told(7) == ["Running"]


async def test_a_disabled_item_says_nothing_and_begins_anew(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (tick, other) = await raw.monitored(
        item(TICK, 1, mode=Mode.Disabled), item("Simulation.Time", 2)
    )
    cell.tick(5)
    await raw.hear(2, 6)
    assert await raw.set_mode(made, Mode.Reporting, tick) == ["Good"]
    cell.tick(5)
    await raw.hear(1, 6)
    assert raw.told(1) == [5, 6, 7, 8, 9, 10]
    assert await raw.set_mode(made, Mode.Disabled, tick, other) == ["Good", "Good"]
    cell.tick(5)
    assert await raw.set_mode(made, Mode.Reporting, tick) == ["Good"]
    await raw.hear(1, 7)
    assert raw.told(1)[6:] == [15]
    assert max(raw.told(2)) <= 0.0101


async def test_a_disabled_item_can_be_changed(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (tick,) = await raw.monitored(item(TICK, 1, mode=Mode.Disabled))
    await raw.modify(made, tick, item(TICK, 7, queue=2))
    await raw.set_mode(made, Mode.Reporting, tick)
    cell.tick(5)
    await raw.hear(7, 2)
    assert raw.told(7) == [4, 5]


async def test_an_item_that_only_samples_is_heard_of_when_it_reports(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, (tick, _) = await raw.monitored(
        item(TICK, 1, queue=100, mode=Mode.Sampling), item("Simulation.Time", 2)
    )
    cell.tick(10)
    await raw.hear(2, 11)
    assert not raw.values[1]
    await raw.modify(made, tick, item(TICK, 7, queue=5))
    cell.tick(1)
    await raw.hear(2, 12)
    assert not raw.values[7]  # it still only samples
    await raw.set_mode(made, Mode.Reporting, tick)
    cell.tick(1)
    values = await raw.hear(7, 5)
    assert raw.told(7) == [8, 9, 10, 11, 12]
    assert statuses(values) == [OVERFLOW, 0, 0, 0, 0]
    # the others do not say again what they have said
    assert raw.told(2) == pytest.approx([0.001 * k for k in range(len(raw.told(2)))])


async def test_from_reporting_to_sampling_and_back_nothing_is_lost(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (tick, _) = await raw.monitored(item(TICK, 1), item("Simulation.Time", 2))
    cell.tick(3)
    await raw.hear(1, 4)
    await raw.set_mode(made, Mode.Sampling, tick)
    cell.tick(3)
    await raw.hear(2, 7)
    await raw.set_mode(made, Mode.Reporting, tick)
    cell.tick(3)
    await raw.hear(1, 10)
    assert raw.told(1) == list(range(10))


async def test_a_deleted_item_is_gone_and_the_others_go_on(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, numbers = await raw.monitored(
        item(TICK, 1), item(TICK, 2), item("Simulation.State", 3), item(TICK, 4, mode=Mode.Sampling)
    )
    await raw.listen(lambda: len(raw.values) == 3)
    doomed = [numbers[0], 4711, *numbers[2:], numbers[0]]
    parameters = ua.DeleteMonitoredItemsParameters(made.SubscriptionId, doomed)
    results = (await raw.ask(ua.DeleteMonitoredItemsRequest(), parameters)).Results
    unknown = "BadMonitoredItemIdInvalid"
    assert names(results) == ["Good", unknown, "Good", "Good", unknown]
    assert len(subscription(cell, made.SubscriptionId).items) == 1
    cell.tick(3)
    await raw.hear(2, 4)
    assert raw.told(2) == [0, 1, 2, 3]
    assert raw.told(1) == [0]


async def test_unknown_items_and_subscriptions_are_refused(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (tick,) = await raw.monitored(item(TICK, 1))
    unknown = "BadMonitoredItemIdInvalid"
    assert (await raw.modify(made, 4711, item(TICK))).StatusCode.name == unknown
    assert await raw.set_mode(made, Mode.Disabled, 4711, tick) == [unknown, "Good"]
    nobody = ua.CreateSubscriptionResult(SubscriptionId=4711)
    with pytest.raises(ua.uaerrors.BadSubscriptionIdInvalid):
        await raw.modify(nobody, tick, item(TICK))
    with pytest.raises(ua.uaerrors.BadSubscriptionIdInvalid):
        await raw.set_mode(nobody, Mode.Disabled, tick)
    with pytest.raises(ua.uaerrors.BadSubscriptionIdInvalid):
        await raw.ask(
            ua.DeleteMonitoredItemsRequest(), ua.DeleteMonitoredItemsParameters(4711, [tick])
        )


async def test_requests_about_no_items_are_refused(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, _ = await raw.monitored(item(TICK, 1))
    number = made.SubscriptionId
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await raw.set_mode(made, Mode.Disabled)
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await raw.ask(ua.ModifyMonitoredItemsRequest(), ua.ModifyMonitoredItemsParameters(number))
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await raw.ask(ua.DeleteMonitoredItemsRequest(), ua.DeleteMonitoredItemsParameters(number))
    cell.tick(1)
    await raw.hear(1, 2)


async def test_changing_items_again_and_again_leaves_nothing_behind(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, (tick,) = await raw.monitored(item(TICK, 1))
    for period in range(1, 30):
        await raw.modify(made, tick, item(TICK, 1, float(period)))
        await raw.set_mode(made, Mode.Sampling, tick)
        await raw.set_mode(made, Mode.Reporting, tick)
    sampled = subscription(cell, made.SubscriptionId).items._sampled
    assert len(sampled._groups) == 1
    assert not sampled._held


@pytest.mark.parametrize("what", ["delete", "disable"])
async def test_others_have_their_turn_while_many_items_are_changed(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch, what: str
):
    raw = RawClient(client)
    made, numbers = await raw.monitored(*[item(TICK, n) for n in range(50)])
    items, seen = subscription(cell, made.SubscriptionId).items, set()

    async def look() -> None:
        while True:
            seen.add(len(items) - items.n_disabled)
            await asyncio.sleep(0)

    monkeypatch.setattr(operations, "SLICE_S", -1.0)
    looking = asyncio.create_task(look())
    if what == "delete":
        parameters = ua.DeleteMonitoredItemsParameters(made.SubscriptionId, numbers)
        await raw.ask(ua.DeleteMonitoredItemsRequest(), parameters)
    else:
        await raw.set_mode(made, Mode.Disabled, *numbers)
    looking.cancel()
    assert seen == set(range(51))

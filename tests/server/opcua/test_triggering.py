"""Items that only sample are reported when another item, which triggers them, has something new."""

import struct
from collections.abc import Sequence

import pytest
from asyncua import Client, ua
from asyncua.ua.object_ids import ObjectIds

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import subscription
from tests.server.opcua.raw_client import RawClient, item, names
from twincell.server.opcua import shares
from twincell.server.opcua.shares import Shared
from twincell.server.opcua.subscription import item_links, item_set
from twincell.server.opcua.subscription.item_set import ItemSet
from twincell.server.opcua.subscription.notification import Waiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

Mode = ua.MonitoringMode
TICK = "Simulation.Tick"
CLOSED = "Robot1Flange.Closed"
UNKNOWN = "BadMonitoredItemIdInvalid"
TOO_MANY = "BadTooManyMonitoredItems"
HELD = 50  # items that only sample
NEVER_MS = 60_000.0  # it does not publish while the test runs


async def link(
    raw: RawClient,
    made: ua.CreateSubscriptionResult,
    triggering: int,
    add: Sequence[int],
    remove: Sequence[int] = (),
) -> tuple[list[str], list[str]]:
    parameters = ua.SetTriggeringParameters(
        made.SubscriptionId, triggering, list(add), list(remove)
    )
    result = (await raw.ask(ua.SetTriggeringRequest(), parameters)).Parameters
    return names(result.AddResults), names(result.RemoveResults)


def close(cell: InProcess, closed: bool) -> None:
    cell.link.commands.put([(cell.column(CLOSED), float(closed))])
    cell.tick(1)


async def alive(raw: RawClient) -> None:
    """Take messages until all has been said."""
    while (await raw.next_message()).NotificationMessage.NotificationData:
        pass


async def test_a_triggered_item_reports_its_queue_when_the_other_one_changes(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, (closed, tick) = await raw.monitored(
        item(CLOSED, 1), item(TICK, 2, queue=3, mode=Mode.Sampling), keep_alive=1
    )
    await alive(raw)
    assert await link(raw, made, closed, [tick]) == (["Good"], [])
    cell.tick(5)
    await alive(raw)
    assert raw.told(1) == [False]
    assert not raw.values[2]
    close(cell, True)
    await alive(raw)
    assert raw.told(1) == [False, True]
    assert raw.told(2) == [4, 5, 6]
    cell.tick(2)
    await alive(raw)
    assert raw.told(2) == [4, 5, 6]
    close(cell, False)
    await alive(raw)
    assert raw.told(2) == [4, 5, 6, 7, 8, 9]


async def test_links_can_be_removed_and_unknown_items_are_told(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (closed, tick, time) = await raw.monitored(
        item(CLOSED, 1),
        item(TICK, 2, mode=Mode.Sampling),
        item("Simulation.Time", 3, mode=Mode.Sampling),
        keep_alive=1,
    )
    assert await link(raw, made, closed, [tick, 4711, time], [tick]) == (
        ["Good", UNKNOWN, "Good"],
        [UNKNOWN],
    )
    assert await link(raw, made, closed, [], [tick, 4711]) == ([], ["Good", UNKNOWN])
    close(cell, True)
    await alive(raw)
    assert raw.told(1) == [False, True]
    assert not raw.values[2]
    assert len(raw.values[3]) == 2


async def test_an_item_that_only_samples_triggers_others_but_stays_silent(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, (closed, tick) = await raw.monitored(
        item(CLOSED, 1, mode=Mode.Sampling), item(TICK, 2, mode=Mode.Sampling), keep_alive=1
    )
    await link(raw, made, closed, [tick])
    await alive(raw)
    raw.values.clear()
    cell.tick(3)
    await alive(raw)
    assert not raw.values
    close(cell, True)
    await alive(raw)
    assert not raw.values[1]
    assert raw.told(2) == [1, 2, 3, 4]
    await raw.set_mode(made, Mode.Reporting, closed)
    await alive(raw)
    assert raw.told(1) == [False, True]  # its own queue was not touched


async def test_a_disabled_item_triggers_nothing_and_is_not_triggered(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, (closed, tick, time) = await raw.monitored(
        item(CLOSED, 1, mode=Mode.Disabled),
        item(TICK, 2, mode=Mode.Sampling),
        item("Simulation.Time", 3, mode=Mode.Disabled),
        keep_alive=1,
    )
    await link(raw, made, closed, [tick, time])
    close(cell, True)
    await alive(raw)
    assert not raw.values
    await raw.set_mode(made, Mode.Reporting, closed)
    await alive(raw)
    assert raw.told(1) == [True]
    assert raw.told(2) == [0, 1]
    assert not raw.values[3]


async def test_a_triggered_item_that_reports_anyway_says_everything_once(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, (closed, tick) = await raw.monitored(item(CLOSED, 1), item(TICK, 2), keep_alive=1)
    await link(raw, made, closed, [tick])
    close(cell, True)
    close(cell, False)
    await alive(raw)
    assert raw.told(2) == [0, 1, 2]


async def test_a_slow_value_can_be_triggered_and_can_trigger(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (control, state, tick) = await raw.monitored(
        item("Simulation.Overruns", 1),
        item("Simulation.State", 2, mode=Mode.Sampling),
        item(TICK, 3, mode=Mode.Sampling),
        keep_alive=1,
    )
    await alive(raw)
    await link(raw, made, control, [state, tick])
    assert list(raw.values) == [1]
    cell.tick(2)
    cell.link.vitals["overruns"] += 1
    await raw.listen(lambda: len(raw.values[1]) == 2)
    assert raw.told(2) == ["Running"]
    assert raw.told(3) == [0, 1, 2]


async def test_a_deleted_item_is_linked_no_more(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (closed, tick) = await raw.monitored(
        item(CLOSED, 1), item(TICK, 2, mode=Mode.Sampling), keep_alive=1
    )
    await link(raw, made, closed, [tick])
    parameters = ua.DeleteMonitoredItemsParameters(made.SubscriptionId, [tick])
    await raw.ask(ua.DeleteMonitoredItemsRequest(), parameters)
    assert await link(raw, made, closed, [], [tick]) == ([], [UNKNOWN])
    close(cell, True)
    await alive(raw)
    assert raw.told(1) == [False, True]


async def test_a_null_list_of_links_is_an_empty_one(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (closed, tick) = await raw.monitored(item(CLOSED, 1), item(TICK, 2))
    service = int(ObjectIds.SetTriggeringRequest_Encoding_DefaultBinary)
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await raw.ask_with_bytes(service, struct.pack("<IIii", made.SubscriptionId, closed, -1, -1))
    await raw.ask_with_bytes(
        service, struct.pack("<IIiIi", made.SubscriptionId, closed, 1, tick, -1)
    )


async def test_wrong_requests_are_refused(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, (closed, tick) = await raw.monitored(item(CLOSED, 1), item(TICK, 2))
    with pytest.raises(ua.uaerrors.BadMonitoredItemIdInvalid):
        await link(raw, made, 4711, [tick])
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await link(raw, made, closed, [])
    with pytest.raises(ua.uaerrors.BadSubscriptionIdInvalid):
        await link(raw, ua.CreateSubscriptionResult(SubscriptionId=4711), closed, [tick])


async def held_items(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> tuple[ItemSet, int, list[int]]:
    """Items that do one step each time that they collect; one triggers all others."""
    raw = RawClient(client)
    made, (closed, *held) = await raw.monitored(
        item(CLOSED, 1, mode=mode),
        *[item(TICK, 2 + n, mode=Mode.Sampling) for n in range(HELD)],
        interval_ms=NEVER_MS,
    )
    await link(raw, made, closed, held)
    monkeypatch.setattr(item_set, "MOST_COLLECTING_S", -1.0)
    return subscription(cell, made.SubscriptionId).items, closed, held


async def test_many_triggered_items_are_collected_one_after_the_other(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    items, _, held = await held_items(cell, client, monkeypatch, Mode.Reporting)
    values, events, steps = Waiting(), Waiting(), 1
    while items.collect(values, events):
        steps += 1
    assert steps > len(held)
    assert values.count == 1 + len(held)


async def test_triggered_items_may_go_while_they_are_collected(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    items, _, held = await held_items(cell, client, monkeypatch, Mode.Reporting)
    values, events = Waiting(), Waiting()
    while values.count < 3:  # the one that triggers, and two others
        assert items.collect(values, events)
    for number in held:
        items.delete(number)
    while items.collect(values, events):
        pass
    assert values.count == 3


async def test_triggering_items_may_go_while_others_are_collected(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    items, closed, held = await held_items(cell, client, monkeypatch, Mode.Sampling)
    for number in held[1:]:
        items.link(number, [closed], [])
    values, events = Waiting(), Waiting()
    assert items.collect(values, events)
    for number in [closed, *held]:
        items.delete(number)
    while items.collect(values, events):
        pass
    assert values.count == 0


async def test_a_subscription_has_so_many_links_and_no_more(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(item_links, "MOST_LINKS", 2)
    raw = RawClient(client)
    made, (closed, *others) = await raw.monitored(*[item(TICK, n) for n in range(4)])
    assert await link(raw, made, closed, others) == (["Good", "Good", TOO_MANY], [])
    assert await link(raw, made, closed, others[:2]) == (["Good", "Good"], [])  # there already
    assert await link(raw, made, closed, others[2:], others[:1]) == (["Good"], ["Good"])


@pytest.mark.parametrize("end", ["unlink", "triggered", "triggering", "subscription"])
async def test_links_that_are_gone_leave_room_for_those_of_others(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch, end: str
):
    monkeypatch.setitem(shares.FIXED, Shared.LINKS, 2)  # one of them is common
    raw = RawClient(client)
    one, (closed, tick) = await raw.monitored(item(CLOSED, 1), item(TICK, 2))
    other, (another, linked) = await raw.monitored(item(CLOSED, 1), item(TICK, 2))
    assert await link(raw, one, closed, [tick]) == (["Good"], [])
    assert await link(raw, other, another, [linked]) == ([TOO_MANY], [])
    if end == "unlink":
        await link(raw, one, closed, [], [tick])
    elif end == "subscription":
        await raw.delete(one.SubscriptionId)
    else:
        number = tick if end == "triggered" else closed
        parameters = ua.DeleteMonitoredItemsParameters(one.SubscriptionId, [number])
        await raw.ask(ua.DeleteMonitoredItemsRequest(), parameters)
    assert await link(raw, other, another, [linked]) == (["Good"], [])
    await raw.delete(one.SubscriptionId, other.SubscriptionId)
    assert cell.server.shares.used(Shared.LINKS) == 0

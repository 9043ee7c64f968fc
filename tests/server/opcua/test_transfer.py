"""A subscription goes to another session with all that is in it; otherwise sessions keep apart."""

import asyncio

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true, subscription, subscriptions
from tests.server.opcua.raw_client import RawClient, item

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


async def transfer(raw: RawClient, *numbers: int, initial: bool = False) -> list[ua.TransferResult]:
    parameters = ua.TransferSubscriptionsParameters(list(numbers), initial)
    response = await raw.ask(ua.TransferSubscriptionsRequest(), parameters)
    return list(response.Parameters.Results)


async def test_a_transferred_subscription_loses_nothing(cell: InProcess, client: Client):
    old, new = RawClient(client), RawClient(await cell.client("new"))
    made, _ = await old.monitored(item(TICK, 1), most=4)
    cell.tick(5)
    await old.next_message()
    cell.tick(5)
    (result,) = await transfer(new, made.SubscriptionId)
    assert result.StatusCode.is_good()
    assert result.AvailableSequenceNumbers == [1]
    cell.tick(5)
    await new.hear(1, 12)
    assert old.told(1) + new.told(1) == list(range(16))
    numbers = [m.NotificationMessage.SequenceNumber for m in new.messages]
    assert numbers == list(range(2, 2 + len(numbers)))
    parameters = ua.RepublishParameters(made.SubscriptionId, 1)
    again = (await new.ask(ua.RepublishRequest(), parameters)).NotificationMessage
    assert again == old.messages[0].NotificationMessage


async def test_the_old_session_is_told(cell: InProcess, client: Client):
    old, new = RawClient(client), RawClient(await cell.client("new"))
    made, _ = await old.monitored(item(TICK, 1))
    await old.hear(1, 1)
    waiting = [old.publish(), old.publish()]
    await asyncio.sleep(0.02)
    await transfer(new, made.SubscriptionId)
    told = await waiting[0]
    (change,) = told.NotificationMessage.NotificationData
    assert isinstance(change, ua.StatusChangeNotification)
    assert ua.StatusCode(change.Status.value).name == "GoodSubscriptionTransferred"
    with pytest.raises(ua.uaerrors.BadNoSubscription):
        await waiting[1]  # it has no subscription any more
    cell.tick(1)
    await new.hear(1, 1)
    assert new.messages[0].NotificationMessage.SequenceNumber == 2  # none missing


async def test_a_session_that_keeps_other_subscriptions_keeps_its_requests(
    cell: InProcess, client: Client
):
    old, new = RawClient(client), RawClient(await cell.client("new"))
    made, _ = await old.monitored(item(TICK, 1))
    await old.monitored(item(TICK, 2))
    await old.listen(lambda: len(old.values) == 2)
    waiting = [old.publish(), old.publish()]
    await asyncio.sleep(0.02)
    await transfer(new, made.SubscriptionId)
    await waiting[0]
    cell.tick(1)
    old.keep(await waiting[1])
    assert old.told(2) == [0, 1]


@pytest.mark.parametrize("while_running", [True, False])
async def test_initial_values_are_sent_again_on_request_and_none_is_lost(
    cell: InProcess, client: Client, while_running: bool
):
    old, new = RawClient(client), RawClient(await cell.client("new"))
    still, slow = item("Holder1.Pose.X", 2), item("Simulation.State", 3)
    made, _ = await old.monitored(item(TICK, 1), still, slow, item("Tool1.Partner", 4))
    await old.listen(lambda: len(old.values) == 4)
    if while_running:
        cell.tick(5)
    await transfer(new, made.SubscriptionId, initial=True)
    await new.listen(lambda: len(new.values) == 4)
    assert new.told(1) == ([1, 2, 3, 4, 5] if while_running else [0])
    assert new.told(2) == old.told(2)
    assert new.told(3) == ["Running"]
    assert new.told(4) == old.told(4)


async def test_without_initial_values_only_changes_are_sent(cell: InProcess, client: Client):
    old, new = RawClient(client), RawClient(await cell.client("new"))
    made, _ = await old.monitored(item(TICK, 1), item("Holder1.Pose.X", 2))
    await old.listen(lambda: len(old.values) == 2)
    await transfer(new, made.SubscriptionId)
    cell.tick(1)
    await new.hear(1, 1)
    assert not new.values[2]


async def test_a_subscription_survives_its_session_if_it_is_asked_to(
    cell: InProcess, client: Client
):
    leaving = await cell.client("leaving")
    old, new = RawClient(leaving), RawClient(client)
    made, _ = await old.monitored(item(TICK, 1))
    await old.hear(1, 1)
    await old.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))
    cell.tick(5)
    assert made.SubscriptionId in subscriptions(cell).subscriptions
    (result,) = await transfer(new, made.SubscriptionId)
    assert result.StatusCode.is_good()
    await new.hear(1, 5)
    assert new.told(1) == [1, 2, 3, 4, 5]


async def left_alone(cell: InProcess, count: int, interval_ms: float = 1_000.0) -> list[int]:
    """Subscriptions whose session has ended."""
    raw = RawClient(await cell.client("leaving"))
    made = [(await raw.subscribe(interval_ms)).SubscriptionId for _ in range(count)]
    await raw.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))
    return made


async def test_a_new_subscription_takes_the_place_of_the_one_left_alone_for_longest(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, subscriptions=12)
    raw, late = RawClient(client), RawClient(await cell.client("late"))
    younger = (await late.subscribe(1_000.0)).SubscriptionId  # it is older, but left alone later
    older = await left_alone(cell, 2)
    await late.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))
    there, gone = subscriptions(cell).subscriptions, []
    with pytest.raises(ua.uaerrors.BadTooManySubscriptions):
        while True:
            left = [one for one in (*older, younger) if one in there]
            await raw.subscribe()
            gone += [one for one in left if one not in there]
    assert gone[:2] == older


async def vanished(cell: InProcess, user: str | None) -> int:
    """A subscription of a client whose connection is lost, and whose session waits for it."""
    client = await cell.client("vanished", user)
    number = (await RawClient(client).subscribe(1_000.0)).SubscriptionId
    client.uaclient.protocol.transport.abort()
    await comes_true(lambda: subscription(cell, number).owner.is_lost)
    return int(number)


async def test_who_vanishes_and_comes_again_is_not_in_his_own_way(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, subscriptions=12)
    other = await vanished(cell, "operator")
    for _ in range(12):
        await vanished(cell, None)
    there = subscriptions(cell).subscriptions
    assert other in there  # that of another client may be missed
    assert 1 < len(there) < 12


async def test_a_client_makes_no_room_of_what_those_above_it_left_alone(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, subscriptions=12)
    left = await left_alone(cell, 2)
    raw = RawClient(await cell.client("nameless", None))
    with pytest.raises(ua.uaerrors.BadTooManySubscriptions):
        for _ in range(12):
            await raw.subscribe()
    assert set(left) < set(subscriptions(cell).subscriptions)


async def test_what_is_left_alone_counts_and_the_oldest_goes_when_it_is_too_much(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, subscriptions=40)
    left = [one for _ in range(20) for one in await left_alone(cell, 2)]
    there = [one for one in left if one in subscriptions(cell).subscriptions]
    assert there == left[-len(there) :]
    assert 10 < len(there) <= 20  # the half of it that is common


async def test_who_has_all_it_may_have_takes_no_other_place(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, subscriptions_per_session=1)
    raw = RawClient(client)
    (orphan,) = await left_alone(cell, 1)
    await raw.subscribe()
    with pytest.raises(ua.uaerrors.BadTooManySubscriptions):
        await raw.subscribe()
    assert orphan in subscriptions(cell).subscriptions
    monkeypatch.undo()
    await transfer(raw, orphan)  # and so it ends with the test


async def test_a_session_takes_its_subscriptions_with_it(cell: InProcess, client: Client):
    leaving = await cell.client("leaving")
    raw = RawClient(leaving)
    await raw.monitored(item(TICK, 1))
    waiting = raw.publish()
    await asyncio.sleep(0.02)
    raw.keep(await waiting)
    late = raw.publish()
    await raw.ask(ua.CloseSessionRequest(DeleteSubscriptions=True))
    with pytest.raises(ua.uaerrors.BadSessionClosed):
        await late
    assert not subscriptions(cell).subscriptions


async def test_a_transfer_to_the_session_that_has_it_already_changes_nothing(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, _ = await raw.monitored(item(TICK, 1))
    await raw.hear(1, 1)
    (result,) = await transfer(raw, made.SubscriptionId)
    assert result.StatusCode.is_good()
    cell.tick(1)
    await raw.hear(1, 2)
    assert raw.told(1) == [0, 1]


async def test_a_session_with_all_it_may_have_keeps_what_it_asks_for_again(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, subscriptions_per_session=1)
    mine, theirs = RawClient(client), RawClient(await cell.client("other"))
    own, foreign = await mine.subscribe(), await theirs.subscribe()
    (result,) = await transfer(mine, own.SubscriptionId)
    assert result.StatusCode.name == "Good"
    (result,) = await transfer(mine, foreign.SubscriptionId)
    assert result.StatusCode.name == "BadTooManySubscriptions"


async def test_wrong_transfers_are_refused(cell: InProcess, client: Client):
    raw = RawClient(client)
    made = await raw.subscribe()
    results = await transfer(raw, 4711, made.SubscriptionId)
    assert [r.StatusCode.name for r in results] == ["BadSubscriptionIdInvalid", "Good"]
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await transfer(raw)


async def test_a_session_cannot_touch_the_subscription_of_another(cell: InProcess, client: Client):
    mine, theirs = RawClient(client), RawClient(await cell.client("other"))
    made, (tick,) = await mine.monitored(item(TICK, 1))
    await mine.hear(1, 1)
    await theirs.subscribe(keep_alive=1)  # so that it may publish at all
    number = made.SubscriptionId
    refused = ua.uaerrors.BadSubscriptionIdInvalid
    with pytest.raises(refused):
        await theirs.monitor(made, item(TICK, 2))
    with pytest.raises(refused):
        await theirs.modify(made, tick, item(TICK, 2))
    with pytest.raises(refused):
        await theirs.set_mode(made, ua.MonitoringMode.Disabled, tick)
    with pytest.raises(refused):
        parameters = ua.DeleteMonitoredItemsParameters(number, [tick])
        await theirs.ask(ua.DeleteMonitoredItemsRequest(), parameters)
    with pytest.raises(refused):
        parameters = ua.ModifySubscriptionParameters(number, 1000.0, 10, 10, 1, 1)
        await theirs.ask(ua.ModifySubscriptionRequest(), parameters)
    with pytest.raises(refused):
        await theirs.ask(ua.RepublishRequest(), ua.RepublishParameters(number, 1))
    with pytest.raises(refused):
        parameters = ua.SetTriggeringParameters(number, tick, [tick], [])
        await theirs.ask(ua.SetTriggeringRequest(), parameters)
    assert await theirs.delete(number) == ["BadSubscriptionIdInvalid"]
    assert await theirs.set_publishing(False, number) == ["BadSubscriptionIdInvalid"]
    result = await theirs.publish(ua.SubscriptionAcknowledgement(number, 1))
    assert [r.name for r in result.Results] == ["BadSubscriptionIdInvalid"]
    assert subscription(cell, number).kept_numbers == [1]
    cell.tick(1)
    await mine.hear(1, 2)
    assert mine.told(1) == [0, 1]

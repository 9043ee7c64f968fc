"""How a subscription publishes: intervals, keep-alive, lifetime, limits, priorities."""

import asyncio
import math
import time
from dataclasses import replace

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import comes_true, subscription, subscriptions
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.shares import Shared

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


def data_of(result: ua.PublishResult) -> list:
    return list(result.NotificationMessage.NotificationData or [])


async def test_a_subscription_left_alone_has_no_cycles_until_somebody_takes_it_over(
    cell: InProcess, client: Client
):
    leaving, taking = RawClient(await cell.client("leaving")), RawClient(client)
    number = (await leaving.subscribe(1.0)).SubscriptionId
    await leaving.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))
    assert cell.server.shares.used(Shared.CYCLES) == 0
    taken = ua.TransferSubscriptionsParameters([number], False)
    await taking.ask(ua.TransferSubscriptionsRequest(), taken)
    assert cell.server.shares.used(Shared.CYCLES) == 1000


@pytest.mark.parametrize(
    ("asked_ms", "revised_ms"),
    [
        (0.0, 5.0),  # who leaves it to the server
        (-1.0, 5.0),
        (0.3, 1.0),
        (1.0, 1.0),
        (5.0, 5.0),
        (7.3, 7.3),
        (100.0, 100.0),
        (float("nan"), 5.0),
        (float("inf"), 200_000.0),
    ],
)
async def test_the_publishing_interval_is_1_ms_at_least(
    client: Client, asked_ms: float, revised_ms: float
):
    made = await RawClient(client).subscribe(asked_ms)
    assert made.RevisedPublishingInterval == revised_ms


async def revised_ms(raw: RawClient, count: int, asked_ms: float = 1.0) -> list[float]:
    """The intervals of so many subscriptions."""
    return [(await raw.subscribe(asked_ms)).RevisedPublishingInterval for _ in range(count)]


async def test_who_has_used_up_its_share_publishes_more_slowly_and_is_told(
    cell: InProcess, client: Client
):
    """One client with many fast subscriptions leaves fast ones to others."""
    greedy, late = RawClient(client), RawClient(await cell.client("late", None))
    given = await revised_ms(greedy, 50)
    assert given[:3] == [1.0] * 3
    assert given == sorted(given) and given[-1] > 100.0
    assert await revised_ms(greedy, 1, 2_000.0) == [2_000.0]  # a slow one is slow enough
    assert await revised_ms(late, 2) == [1.0] * 2
    used = cell.server.shares.used(Shared.CYCLES)
    assert used == sum(math.ceil(1e3 / ms) for ms in [*given, 2_000.0, 1.0, 1.0])
    assert used < cell.server.shares.there_is(Shared.CYCLES)


async def test_a_subscription_that_is_changed_or_deleted_gives_its_cycles_back(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made = await raw.subscribe(1.0)
    for asked_ms in (1.0, 500.0):
        modified = ua.ModifySubscriptionParameters(made.SubscriptionId, asked_ms, 100, 10, 0, 0)
        response = await raw.ask(ua.ModifySubscriptionRequest(), modified)
        assert response.Parameters.RevisedPublishingInterval == asked_ms
        assert cell.server.shares.used(Shared.CYCLES) == 1e3 / asked_ms
    await raw.delete(made.SubscriptionId)
    assert cell.server.shares.used(Shared.CYCLES) == 0


@pytest.mark.parametrize(
    ("asked", "revised"),
    [
        ((0, 0), (50, 150)),  # a keep-alive every 5 s
        ((10, 5), (10, 30)),  # three keep-alives fit into a lifetime
        ((10, 31), (10, 31)),
        ((2**32 - 1, 2**32 - 1), (600, 6_000)),  # 60 s, 10 min
    ],
)
async def test_keep_alive_and_lifetime_are_revised(
    client: Client, asked: tuple[int, int], revised: tuple[int, int]
):
    raw = RawClient(client)
    made = await raw.subscribe(100.0, keep_alive=asked[0], lifetime=asked[1])
    assert (made.RevisedMaxKeepAliveCount, made.RevisedLifetimeCount) == revised


@pytest.mark.parametrize("interval_ms", [5.0, 60_000.0, 100_000.0, 3_600_000.0])
async def test_a_lifetime_is_ten_minutes_at_most(client: Client, interval_ms: float):
    made = await RawClient(client).subscribe(interval_ms, keep_alive=2**32 - 1, lifetime=2**32 - 1)
    assert made.RevisedPublishingInterval * made.RevisedLifetimeCount <= 600_000.0


async def test_the_first_interval_ends_with_a_message_even_if_there_is_nothing_to_say(
    client: Client,
):
    raw = RawClient(client)
    made = await raw.subscribe(20.0, keep_alive=500)
    result = await raw.next_message()
    assert result.SubscriptionId == made.SubscriptionId
    assert not data_of(result)
    assert not result.MoreNotifications
    assert result.NotificationMessage.SequenceNumber == 1  # the number of the next one with data


async def test_keep_alives_come_while_nothing_happens(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1), interval_ms=10.0, keep_alive=4)
    await raw.hear(1, 1)
    start = time.monotonic()
    results = [await raw.next_message() for _ in range(3)]
    assert time.monotonic() - start >= 0.5 * 3 * 4 * 0.010  # late intervals are made up for
    assert not any(data_of(result) for result in results)
    assert {r.NotificationMessage.SequenceNumber for r in results} == {2}
    cell.tick(1)
    assert (await raw.next_message()).NotificationMessage.SequenceNumber == 2
    assert raw.told(1) == [0, 1]


async def test_a_subscription_nobody_asks_for_messages_ends_after_its_lifetime(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.subscribe(5.0, keep_alive=1, lifetime=20)
    made = await raw.subscribe(5.0, keep_alive=1, lifetime=100_000)
    start = time.monotonic()
    await comes_true(lambda: list(subscriptions(cell).subscriptions) == [made.SubscriptionId])
    assert time.monotonic() - start >= 20 * 0.004
    assert await raw.delete(made.SubscriptionId) == ["Good"]


async def test_as_long_as_requests_wait_a_subscription_lives(cell: InProcess, client: Client):
    raw = RawClient(client)
    made = await raw.subscribe(5.0, keep_alive=1_000)
    await raw.next_message()
    inside = subscription(cell, made.SubscriptionId)
    inside.terms = replace(inside.terms, lifetime=10)
    waiting = raw.publish()
    await asyncio.sleep(0.2)
    assert made.SubscriptionId in subscriptions(cell).subscriptions
    await raw.delete(made.SubscriptionId)
    with pytest.raises(ua.uaerrors.BadNoSubscription):
        await waiting


async def test_a_limit_of_notifications_splits_messages_and_loses_none(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1), item("Tool1.Pose", 2), item("Tool1.Partner", 3), most=7)
    cell.tick(25)
    await raw.hear(1, 26)
    counts = [len(data_of(m)[0].MonitoredItems) for m in raw.messages]
    assert counts == [7, 7, 7, 7]  # 26 ticks, a pose and a text
    assert [m.MoreNotifications for m in raw.messages] == [True, True, True, False]
    assert raw.told(1) == list(range(26))
    assert [m.NotificationMessage.SequenceNumber for m in raw.messages] == [1, 2, 3, 4]


async def test_messages_that_wait_come_as_fast_as_they_are_asked_for(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1), most=1, interval_ms=200.0)
    cell.tick(30)
    start = time.monotonic()
    await raw.hear(1, 31)
    assert time.monotonic() - start < 2.0  # and not 31 intervals
    assert len(raw.messages) == 31


async def test_a_subscription_can_be_changed(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, _ = await raw.monitored(item(TICK, 1), interval_ms=60_000.0, keep_alive=1)
    cell.tick(10)
    parameters = ua.ModifySubscriptionParameters(made.SubscriptionId, 1.0, 1_000, 20, 4, 3)
    changed = (await raw.ask(ua.ModifySubscriptionRequest(), parameters)).Parameters
    assert changed.RevisedPublishingInterval == 1.0
    assert changed.RevisedMaxKeepAliveCount == 20
    assert changed.RevisedLifetimeCount == 1_000
    start = time.monotonic()
    await raw.hear(1, 11)
    assert time.monotonic() - start < 5.0  # the long interval does not have to end first
    assert [len(data_of(m)[0].MonitoredItems) for m in raw.messages] == [4, 4, 3]


async def test_an_unknown_subscription_cannot_be_changed(client: Client):
    raw = RawClient(client)
    parameters = ua.ModifySubscriptionParameters(4711, 1.0, 1_000, 20, 4, 3)
    with pytest.raises(ua.uaerrors.BadSubscriptionIdInvalid):
        await raw.ask(ua.ModifySubscriptionRequest(), parameters)


async def test_while_publishing_is_off_there_are_keep_alives_only(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, _ = await raw.monitored(item(TICK, 1), enabled=False, keep_alive=2)
    cell.tick(5)
    assert not data_of(await raw.next_message())
    assert not data_of(await raw.next_message())
    unknown = "BadSubscriptionIdInvalid"
    assert await raw.set_publishing(True, made.SubscriptionId, 4711) == ["Good", unknown]
    await raw.hear(1, 6)
    assert raw.told(1) == list(range(6))
    assert await raw.set_publishing(False, made.SubscriptionId) == ["Good"]
    cell.tick(5)
    assert not data_of(await raw.next_message())
    assert await raw.set_publishing(True, made.SubscriptionId) == ["Good"]
    await raw.hear(1, 11)
    assert raw.told(1) == list(range(11))


async def test_publishing_switched_off_between_two_messages_keeps_the_rest(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, _ = await raw.monitored(item(TICK, 1), most=3, keep_alive=2)
    cell.tick(5)
    await raw.next_message()
    await raw.set_publishing(False, made.SubscriptionId)
    assert not data_of(await raw.next_message())
    await raw.set_publishing(True, made.SubscriptionId)
    await raw.hear(1, 6)
    assert raw.told(1) == list(range(6))


async def test_requests_about_no_subscriptions_are_refused(client: Client):
    raw = RawClient(client)
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await raw.set_publishing(True)
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await raw.delete()


async def test_deleted_subscriptions_are_gone(cell: InProcess, client: Client):
    raw = RawClient(client)
    one, two = (await raw.subscribe()).SubscriptionId, (await raw.subscribe()).SubscriptionId
    unknown = "BadSubscriptionIdInvalid"
    assert await raw.delete(one, 4711, one) == ["Good", unknown, unknown]
    assert list(subscriptions(cell).subscriptions) == [two]


async def test_the_more_important_subscription_is_served_first(cell: InProcess, client: Client):
    raw = RawClient(client)
    terms = {"interval_ms": 5.0}
    await raw.monitored(item(TICK, 1), priority=1, **terms)
    await raw.monitored(item(TICK, 3), priority=200, **terms)
    await raw.monitored(item(TICK, 2), priority=100, **terms)
    await asyncio.sleep(0.05)  # all of them are late
    for _ in range(3):
        await raw.next_message()
    assert list(raw.values) == [3, 2, 1]


async def test_equally_important_subscriptions_take_turns(cell: InProcess, client: Client):
    raw = RawClient(client)
    for handle in (1, 2, 3):
        await raw.monitored(item(TICK, handle), interval_ms=5.0)
    order = []
    for _ in range(9):
        cell.tick(1)
        await asyncio.sleep(0.02)  # a slow client: all of them are late each time
        before = {handle: len(raw.values[handle]) for handle in (1, 2, 3)}
        await raw.next_message()
        order += [h for h in (1, 2, 3) if len(raw.values[h]) > before[h]]
    assert sorted(order[:3]) == sorted(order[3:6]) == sorted(order[6:]) == [1, 2, 3]

"""What becomes of a subscription is told to its session, whenever that asks again."""

import asyncio

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import comes_true, subscriptions
from tests.server.opcua.raw_client import RawClient, item
from tests.server.opcua.test_transfer import transfer

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


def change_in(result: ua.PublishResult) -> tuple[int, str]:
    """Which subscription a message is about, and what has become of it."""
    (change,) = result.NotificationMessage.NotificationData
    assert isinstance(change, ua.StatusChangeNotification)
    return result.SubscriptionId, str(ua.StatusCode(change.Status.value).name)


async def expired(cell: InProcess, raw: RawClient) -> int:
    """A subscription whose lifetime is over, as nobody asked."""
    made = await raw.subscribe(keep_alive=1, lifetime=3)
    await comes_true(lambda: made.SubscriptionId not in subscriptions(cell).subscriptions)
    return int(made.SubscriptionId)


async def test_who_asks_too_late_is_told_that_the_subscription_is_over(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    number = await expired(cell, raw)
    assert change_in(await raw.publish()) == (number, "BadTimeout")
    with pytest.raises(ua.uaerrors.BadNoSubscription):
        await raw.publish()  # it is told once


async def test_each_of_several_ends_is_told_before_anything_else(cell: InProcess, client: Client):
    raw = RawClient(client)
    over = [await expired(cell, raw) for _ in range(3)]
    living, _ = await raw.monitored(item(TICK, 1))
    answers = [await raw.publish() for _ in range(3)]
    assert [change_in(one) for one in answers] == [(number, "BadTimeout") for number in over]
    assert [one.MoreNotifications for one in answers] == [True, True, False]
    await raw.hear(1, 1)
    assert raw.messages[0].SubscriptionId == living.SubscriptionId


async def test_a_session_that_did_not_ask_is_told_later_that_its_subscription_has_moved(
    cell: InProcess, client: Client
):
    old, new = RawClient(client), RawClient(await cell.client("new"))
    made, _ = await old.monitored(item(TICK, 1))
    await old.hear(1, 1)
    await transfer(new, made.SubscriptionId)
    assert change_in(await old.publish()) == (made.SubscriptionId, "GoodSubscriptionTransferred")
    with pytest.raises(ua.uaerrors.BadNoSubscription):
        await old.publish()


async def test_only_so_many_ends_are_remembered(cell: InProcess, client: Client):
    raw = RawClient(client)
    most = cell.server.limits.publish_requests_per_session
    (session,) = cell.server.sessions
    made = [await raw.subscribe(keep_alive=1, lifetime=3) for _ in range(20)]
    await comes_true(lambda: not subscriptions(cell).subscriptions)
    assert len(session.publish_queue._news) == len(made) < most
    assert session.publish_queue._news.maxlen == most


async def test_nobody_is_told_of_the_end_of_a_subscription_that_is_nobodys(cell: InProcess):
    leaving = RawClient(await cell.client("leaving"))
    made = await leaving.subscribe(keep_alive=1, lifetime=3)
    await leaving.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))
    await comes_true(lambda: made.SubscriptionId not in subscriptions(cell).subscriptions)


async def test_a_client_that_comes_back_to_its_session_is_told_what_it_missed(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made = await raw.subscribe(keep_alive=1, lifetime=3)
    answer = raw.publish()
    await answer  # the first sign of life
    await asyncio.sleep(0)
    await comes_true(lambda: made.SubscriptionId not in subscriptions(cell).subscriptions)
    assert change_in(await raw.publish()) == (made.SubscriptionId, "BadTimeout")

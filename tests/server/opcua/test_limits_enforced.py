"""Every limit holds: so much is allowed, one more is refused, and clients are told which it is."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import fields
from typing import Any

import pytest
import pytest_asyncio
from asyncua import Client, ua

from tests.server.opcua import test_limits_of_requests
from tests.server.opcua.asking import status_of
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.narrow_limits import NARROW, PATIENCE_S, connected, told
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.limits import Limits

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


@pytest_asyncio.fixture(loop_scope="session")
async def raw(narrow: InProcess) -> RawClient:
    return RawClient(await narrow.client())


async def is_shown_out(narrow: InProcess) -> None:
    await comes_true(lambda: not narrow.server.admission.connections)


async def test_every_limit_has_its_test():
    tests = [*globals(), *vars(test_limits_of_requests)]
    for limit in fields(Limits):
        assert any(name.startswith(f"test_limit_{limit.name}_") for name in tests), limit.name


# ---------------------------------------------------------------- connections


Come = Callable[[int], Awaitable[list[asyncio.StreamReader]]]


@pytest_asyncio.fixture(loop_scope="session")
async def come(narrow: InProcess) -> AsyncIterator[Come]:
    """Lets clients come that say nothing, one after the other."""
    writers = []

    async def them(count: int) -> list[asyncio.StreamReader]:
        readers = []
        for _ in range(count):
            reader, writer = await asyncio.open_connection("127.0.0.1", narrow.server.port)
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


async def check_connections(narrow: InProcess, come: Come, monkeypatch: Any, limit: str) -> None:
    change_limits(narrow, monkeypatch, **{limit: 3})
    assert await still_in(await come(5)) == 3
    assert len(narrow.server.admission.connections) == 3


async def test_limit_connections_is_of_all(narrow, come, monkeypatch):
    await check_connections(narrow, come, monkeypatch, "connections")


async def test_limit_connections_per_address_is_of_one(narrow, come, monkeypatch):
    await check_connections(narrow, come, monkeypatch, "connections_per_address")


async def test_limit_unauthenticated_connections_is_of_strangers(narrow, come, monkeypatch):
    await check_connections(narrow, come, monkeypatch, "unauthenticated_connections")


async def test_limit_seconds_to_open_ends_a_silent_connection(narrow, come, monkeypatch):
    change_limits(narrow, monkeypatch, seconds_to_open=0.2)
    await come(1)
    await is_shown_out(narrow)


async def test_limit_seconds_to_activate_ends_a_channel_without_a_session(narrow, monkeypatch):
    change_limits(narrow, monkeypatch, seconds_to_activate=0.2)
    client = await connected(narrow)
    await is_shown_out(narrow)
    client.disconnect_socket()


async def test_limit_failed_logins_makes_the_next_one_wait(narrow):
    client = await narrow.client()
    for _ in range(NARROW.failed_logins):
        asked = client.activate_session("operator", "wrong")
        assert await status_of(asked) == "BadUserAccessDenied"
    asked = client.activate_session("operator", PASSWORD)
    assert await status_of(asked) == "BadUserAccessDenied"


# ---------------------------------------------------------------- sessions


async def test_limit_sessions_is_of_all(narrow, raw):
    assert await told(raw, "MaxSessions") == NARROW.sessions
    for _ in range(NARROW.sessions - 1):
        await narrow.client()
    late = await connected(narrow)
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


async def revised_lifetime(narrow: InProcess, asked_ms: int) -> int:
    client = Client(narrow.server.endpoint, timeout=PATIENCE_S)
    client.secure_channel_timeout = asked_ms
    await client.connect_sessionless()
    await client.disconnect_sessionless()
    return client.secure_channel_timeout


async def test_limit_min_channel_lifetime_ms_is_the_least(narrow):
    assert await revised_lifetime(narrow, 1) == NARROW.min_channel_lifetime_ms


async def test_limit_max_channel_lifetime_ms_is_the_most(narrow):
    assert await revised_lifetime(narrow, 10**9) == NARROW.max_channel_lifetime_ms


# ---------------------------------------------------------------- subscriptions


async def crowd(narrow: InProcess, raw: RawClient) -> list[RawClient]:
    """A client and two others: together they may have all, each alone has its share."""
    users = ("engineer", "operator")
    return [raw, *[RawClient(await narrow.client(user=user)) for user in users]]


async def test_limit_subscriptions_is_of_all(narrow, raw, monkeypatch):
    assert await told(raw, "MaxSubscriptions") == NARROW.subscriptions
    change_limits(narrow, monkeypatch, subscriptions=6)
    them = await crowd(narrow, raw)
    results = [await status_of(one.subscribe()) for _ in range(3) for one in them]
    assert set(results) == {"Good", "BadTooManySubscriptions"}
    assert 3 <= results.count("Good") <= 6


async def test_limit_subscriptions_per_session_is_of_one(raw):
    assert await told(raw, "MaxSubscriptionsPerSession") == NARROW.subscriptions_per_session
    made = [await raw.subscribe() for _ in range(NARROW.subscriptions_per_session)]
    assert await status_of(raw.subscribe()) == "BadTooManySubscriptions"
    await raw.delete(made[0].SubscriptionId)
    assert await status_of(raw.subscribe()) == "Good"


async def test_limit_monitored_items_is_of_all(narrow, raw):
    assert await told(raw, "MaxMonitoredItems") == NARROW.monitored_items
    them = await crowd(narrow, raw)
    made = [(one, await one.subscribe()) for one in them for _ in range(3)]
    results = [
        await status_of(one.monitor(subscription, item(TICK)))
        for _ in range(NARROW.monitored_items_per_subscription)
        for one, subscription in made
    ]
    assert set(results) == {"Good", "BadTooManyMonitoredItems"}
    assert NARROW.monitored_items / 2 < results.count("Good") <= NARROW.monitored_items


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

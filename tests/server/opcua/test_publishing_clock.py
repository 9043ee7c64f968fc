"""One clock wakes all subscriptions, each at its time, and those that nobody asks not at all."""

import asyncio
from collections.abc import Callable

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import comes_true, subscription, subscriptions
from tests.server.opcua.raw_client import RawClient, item
from tests.server.opcua.test_transfer import left_alone, transfer
from twincell.server.opcua.subscription.publishing_clock import PublishingClock
from twincell.server.opcua.subscription.subscription import Subscription

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


class Member:
    """Says when it is woken."""

    def __init__(self, woken: list[str], name: str, then: Callable[[], None] = lambda: None):
        self._woken, self._name, self._then = woken, name, then

    def wake(self) -> None:
        self._woken.append(self._name)
        self._then()


def now_s() -> float:
    return asyncio.get_running_loop().time()


async def test_everybody_is_woken_at_his_time():
    clock, woken, begin_s = PublishingClock(), [], now_s()
    for name, after_s in (("late", 0.03), ("early", 0.01), ("between", 0.02)):
        clock.set(Member(woken, name), begin_s + after_s)
    await comes_true(lambda: len(woken) == 3)
    assert woken == ["early", "between", "late"]
    assert not len(clock)


async def test_who_is_given_another_time_is_woken_then_only():
    clock, woken = PublishingClock(), []
    one = Member(woken, "one")
    clock.set(one, now_s() + 600.0)
    clock.set(one, now_s() + 0.01)
    clock.set(Member(woken, "last"), now_s() + 0.03)
    await comes_true(lambda: "last" in woken)
    assert woken == ["one", "last"]


async def test_who_is_removed_is_not_woken_and_not_kept():
    clock, woken = PublishingClock(), []
    gone = Member(woken, "gone")
    clock.set(gone, now_s() + 0.01)
    clock.remove(gone)
    clock.set(Member(woken, "last"), now_s() + 0.02)
    await comes_true(lambda: bool(woken))
    assert woken == ["last"]
    assert gone not in clock


async def test_times_that_are_changed_again_and_again_do_not_pile_up():
    clock = PublishingClock()
    members = [Member([], str(n)) for n in range(10)]
    for n in range(10_000):
        clock.set(members[n % 10], now_s() + 600.0 + n)
    assert len(clock) == 10
    assert len(clock._wakeups) < 100
    clock.stop()


async def test_one_that_fails_does_not_stop_the_clock():
    clock, woken = PublishingClock(), []
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    try:
        clock.set(Member(woken, "bad", lambda: 1 // 0), now_s() + 0.01)
        clock.set(Member(woken, "good"), now_s() + 0.02)
        await comes_true(lambda: "good" in woken)
    finally:
        asyncio.get_running_loop().set_exception_handler(None)


@pytest.fixture
def cycles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The subscriptions whose cycles come, one after the other."""
    seen = []
    real = Subscription.cycle

    def counted(self: Subscription) -> None:
        seen.append(self.number)
        real(self)

    monkeypatch.setattr(Subscription, "cycle", counted)
    return seen


async def test_a_subscription_without_a_session_is_not_woken_before_it_ends(
    cell: InProcess, client: Client, cycles: list[int]
):
    orphans = await left_alone(cell, 5, 5.0)
    await asyncio.sleep(0.05)
    cycles.clear()
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1))
    for n in range(10):  # many intervals
        cell.tick()
        await raw.hear(1, n + 1)
    assert not set(orphans) & set(cycles)
    assert set(orphans) < set(subscriptions(cell).subscriptions)
    await transfer(raw, *orphans)
    await comes_true(lambda: set(orphans) <= set(cycles))


async def test_a_subscription_that_nobody_asks_is_not_woken_before_somebody_does(
    cell: InProcess, client: Client, cycles: list[int]
):
    raw, other = RawClient(client), RawClient(await cell.client("other"))
    silent, _ = await raw.monitored(item(TICK, 1))
    await comes_true(lambda: silent.SubscriptionId in cycles)
    cycles.clear()
    await other.monitored(item(TICK, 1))
    for n in range(10):
        cell.tick()
        await other.hear(1, n + 1)
    assert silent.SubscriptionId not in cycles
    await raw.hear(1, 11)
    assert raw.told(1) == list(range(11))
    await comes_true(lambda: silent.SubscriptionId in cycles)


async def test_a_subscription_without_a_session_still_ends_after_its_lifetime(cell: InProcess):
    leaving = RawClient(await cell.client("leaving"))
    made = await leaving.subscribe(20.0, keep_alive=1, lifetime=5)
    await leaving.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))
    orphan = subscription(cell, made.SubscriptionId)
    await comes_true(lambda: orphan.unheard >= 2)  # counted, though nobody wakes it
    await comes_true(lambda: made.SubscriptionId not in subscriptions(cell).subscriptions)


async def test_a_sign_of_life_that_was_due_comes_as_soon_as_somebody_asks(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made = await raw.subscribe(10.0, keep_alive=5, lifetime=1_000)
    await raw.publish()
    silent = subscription(cell, made.SubscriptionId)
    await comes_true(lambda: silent.idle >= 5)
    answer = await raw.publish()
    assert not answer.NotificationMessage.NotificationData

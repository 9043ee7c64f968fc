"""A client that is slow costs its own queue and nobody else anything."""

import asyncio
import time
from itertools import pairwise

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import (
    change_limits,
    let_the_loop_be_silent,
    subscription,
    subscriptions,
)
from tests.server.opcua.raw_client import EVERY_SAMPLE, OVERFLOW, RawClient, item, statuses
from twincell.server.opcua import shares
from twincell.server.opcua.shares import Shared
from twincell.server.opcua.subscription import sampling
from twincell.server.opcua.subscription import subscription as subscription_module
from twincell.server.opcua.subscription.sample_encoding import GOOD

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


def much(queue: int = 16_384) -> list[ua.MonitoredItemCreateRequest]:
    """Every sample of many numbers: some 10 kB a tick."""
    names = ["Simulation.Tick", "Tool1.Pose", "Tool1.Partner", *["Bulk.Poses"] * 15]
    return [item(name, k, 1.0, queue, EVERY_SAMPLE) for k, name in enumerate(names)]


async def test_a_client_that_never_publishes_lets_nothing_pile_up(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    let_the_loop_be_silent(monkeypatch)
    lazy, brisk = RawClient(client), RawClient(await cell.client("brisk"))
    made, _ = await lazy.monitored(*much())
    await brisk.monitored(item(TICK, 1, queue=1000))
    inside = subscription(cell, made.SubscriptionId)
    for _ in range(30):
        cell.tick(20)
        await brisk.next_message()
    await brisk.hear(1, 601)
    assert brisk.told(1) == list(range(601))
    assert inside._values.count == 0  # its samples are in the ring, where they are anyway
    assert not inside.kept_numbers


async def test_of_much_that_is_due_only_a_message_waits(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    """The rest is collected when the client asks on: all of it comes, and nothing is lost."""
    let_the_loop_be_silent(monkeypatch)
    monkeypatch.setattr(subscription_module, "MOST_BYTES", 200_000)
    monkeypatch.setattr(sampling, "MOST_NUMBERS", 2_000)  # 44 kB
    n_item, n_row = 40, 1_000
    raw = RawClient(client)
    made, _ = await raw.monitored(*[item(TICK, n, queue=n_row) for n in range(n_item)])
    cell.tick(n_row - 1)  # 880 kB
    inside, left = subscription(cell, made.SubscriptionId), n_item * n_row
    while left:
        message = await raw.next_message()
        assert inside._waiting <= 200_000 + 44_000
        assert cell.server.shares.used(Shared.WAITING) == inside._waiting
        left = n_item * n_row - sum(map(len, raw.values.values()))
        assert message.MoreNotifications == (left > 0)
    assert len(raw.messages) >= 5
    assert all(raw.told(n) == list(range(n_row)) for n in range(n_item))


async def test_whoever_has_used_up_his_share_of_bytes_gets_them_one_after_the_other(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    let_the_loop_be_silent(monkeypatch)
    monkeypatch.setitem(shares.FIXED, Shared.WAITING, 3_200)  # 10 of each session, 1600 of all
    raw, greedy = RawClient(client), RawClient(await cell.client("greedy"))
    await greedy.monitored(*[item(TICK, n) for n in range(300)], most=1)
    await raw.monitored(*[item(TICK, n) for n in range(300)])
    cell.tick(100)
    await greedy.next_message()
    await raw.hear(299, 101)
    assert all(raw.told(n) == list(range(101)) for n in range(300))


async def test_a_client_that_comes_back_gets_what_its_queue_held(cell: InProcess, client: Client):
    raw = RawClient(client)
    tick, pose = item(TICK, 1, queue=50), item("Tool1.Pose", 2, queue=50, filter_=EVERY_SAMPLE)
    await raw.monitored(tick, pose)
    await raw.listen(lambda: len(raw.values) == 2)
    cell.tick(500)
    await raw.hear(2, 51)
    assert raw.told(1) == [0, *range(451, 501)]
    for handle in (1, 2):
        assert statuses(raw.values[handle]) == [GOOD, OVERFLOW, *[GOOD] * 49]
    cell.tick(10)
    await raw.hear(2, 61)
    assert raw.told(1)[51:] == list(range(501, 511))
    assert set(statuses(raw.values[1])[2:]) == {GOOD}


async def test_a_client_that_does_not_read_its_socket_is_sent_no_more_than_a_bound(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    bound = 500_000
    let_the_loop_be_silent(monkeypatch)
    change_limits(cell, monkeypatch, unread_bytes=bound)
    deaf, brisk = RawClient(await cell.client("deaf")), RawClient(await cell.client("brisk"))
    made, _ = await deaf.monitored(*much(queue=200))
    await brisk.monitored(item(TICK, 1, queue=1000))
    waiting = [deaf.publish() for _ in range(90)]
    await asyncio.sleep(0.02)
    deaf.protocol.transport.pause_reading()
    transports = _transports(cell)
    slowest = 0.0
    for _ in range(60):
        cell.tick(50)
        start = time.monotonic()
        await brisk.next_message()
        slowest = max(slowest, time.monotonic() - start)
    await brisk.listen(lambda: brisk.told(1)[-1] == 3000)
    assert brisk.told(1) == list(range(3001))
    unread = max(transport.get_write_buffer_size() for transport in transports)
    one_message = 50 * 12_000  # bytes: 50 rows
    assert bound < unread < bound + 2 * one_message
    assert slowest < 2.0  # chosen: far below the time that all those bytes would take
    inside = subscription(cell, made.SubscriptionId)
    assert inside._values.count == 0
    n_sent = sum(1 for request in waiting if request.done())

    deaf.protocol.transport.resume_reading()
    for request in waiting[n_sent : n_sent + 40]:
        deaf.keep(await request)
        cell.tick(1)
        if OVERFLOW in statuses(deaf.values[0]):
            break
    _check_the_gap(deaf, len(deaf.values))


def _transports(cell: InProcess) -> list:
    return [connection.transport for connection in cell.server.admission.connections]


def _check_the_gap(raw: RawClient, n_item: int) -> None:
    """Times go on by a tick each; where they jump, and only there, stands the overflow bit."""
    for handle in range(n_item):
        values = raw.values[handle]
        for before, after in pairwise(values):
            is_next = (after.SourceTimestamp - before.SourceTimestamp).total_seconds() == 0.001
            assert is_next == (after.StatusCode.value != OVERFLOW)
        assert statuses(values).count(OVERFLOW) >= 1


async def test_a_client_that_does_not_read_loses_its_subscription_in_the_end(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, unread_bytes=100_000)
    let_the_loop_be_silent(monkeypatch)
    deaf, watcher = RawClient(await cell.client("deaf")), RawClient(await cell.client("watcher"))
    made, _ = await deaf.monitored(*much(), keep_alive=1, lifetime=60)
    await watcher.monitored(item(TICK, 1))
    for _ in range(50):
        deaf.publish()
    await asyncio.sleep(0)
    deaf.protocol.transport.pause_reading()
    numbers = subscriptions(cell).subscriptions
    end = time.monotonic() + 20.0
    while made.SubscriptionId in numbers:
        assert time.monotonic() < end
        cell.tick(20)
        await watcher.next_message()
    deaf.protocol.transport.abort()
    await watcher.listen(lambda: watcher.told(1)[-1] == cell.newest_tick)
    assert watcher.told(1) == list(range(cell.newest_tick + 1))

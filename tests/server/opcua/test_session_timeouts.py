"""Sessions that nobody uses end."""

import asyncio
import time
from types import SimpleNamespace

import pytest
from asyncua import ua

from tests.server.opcua.guest import TICK, Guest
from tests.server.opcua.inside import comes_true
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.session import session as session_module
from twincell.server.opcua.session import session_service

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time of sessions, which a test can let pass."""
    passed = SimpleNamespace(s=0.0)
    made_up = SimpleNamespace(monotonic=lambda: time.monotonic() + passed.s)
    monkeypatch.setattr(session_module, "time", made_up)
    monkeypatch.setattr(session_service, "time", made_up)
    return passed


@pytest.mark.parametrize(
    ("asked_ms", "revised_ms"),
    [
        (1.0, 5_000),
        (30_000.0, 30_000),
        (1e12, 600_000),
        (0.0, 600_000),
        (-1.0, 600_000),
        (float("inf"), 600_000),
        (float("-inf"), 600_000),
        (float("nan"), 600_000),
    ],
)
async def test_a_timeout_is_kept_within_bounds(house, asked_ms, revised_ms):
    guest = await Guest(house).channel()
    params = ua.CreateSessionParameters(RequestedSessionTimeout=asked_ms)
    told = await guest.raw.ask(ua.CreateSessionRequest(), params)
    assert told.Parameters.RevisedSessionTimeout == revised_ms


async def test_a_session_that_nobody_uses_ends_with_its_connection(house, clock):
    guest = await Guest(house).active()
    (session,) = house.server.sessions
    clock.s = session.timeout_ms / 1e3 + 1
    await comes_true(lambda: len(house.server.sessions) == 0)
    await comes_true(lambda: not house.server.admission.connections)
    assert session.is_closed
    guest.leave()


async def test_a_session_that_is_used_lives_on(house, clock):
    guest = await Guest(house).active()
    (session,) = house.server.sessions
    for _ in range(4):
        clock.s += 0.9 * session.timeout_ms / 1e3
        assert await guest.read() == "Good"
        await asyncio.sleep(session_service.LOOK_S + 0.1)
    assert not session.is_closed


async def test_a_lost_session_with_subscriptions_waits_until_its_time_is_up(house, clock):
    client = await house.client()
    raw = RawClient(client)
    await raw.monitored(item(TICK))
    (session,) = house.server.sessions
    client.uaclient.protocol.transport.abort()
    await comes_true(lambda: not house.server.admission.connections)
    assert session.is_active
    assert session.connection is None
    clock.s = session.timeout_ms / 1e3 + 1
    await comes_true(lambda: len(house.server.sessions) == 0)
    assert not house.server.subscriptions.subscriptions


async def test_a_lost_session_without_subscriptions_ends_at_once(house):
    guest = await Guest(house).active()
    guest.client.uaclient.protocol.transport.abort()
    await comes_true(lambda: len(house.server.sessions) == 0)

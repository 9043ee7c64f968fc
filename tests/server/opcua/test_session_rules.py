"""Sessions: their tokens, how many there are, and that nothing remains of them."""

import asyncio
from itertools import pairwise

import pytest
from asyncua import ua

from tests.server.opcua.asking import status_of
from tests.server.opcua.guest import TICK, Guest, made
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true, left_behind
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.session.session import Session
from twincell.server.opcua.session.session_service import SESSIONS_A_CHANNEL

pytestmark = pytest.mark.asyncio(loop_scope="session")


# ---------------------------------------------------------------- tokens


async def test_tokens_are_long_random_and_tell_nothing_about_the_session(house):
    guests = [await Guest(house).created() for _ in range(10)]
    tokens = [bytes(one.token.Identifier) for one in guests]
    assert all(len(token) == 32 for token in tokens)
    assert len(set(tokens)) == 10
    # no byte is the same in all of them: 256^-9 that one is by chance, times 32
    assert not any(len({token[place] for token in tokens}) == 1 for place in range(32))
    numbers = sorted(session.session_id.Identifier for session in house.server.sessions)
    assert all(b - a > 1 for a, b in pairwise(numbers))
    for session in house.server.sessions:
        assert session.session_id != session.token


@pytest.mark.parametrize(
    "token",
    [
        ua.NodeId(),
        ua.NodeId(1, 0),
        ua.NodeId("x", 0),
        ua.NodeId(bytes(32), 0),
        ua.NodeId(b"", 0),
    ],
    ids=str,
)
async def test_a_wrong_token_is_no_session(house, token):
    guest = await Guest(house).active()
    guest.client.uaclient.protocol.authentication_token = token
    assert await guest.read() == "BadSessionIdInvalid"


async def test_the_session_id_is_not_its_token(house):
    guest = await Guest(house).active()
    (session,) = house.server.sessions
    guest.client.uaclient.protocol.authentication_token = session.session_id
    assert await guest.read() == "BadSessionIdInvalid"


async def test_a_token_is_good_on_its_own_channel_only(house):
    owner = await Guest(house).active("engineer")
    thief = await Guest(house).active(None)
    thief.pretend_to_be(owner)
    assert await thief.read() == "BadSessionIdInvalid"
    close = ua.CloseSessionRequest()
    assert await status_of(thief.raw.ask(close)) == "BadSessionIdInvalid"
    assert await owner.read() == "Good"


async def test_a_session_that_is_not_activated_ends_when_it_is_used(house):
    guest = await Guest(house).created()
    assert await guest.read() == "BadSessionNotActivated"
    assert len(house.server.sessions) == 0
    assert await guest.read() == "BadSessionIdInvalid"


async def test_a_closed_session_is_gone(house):
    guest = await Guest(house).active()
    await guest.raw.ask(ua.CloseSessionRequest())
    assert await guest.read() == "BadSessionIdInvalid"
    assert await status_of(guest.activate()) == "BadSessionIdInvalid"


async def test_a_session_can_be_closed_before_it_is_activated(house):
    guest = await Guest(house).created()
    assert await status_of(guest.raw.ask(ua.CloseSessionRequest())) == "Good"
    assert len(house.server.sessions) == 0


# ---------------------------------------------------------------- how many


async def test_there_are_not_more_sessions_than_allowed(house, monkeypatch):
    change_limits(house, monkeypatch, sessions=3)
    guests = [await Guest(house).active("engineer") for _ in range(3)]
    late = await Guest(house).channel()
    assert await status_of(late.client.create_session()) == "BadTooManySessions"
    await guests[0].raw.ask(ua.CloseSessionRequest())
    assert await status_of(late.client.create_session()) == "Good"


async def lost(house: InProcess, user: str | None) -> Session:
    """A session whose connection is lost, and which waits for its client."""
    guest = await Guest(house).active(user)
    await guest.raw.subscribe(1_000.0)
    session = next(one for one in house.server.sessions if one.token == guest.token)
    guest.leave()
    await comes_true(lambda: session.is_lost)
    return session


async def test_who_vanishes_and_comes_again_is_not_in_his_own_way(house, monkeypatch):
    change_limits(house, monkeypatch, sessions=4)
    gone = [await lost(house, "engineer") for _ in range(6)]
    assert [one.is_closed for one in gone] == [True, True, False, False, False, False]


async def test_whoever_has_all_he_may_have_ends_no_session_that_others_may_come_back_to(
    house, monkeypatch
):
    change_limits(house, monkeypatch, sessions=10)
    waiting = await lost(house, None)
    observers = []
    while True:
        one = await Guest(house).created()
        if await status_of(one.activate("observer")) == "BadTooManySessions":
            break
        observers.append(one)
    assert not waiting.is_closed
    assert await observers[-1].read() == "Good"


async def test_a_session_that_may_not_become_another_users_goes_on_as_it_was(house, monkeypatch):
    change_limits(house, monkeypatch, sessions=10)
    while await status_of((await Guest(house).created()).activate("observer")) == "Good":
        pass
    guest = await Guest(house).active("engineer")
    assert await status_of(guest.activate("observer")) == "BadTooManySessions"
    assert await guest.read() == "Good"


async def test_those_who_never_activate_keep_nobody_out(house, monkeypatch):
    change_limits(house, monkeypatch, sessions=4)
    for _ in range(6):
        await Guest(house).created()
    assert await (await Guest(house).active()).read() == "Good"


async def another(guest: Guest) -> str:
    """How it ends that a channel wants one more session."""
    asked = guest.raw.ask(ua.CreateSessionRequest(), ua.CreateSessionParameters())
    return await status_of(asked)


async def test_of_those_who_never_activate_the_channel_with_most_makes_room(house, monkeypatch):
    change_limits(house, monkeypatch, connections=4)
    modest, greedy = await Guest(house).created(), await Guest(house).channel()
    for _ in range(9):
        assert await another(greedy) == "Good"
    assert len(house.server.sessions) == 4
    assert await status_of(modest.activate()) == "Good"


async def test_who_is_about_to_prove_who_he_is_makes_room_for_nobody(house, monkeypatch):
    """A password takes a while to compare; whoever floods the server meanwhile ends no login."""
    change_limits(house, monkeypatch, connections=2)
    reached, go_on = asyncio.Event(), asyncio.Event()
    real = house.server.sessions._tokens.user

    async def slow(*asked: object) -> object:
        reached.set()
        await go_on.wait()
        return await real(*asked)

    monkeypatch.setattr(house.server.sessions._tokens, "user", slow)
    owner, flood = await Guest(house).created(), await Guest(house).channel()
    login = asyncio.create_task(owner.activate())
    await reached.wait()
    for _ in range(5):
        assert await another(flood) == "Good"
    go_on.set()
    assert await status_of(login) == "Good"


async def test_a_channel_has_few_sessions(house):
    guest = await Guest(house).channel()
    for _ in range(SESSIONS_A_CHANNEL):
        await guest.raw.ask(ua.CreateSessionRequest(), ua.CreateSessionParameters())
    asked = guest.raw.ask(ua.CreateSessionRequest(), ua.CreateSessionParameters())
    assert await status_of(asked) == "BadTooManySessions"
    assert len(house.server.sessions) == SESSIONS_A_CHANNEL
    guest.leave()
    await comes_true(lambda: len(house.server.sessions) == 0)


async def test_two_sessions_of_a_channel_have_nothing_in_common(house):
    guest = await Guest(house).active("engineer")
    first = guest.token
    second = (
        await guest.raw.ask(ua.CreateSessionRequest(), ua.CreateSessionParameters())
    ).Parameters
    guest.client.uaclient.protocol.authentication_token = second.AuthenticationToken
    assert await guest.read() == "BadSessionNotActivated"
    guest.client.uaclient.protocol.authentication_token = first
    assert await guest.read() == "Good"


async def test_a_hundred_sessions_at_once_all_work(house):
    guests = [await Guest(house).active(None) for _ in range(100)]
    assert len(house.server.sessions) == 100
    assert set(await asyncio.gather(*(one.read() for one in guests))) == {"Good"}


# ---------------------------------------------------------------- nothing remains


async def test_of_a_visit_nothing_remains(house):
    async def visit(user: str | None) -> None:
        client = await house.client(user=user)
        raw = RawClient(client)
        await raw.monitored(item(TICK))
        answer = raw.publish()
        await asyncio.sleep(0)
        await house.disconnect()
        await asyncio.gather(answer, return_exceptions=True)

    await visit("engineer")
    await comes_true(lambda: not house.server.admission.connections)
    before = left_behind(house)
    for user in ("engineer", "operator", None):
        await visit(user)
        guest = await Guest(house).created()
        await status_of(guest.client.activate_session("engineer", "wrong"))
        guest.leave()
        await (await Guest(house, made()).active()).client.disconnect()
    del guest
    house.server.sessions._tokens._failures.clear()
    await comes_true(lambda: not house.server.admission.connections)
    await comes_true(lambda: left_behind(house) == before)

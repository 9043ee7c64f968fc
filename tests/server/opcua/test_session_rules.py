"""Sessions: whose they are, how they are taken over, when they end, and that nothing remains."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from asyncua import Client, ua
from asyncua.crypto.security_policies import (
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256Sha256,
)

from server.opcua.session import session as session_module
from server.opcua.session import session_service
from server.opcua.session.session_service import SESSIONS_A_CHANNEL
from server.security.folder import SecurityFolder
from tests.server.opcua.asking import read_status
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true, left_behind
from tests.server.opcua.made_security import PASSWORD, made_security
from tests.server.opcua.raw_client import RawClient, item
from tests.server.security.made_certificates import Made, make

pytestmark = pytest.mark.asyncio(loop_scope="session")

ENCRYPT, SIGN = ua.MessageSecurityMode.SignAndEncrypt, ua.MessageSecurityMode.Sign
TODAY, DAY = datetime.now(UTC), timedelta(days=1)
URI = "urn:test:client"
TICK = "Simulation.Tick"


def made(name: str = "application") -> Made:
    return make(name, uris=(URI,), begins=TODAY - DAY, ends=TODAY + DAY)


class Guest:
    """A client that is steered step by step."""

    def __init__(self, cell: InProcess, application: Made | None = None, **secure: Any) -> None:
        self.client = Client(cell.server.endpoint, timeout=20)
        self.raw = RawClient(self.client)
        self._cell = cell
        if application is not None:
            application.put(cell.folder.trusted)
            self.client.application_uri = URI
            self.client.security_policy = secure.get("policy", SecurityPolicyBasic256Sha256)(
                cell.security.own.certificate,
                application.certificate,
                application.key,
                secure.get("mode", ENCRYPT),
            )
            self.client.uaclient.set_security(self.client.security_policy)

    async def channel(self) -> "Guest":
        """As far as an open channel."""
        await self.client.connect_socket()
        await self.client.send_hello()
        await self.client.open_secure_channel()
        return self

    async def created(self) -> "Guest":
        await self.channel()
        await self.client.create_session()
        return self

    async def active(self, user: str | None = "operator") -> "Guest":
        await self.created()
        await self.activate(user)
        return self

    async def activate(self, user: str | None = "operator") -> None:
        password = None if user is None else PASSWORD
        await self.client.activate_session(user, password)

    def pretend_to_be(self, other: "Guest") -> None:
        """Use all that another guest knows: its token and nonce."""
        protocol = self.client.uaclient.protocol
        protocol.authentication_token = other.token
        self.client._server_nonce = other.client._server_nonce
        self.client._policy_ids = other.client._policy_ids
        if not self.client.security_policy.peer_certificate:
            certificate = self._cell.security.own.der
            self.client.security_policy.peer_certificate = certificate
        self.client.uaclient.session._state = other.client.uaclient.session._state

    @property
    def token(self) -> ua.NodeId:
        return self.client.uaclient.protocol.authentication_token

    async def read(self) -> str:
        """How reading a value ends."""
        return await status_of(read_status(self.client, TICK))

    def leave(self) -> None:
        self.client.disconnect_socket()


async def status_of(asked: Any) -> str:
    try:
        told = await asked
    except ua.UaStatusCodeError as error:
        return str(ua.StatusCode(error.code).name)
    return told if isinstance(told, str) else "Good"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InProcess]:
    cell = InProcess("tool_change_single")
    folder = SecurityFolder(tmp_path_factory.mktemp("guarded"))
    cell.security = cell.server.security = made_security(folder)
    cell.folder = folder
    async with cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="session")
async def house(guarded: InProcess) -> AsyncIterator[InProcess]:
    """A cell with nobody in it."""
    yield guarded
    await guarded.disconnect()
    guarded.server.sessions.end_all()
    guarded.server.door.close()
    await comes_true(lambda: not guarded.server.door.connections)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time of sessions, which a test can let pass."""
    passed = SimpleNamespace(s=0.0)
    made_up = SimpleNamespace(monotonic=lambda: time.monotonic() + passed.s)
    monkeypatch.setattr(session_module, "time", made_up)
    monkeypatch.setattr(session_service, "time", made_up)
    return passed


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


# ---------------------------------------------------------------- taking over


async def test_a_lost_client_comes_back_to_its_session_on_a_new_channel(house):
    application = made()
    lost = await Guest(house, application).active()
    back = await Guest(house, application).channel()
    back.pretend_to_be(lost)
    await back.activate()
    assert await back.read() == "Good"
    assert await lost.read() == "BadSessionIdInvalid"  # the old channel has lost it


async def test_on_channels_without_security_the_user_has_to_prove_it_again(house):
    owner = await Guest(house).active("operator")
    other = await Guest(house).channel()
    other.pretend_to_be(owner)
    await other.activate("operator")
    assert await other.read() == "Good"


@pytest.mark.parametrize("user", [None, "observer", "engineer"])
async def test_nobody_takes_over_the_session_of_another_user(house, user):
    application = made()
    owner = await Guest(house, application).active("operator")
    thief = await Guest(house, application).channel()
    thief.pretend_to_be(owner)
    assert await status_of(thief.activate(user)) == "BadIdentityChangeNotSupported"
    assert await owner.read() == "Good"
    assert await thief.read() == "BadSessionIdInvalid"


async def test_another_application_takes_over_nothing(house):
    owner = await Guest(house, made("application")).active()
    thief = await Guest(house, made("thief")).channel()
    thief.pretend_to_be(owner)
    assert await status_of(thief.activate()) == "BadSecurityChecksFailed"
    assert await owner.read() == "Good"


async def test_a_session_never_moves_to_a_channel_without_security(house):
    owner = await Guest(house, made()).active()
    thief = await Guest(house).channel()
    thief.pretend_to_be(owner)
    assert await status_of(thief.activate()) == "BadSecurityChecksFailed"
    assert await owner.read() == "Good"


@pytest.mark.parametrize("less", [{"mode": SIGN}, {"policy": SecurityPolicyAes256Sha256RsaPss}])
async def test_a_session_never_moves_to_another_mode_or_policy(house, less):
    application = made()
    owner = await Guest(house, application).active()
    other = await Guest(house, application, **less).channel()
    other.pretend_to_be(owner)
    assert await status_of(other.activate()) == "BadSecurityChecksFailed"
    assert await owner.read() == "Good"


async def test_a_session_that_was_never_activated_is_not_taken_over(house):
    application = made()
    owner = await Guest(house, application).created()
    thief = await Guest(house, application).channel()
    thief.pretend_to_be(owner)
    assert await status_of(thief.activate()) == "BadSecurityChecksFailed"


async def test_an_activation_without_the_applications_signature_is_refused(house):
    guest = await Guest(house, made()).created()
    guest.client._server_nonce = bytes(32)
    assert await status_of(guest.activate(None)) == "BadApplicationSignatureInvalid"


async def test_the_application_that_creates_a_session_is_the_one_of_the_channel(house):
    guest = await Guest(house, made()).channel()
    guest.client.security_policy.host_certificate = made("another").der
    assert await status_of(guest.client.create_session()) == "BadSecurityChecksFailed"


async def test_the_application_says_the_uri_of_its_certificate(house):
    guest = await Guest(house, made()).channel()
    guest.client.application_uri = "urn:somebody:else"
    assert await status_of(guest.client.create_session()) == "BadCertificateUriInvalid"


@pytest.mark.parametrize("length", [0, 31, 257])
async def test_a_client_nonce_of_a_secure_channel_has_32_bytes_or_more(house, length):
    guest = await Guest(house, made()).channel()
    params = ua.CreateSessionParameters(
        ClientCertificate=guest.client.security_policy.host_certificate, ClientNonce=bytes(length)
    )
    params.ClientDescription.ApplicationUri = URI
    asked = guest.raw.ask(ua.CreateSessionRequest(), params)
    assert await status_of(asked) == "BadNonceInvalid"


@pytest.mark.parametrize("field", ["SessionName", "EndpointUrl", "ServerUri"])
async def test_names_without_end_are_refused(house, field):
    guest = await Guest(house).channel()
    params = ua.CreateSessionParameters(**{field: "x" * 513})
    asked = guest.raw.ask(ua.CreateSessionRequest(), params)
    assert await status_of(asked) == "BadEncodingLimitsExceeded"


# ---------------------------------------------------------------- another user, same session


async def test_a_session_may_act_for_one_user_after_another(house):
    guest = await Guest(house).active("observer")
    (session,) = house.server.sessions
    for user in ("engineer", None, "operator"):
        await guest.activate(user)
        assert session.identity.name == (user or "")
    assert session.user_history == ["observer", "engineer", "", "operator"]


async def test_a_failed_activation_leaves_the_user_as_it_was(house):
    guest = await Guest(house).active("observer")
    asked = guest.client.activate_session("engineer", "wrong")
    assert await status_of(asked) == "BadUserAccessDenied"
    (session,) = house.server.sessions
    assert session.identity.name == "observer"
    assert await guest.read() == "Good"


# ---------------------------------------------------------------- time-outs


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
    await comes_true(lambda: not house.server.door.connections)
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
    await comes_true(lambda: not house.server.door.connections)
    assert session.is_active
    assert session.connection is None
    clock.s = session.timeout_ms / 1e3 + 1
    await comes_true(lambda: len(house.server.sessions) == 0)
    assert not house.server.subscriptions.subscriptions


async def test_a_lost_session_without_subscriptions_ends_at_once(house):
    guest = await Guest(house).active()
    guest.client.uaclient.protocol.transport.abort()
    await comes_true(lambda: len(house.server.sessions) == 0)


# ---------------------------------------------------------------- how many


async def test_there_are_not_more_sessions_than_allowed(house, monkeypatch):
    change_limits(house, monkeypatch, sessions=3)
    guests = [await Guest(house).active() for _ in range(3)]
    late = await Guest(house).channel()
    assert await status_of(late.client.create_session()) == "BadTooManySessions"
    await guests[0].raw.ask(ua.CloseSessionRequest())
    assert await status_of(late.client.create_session()) == "Good"


async def test_those_who_never_activate_make_room_first_the_oldest_of_them(house, monkeypatch):
    change_limits(house, monkeypatch, sessions=3)
    active = await Guest(house).active()
    idle = [await Guest(house).created() for _ in range(2)]
    assert await (await Guest(house).active()).read() == "Good"
    assert await active.read() == "Good"
    assert await status_of(idle[0].activate()) == "BadSessionIdInvalid"
    assert await status_of(idle[1].activate()) == "Good"


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
    await comes_true(lambda: not house.server.door.connections)
    before = left_behind(house)
    for user in ("engineer", "operator", None):
        await visit(user)
        guest = await Guest(house).created()
        await status_of(guest.client.activate_session("engineer", "wrong"))
        guest.leave()
        await (await Guest(house, made()).active()).client.disconnect()
    del guest
    house.server.sessions._tokens._failures.clear()
    await comes_true(lambda: not house.server.door.connections)
    await comes_true(lambda: left_behind(house) == before)

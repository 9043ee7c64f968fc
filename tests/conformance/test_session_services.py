"""Session services: CreateSession, ActivateSession, CloseSession, Cancel.        OPC UA part 4, 5.6

Sessions that go on over another channel: test_session_moves.py. What a client leaves behind that
vanishes: tests/server/opcua/test_vanished_client.py. From node-opcua:
tests/node/test_node_sessions.py.
"""

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest
from asyncua import Client, ua
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import APPLICATION_URI, SecuredCell
from tests.server.opcua.asking import change, read_value, write
from tests.server.opcua.inside import change_limits, comes_true
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.session.session_service import SESSIONS_A_CHANNEL
from twincell.server.security.roles import Role

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK, CLOSED = "Simulation.Tick", "Robot1Flange.Closed"
NONCE = b"n" * 32


def asked_of(cell: SecuredCell, **changes: Any) -> ua.CreateSessionParameters:
    """What a well-behaved client says when it creates a session."""
    description = ua.ApplicationDescription(ApplicationUri=APPLICATION_URI)
    usual = ua.CreateSessionParameters(
        ClientDescription=description,
        EndpointUrl=cell.server.endpoint,
        SessionName="conformance",
        ClientNonce=NONCE,
        ClientCertificate=cell.application.made.der,
        RequestedSessionTimeout=60_000,
    )
    return replace(usual, **changes)


async def created(cell: SecuredCell, client: Client, **changes: Any) -> ua.CreateSessionResult:
    response = await RawClient(client).ask(ua.CreateSessionRequest(), asked_of(cell, **changes))
    result: ua.CreateSessionResult = response.Parameters
    return result


# ---------------------------------------------------------------- CreateSession


async def test_a_created_session_proves_that_it_is_with_the_owner_of_the_certificate(
    cell: SecuredCell,
):
    client = await cell.opened()
    result = await created(cell, client)
    own = cell.security.own
    own.certificate.public_key().verify(
        result.ServerSignature.Signature,
        cell.application.made.der + NONCE,
        padding.PKCS1v15(),
        SHA256(),
    )
    assert result.ServerCertificate == own.der
    assert len(result.ServerNonce) == 32
    assert result.SessionId != result.AuthenticationToken
    assert result.MaxRequestMessageSize == cell.server.limits.message_bytes


async def test_a_created_session_repeats_the_endpoints_that_discovery_told(cell: SecuredCell):
    client = await cell.opened()
    result = await created(cell, client)
    assert result.ServerEndpoints == await client.get_endpoints()


@pytest.mark.parametrize(
    ("asked_ms", "revised_ms"),
    [(0.0, 600_000.0), (1.0, 5_000.0), (60_000.0, 60_000.0), (1e12, 600_000.0)],
)
async def test_a_timeout_is_revised_to_what_the_server_allows(
    cell: SecuredCell, asked_ms: float, revised_ms: float
):
    result = await created(cell, await cell.opened(), RequestedSessionTimeout=asked_ms)
    assert result.RevisedSessionTimeout == revised_ms


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"ClientNonce": b"n" * 31}, "BadNonceInvalid"),
        ({"ClientNonce": None}, "BadNonceInvalid"),
        ({"ClientCertificate": None}, "BadSecurityChecksFailed"),
        ({"ClientCertificate": b"another"}, "BadSecurityChecksFailed"),
        ({"ClientDescription": ua.ApplicationDescription("urn:other")}, "BadCertificateUriInvalid"),
        ({"SessionName": "x" * 1_000}, "BadEncodingLimitsExceeded"),
    ],
)
async def test_a_session_that_does_not_fit_its_channel_is_refused(
    cell: SecuredCell, changes: dict[str, Any], status: str
):
    assert await refusal(created(cell, await cell.opened(), **changes)) == status


async def test_a_channel_has_a_few_sessions_at_most(cell: SecuredCell):
    client = await cell.opened()
    for _ in range(SESSIONS_A_CHANNEL):
        await created(cell, client)
    assert await refusal(created(cell, client)) == "BadTooManySessions"


async def test_there_are_as_many_sessions_as_the_server_allows(
    cell: SecuredCell, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, sessions=2)
    await cell.client()
    await cell.client()
    assert await refusal(cell.client()) == "BadTooManySessions"


async def test_a_session_that_was_never_activated_makes_room(
    cell: SecuredCell, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, sessions=2)
    await cell.client()
    await created(cell, await cell.opened())
    assert await refusal(cell.client()) == "Good"


async def test_a_hundred_sessions_live_at_once_and_each_reads(cell: SecuredCell):
    cell.tick(3)
    began_s = time.monotonic()
    clients: list[Client] = []
    while len(clients) < 100:  # fewer at a time than may be on their way to a session
        clients += await asyncio.gather(*(cell.client(user=None) for _ in range(25)))
    ticks = await asyncio.gather(*(read_value(client, TICK) for client in clients))
    assert ticks == [3] * 100
    assert len(cell.server.sessions) == 100
    assert time.monotonic() - began_s < 60.0  # some seconds, on a busy machine


# ---------------------------------------------------------------- ActivateSession


async def test_a_session_acts_for_another_user_once_he_has_logged_in(cell: SecuredCell):
    client = await cell.secured(user="observer")
    (session,) = cell.server.sessions
    assert await write(client, change(CLOSED, True)) == ["BadUserAccessDenied"]
    await client.activate_session("operator", PASSWORD)
    assert await write(client, change(CLOSED, True)) == ["Good"]
    await client.activate_session()
    assert session.role is Role.OBSERVER
    assert await write(client, change(CLOSED, False)) == ["BadUserAccessDenied"]
    assert list(cell.server.sessions) == [session]


async def test_a_failed_login_leaves_the_session_as_it_was(cell: SecuredCell):
    client = await cell.secured(user="operator")
    assert await refusal(client.activate_session("engineer", "a guess")) == "BadUserAccessDenied"
    (session,) = cell.server.sessions
    assert session.identity.name == "operator"
    assert await write(client, change(CLOSED, True)) == ["Good"]


async def test_an_unknown_user_is_refused_like_a_wrong_password(cell: SecuredCell):
    client = await cell.secured(user=None)
    assert await refusal(client.activate_session("nobody", PASSWORD)) == "BadUserAccessDenied"


async def test_a_user_certificate_that_is_not_registered_is_refused(cell: SecuredCell):
    client = await cell.secured(user=None)
    client.user_private_key = cell.stranger.made.key
    asking = client.activate_session(certificate=cell.stranger.made.certificate)
    assert await refusal(asking) == "BadUserAccessDenied"


async def test_a_user_certificate_needs_the_signature_of_its_owner(cell: SecuredCell):
    client = await cell.secured(user=None)
    client.user_private_key = cell.stranger.made.key
    asking = client.activate_session(certificate=cell.carla.made.certificate)
    assert await refusal(asking) == "BadUserSignatureInvalid"


async def test_a_token_names_the_policy_that_it_follows(cell: SecuredCell):
    client = await cell.secured(user=None)
    client._policy_ids = [replace(policy, PolicyId="made up") for policy in client._policy_ids]
    assert await refusal(client.activate_session()) == "BadIdentityTokenInvalid"
    asking = client.activate_session("engineer", PASSWORD)
    assert await refusal(asking) == "BadIdentityTokenInvalid"


async def test_a_password_must_be_encrypted(cell: SecuredCell):
    client = await cell.client(user=None)
    token = ua.UserNameIdentityToken(
        PolicyId="username", UserName="engineer", Password=PASSWORD.encode()
    )
    parameters = ua.ActivateSessionParameters(UserIdentityToken=token)
    asking = RawClient(client).ask(ua.ActivateSessionRequest(), parameters)
    assert await refusal(asking) == "BadIdentityTokenInvalid"


async def test_the_application_signs_every_activation(cell: SecuredCell):
    client = await cell.secured()
    client._server_nonce = NONCE  # which is not the last one that it was given
    assert await refusal(client.activate_session()) == "BadApplicationSignatureInvalid"


async def test_every_activation_gives_another_nonce(cell: SecuredCell):
    client = await cell.secured()
    nonces = {client._server_nonce}
    for _ in range(3):
        nonces.add((await client.activate_session("engineer", PASSWORD)).ServerNonce)
    assert len(nonces) == 4


async def test_a_session_can_be_used_for_nothing_before_it_is_active(cell: SecuredCell):
    client = await cell.opened()
    client.uaclient.session.restore_authentication_token(
        (await created(cell, client)).AuthenticationToken
    )
    assert await refusal(read_value(client, TICK)) == "BadSessionNotActivated"
    assert not len(cell.server.sessions)  # part 4 has it closed then


@pytest.mark.parametrize("token", [ua.NodeId(), ua.NodeId(5, 1), ua.NodeId(b"x" * 32, 0)])
async def test_a_token_that_was_never_given_is_no_session(cell: SecuredCell, token: ua.NodeId):
    client = await cell.opened()
    client.uaclient.session.restore_authentication_token(token)
    assert await refusal(read_value(client, TICK)) == "BadSessionIdInvalid"
    assert await refusal(client.activate_session()) == "BadSessionIdInvalid"


# ---------------------------------------------------------------- CloseSession and time-outs


async def test_a_closed_session_is_gone(cell: SecuredCell):
    client = await cell.secured()
    await RawClient(client).ask(ua.CloseSessionRequest())
    assert not len(cell.server.sessions)
    assert await refusal(read_value(client, TICK)) == "BadSessionIdInvalid"
    assert await refusal(RawClient(client).ask(ua.CloseSessionRequest())) == "BadSessionIdInvalid"


async def test_requests_that_wait_are_answered_when_their_session_closes(cell: SecuredCell):
    raw = RawClient(await cell.secured())
    await raw.monitored(item(TICK, 1))
    await raw.next_message()
    waiting = raw.publish()
    await raw.ask(ua.CloseSessionRequest())
    assert await refusal(waiting) == "BadSessionClosed"


async def test_a_session_that_nobody_uses_ends_and_its_connection_with_it(
    cell: SecuredCell, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, min_session_timeout_ms=300.0, max_session_timeout_ms=300.0)
    client = await cell.secured()
    await RawClient(client).monitored(item(TICK, 1))
    await comes_true(lambda: not len(cell.server.sessions))
    await comes_true(lambda: not cell.server.admission.connections)
    assert not cell.server.subscriptions.subscriptions
    client.disconnect_socket()


async def test_any_request_keeps_a_session_alive(
    cell: SecuredCell, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, min_session_timeout_ms=1_000.0, max_session_timeout_ms=1_000.0)
    client = await cell.secured()
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        await read_value(client, TICK)
        await asyncio.sleep(0.02)
    assert len(cell.server.sessions) == 1


# ---------------------------------------------------------------- Cancel


async def test_a_publish_request_that_waits_can_be_cancelled(cell: SecuredCell):
    raw = RawClient(await cell.secured())
    await raw.monitored(item(TICK, 1))
    await raw.next_message()
    waiting, staying = raw.publish(), raw.publish()
    handle = raw.protocol._request_handle - 1
    response = await raw.ask(ua.CancelRequest(), ua.CancelParameters(handle))
    assert response.Parameters.CancelCount == 1
    assert await refusal(waiting) == "BadRequestCancelledByClient"
    cell.tick()
    raw.keep(await staying)
    assert raw.told(1) == [0, 1]


async def test_what_does_not_wait_cannot_be_cancelled(cell: SecuredCell):
    raw = RawClient(await cell.secured())
    response = await raw.ask(ua.CancelRequest(), ua.CancelParameters(4711))
    assert response.Parameters.CancelCount == 0

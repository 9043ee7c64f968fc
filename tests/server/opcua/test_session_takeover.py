"""Sessions that another channel takes over, or another user."""

import pytest
from asyncua import ua
from asyncua.crypto.security_policies import (
    SecurityPolicyAes256Sha256RsaPss,
)

from tests.server.opcua.asking import status_of
from tests.server.opcua.guest import SIGN, URI, Guest, made

pytestmark = pytest.mark.asyncio(loop_scope="session")


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

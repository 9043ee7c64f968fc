"""SecureChannel services: OpenSecureChannel, its renewal, CloseSecureChannel.   OPC UA part 4, 5.5

What is refused here ends the connection, with an Error message that says why; hence a client sees
its connection break, and the test reads what came before. The same from node-opcua:
tests/node/test_node_channel.py. Malformed chunks, wrong tokens and slow handshakes: tests/attack.
"""

import asyncio
import time

import pytest
from asyncua import Client, ua
from asyncua.common.utils import create_nonce
from asyncua.crypto.security_policies import SecurityPolicyBasic256

from tests.conformance.real_time import real_time
from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import (
    ENCRYPT,
    SECURED,
    SECURED_NAMES,
    SIGN,
    SecuredCell,
)
from tests.server.opcua.asking import read_value
from tests.server.opcua.inside import change_limits, comes_true
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"
every_policy_and_mode = pytest.mark.parametrize(("policy", "mode"), SECURED, ids=SECURED_NAMES)


# ---------------------------------------------------------------- opening


@every_policy_and_mode
async def test_a_trusted_application_reads_over_every_policy_and_mode(
    cell: SecuredCell, policy: str, mode: ua.MessageSecurityMode
):
    cell.tick(41)
    client = await cell.secured(policy, mode)
    assert await read_value(client, TICK) == 41


@every_policy_and_mode
async def test_a_user_proves_who_he_is_with_a_certificate(
    cell: SecuredCell, policy: str, mode: ua.MessageSecurityMode
):
    client = await cell.secured(policy, mode, user="carla")
    (session,) = cell.server.sessions
    assert (session.identity.name, session.authentication) == ("carla", "certificate")
    assert await read_value(client, TICK) == 0


async def test_an_anonymous_client_is_let_in_over_a_secured_channel_as_well(cell: SecuredCell):
    await cell.secured(user=None)
    (session,) = cell.server.sessions
    assert session.authentication == "anonymous"


@pytest.mark.parametrize("mode", [SIGN, ENCRYPT])
async def test_an_application_that_nobody_trusts_is_refused_and_kept_for_a_decision(
    cell: SecuredCell, mode: ua.MessageSecurityMode
):
    client = await cell.prepared(mode=mode, application=cell.stranger)
    assert await why_not(client) == "BadSecurityChecksFailed"
    (kept,) = cell.folder.rejected.iterdir()
    assert kept.read_bytes() == cell.stranger.made.der


async def test_a_stranger_learns_nothing_about_folders_and_whom_we_trust(
    cell: SecuredCell, caplog: pytest.LogCaptureFixture
):
    await why_not(await cell.prepared(application=cell.stranger))
    (told,) = [one.message for one in caplog.records if one.levelname == "CRITICAL"]
    assert "stranger" not in told and str(cell.folder.root) not in told
    (logged,) = [one.message for one in caplog.records if one.name == "twincell.opcua"]
    assert f"twincell trust accept {cell.stranger.made.thumbprint}" in logged


# ---------------------------------------------------------------- what is refused


async def test_a_policy_that_is_not_offered_is_rejected(cell: SecuredCell):
    client = await cell.prepared()
    client.security_policy.URI = SecurityPolicyBasic256.URI  # it is too old to be offered
    assert await why_not(client) == "BadSecurityPolicyRejected"


async def test_a_mode_that_does_not_go_with_its_policy_is_rejected(cell: SecuredCell):
    secured = await cell.prepared()
    assert await why_not(secured, mode=ua.MessageSecurityMode.None_) == "BadSecurityModeRejected"
    plain = Client(cell.server.endpoint)
    assert await why_not(plain, mode=SIGN) == "BadSecurityModeRejected"
    nonsense = Client(cell.server.endpoint)
    invalid = ua.MessageSecurityMode.Invalid
    assert await why_not(nonsense, mode=invalid) == "BadSecurityModeRejected"


async def test_a_request_without_a_certificate_is_refused(cell: SecuredCell):
    client = await cell.prepared()
    client.security_policy.host_certificate = b""
    assert await why_not(client) == "BadSecurityChecksFailed"


async def test_a_channel_is_opened_once_and_then_renewed(cell: SecuredCell):
    unopened = await cell.prepared()
    assert await why_not(unopened, ua.SecurityTokenRequestType.Renew) == "BadRequestTypeInvalid"
    opened = await cell.secured()
    assert await refusal(opened.open_secure_channel()) == "BadRequestTypeInvalid"


async def test_a_nonce_is_as_long_as_its_policy_says(cell: SecuredCell):
    client = await cell.prepared()
    await client.connect_socket()
    await client.send_hello()
    asked = opening(client, ua.SecurityTokenRequestType.Issue)
    asked.ClientNonce = b"1" * 31
    assert await refusal(client.uaclient.open_secure_channel(asked)) == "BadNonceInvalid"


async def test_a_renewed_channel_keeps_its_mode(cell: SecuredCell):
    client = await cell.secured()
    asked = opening(client, ua.SecurityTokenRequestType.Renew)
    asked.SecurityMode = SIGN
    assert await refusal(client.uaclient.open_secure_channel(asked)) == "BadSecurityModeRejected"


# ---------------------------------------------------------------- lifetimes


@pytest.mark.parametrize(
    ("asked_ms", "revised_ms"), [(1, 10_000), (60_000, 60_000), (2**32 - 1, 3_600_000)]
)
async def test_a_lifetime_is_revised_to_what_the_server_allows(
    cell: SecuredCell, asked_ms: int, revised_ms: int
):
    client = await cell.secured(lifetime_ms=asked_ms)
    assert client.secure_channel_timeout == revised_ms


async def test_a_silent_client_may_renew_twice_and_speak_before_the_second_answer(
    cell: SecuredCell,
):
    client = await cell.secured()
    await client.open_secure_channel(renew=True)
    renewing = asyncio.ensure_future(client.open_secure_channel(renew=True))
    await asyncio.sleep(0)  # its request is sent, and what follows has the keys of the first
    reading = asyncio.ensure_future(read_value(client, TICK))
    await renewing
    assert await reading == 0
    assert await read_value(client, TICK) == 0


async def test_a_channel_that_is_not_renewed_ends_and_its_connection_with_it(
    cell: SecuredCell, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, min_channel_lifetime_ms=200.0, max_channel_lifetime_ms=200.0)
    client = await cell.secured()
    client._renew_channel_task.cancel()
    began_s = time.monotonic()
    await comes_true(lambda: not cell.server.admission.connections)
    assert time.monotonic() - began_s < 5.0  # 250 ms, on a busy machine
    client.disconnect_socket()


async def test_a_closed_channel_is_a_closed_connection(cell: SecuredCell):
    client = await cell.secured()
    await client.close_secure_channel()
    await comes_true(lambda: not cell.server.admission.connections)
    client.disconnect_socket()


async def why_not(
    client: Client,
    kind: ua.SecurityTokenRequestType = ua.SecurityTokenRequestType.Issue,
    mode: ua.MessageSecurityMode | None = None,
) -> str:
    """Why a client cannot open a channel."""
    await client.connect_socket()
    await client.send_hello()
    asked = opening(client, kind)
    if mode is not None:
        asked.SecurityMode = mode
    try:
        return await refusal(client.uaclient.open_secure_channel(asked))
    finally:
        client.disconnect_socket()


def opening(client: Client, kind: ua.SecurityTokenRequestType) -> ua.OpenSecureChannelParameters:
    """What a client asks for when it opens or renews a channel."""
    policy = client.security_policy
    return ua.OpenSecureChannelParameters(
        RequestType=kind,
        SecurityMode=policy.Mode,
        ClientNonce=create_nonce(policy.secure_channel_nonce_length),
        RequestedLifetime=60_000,
    )


# ---------------------------------------------------------------- samples


async def test_every_sample_of_1_khz_comes_in_order_over_an_encrypted_channel(cell: SecuredCell):
    raw = RawClient(await cell.secured())
    await raw.monitored(item(TICK, 1, filter_=EVERY_SAMPLE))
    for _ in range(20):
        cell.tick(100)
        await raw.next_message()
    await raw.listen(lambda: raw.told(1)[-1] == 2000)
    assert raw.told(1) == list(range(2001))


async def test_a_channel_is_renewed_under_load_and_no_sample_is_lost(
    cell: SecuredCell, monkeypatch: pytest.MonkeyPatch
):
    # half a second remains for a renewal: a busy machine may take that long
    change_limits(cell, monkeypatch, min_channel_lifetime_ms=1_000.0)
    client = await cell.secured(lifetime_ms=1_000)
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1, filter_=EVERY_SAMPLE))
    (connection,) = cell.server.admission.connections
    first = connection.channel.security_token.TokenId
    end = time.monotonic() + 4.0
    async with real_time(cell):
        while time.monotonic() < end:
            await raw.next_message()
    await raw.listen(lambda: raw.told(1)[-1] == cell.newest_tick)
    assert raw.told(1) == list(range(cell.newest_tick + 1))
    assert connection.channel.security_token.TokenId - first >= 3

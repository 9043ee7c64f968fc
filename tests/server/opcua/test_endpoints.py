"""Endpoints: what is offered to a client here, and to one on another machine."""

import pytest
from asyncua import Client, ua
from asyncua.crypto.security_policies import SecurityPolicyBasic256Sha256, SecurityPolicyNone

from tests.server.opcua.made_security import made_security
from twincell.server.opcua.wire.endpoints import (
    OFFERED,
    TRANSPORT,
    endpoints,
    factories,
    token_policy,
)
from twincell.server.security.roles import Role

DESCRIPTION = ua.ApplicationDescription()
NONE = ua.MessageSecurityMode.None_
POLICIES = {"Basic256Sha256", "Aes128_Sha256_RsaOaep", "Aes256_Sha256_RsaPss"}


def offered(*, anonymous: bool = True, plain: bool = True) -> list[ua.EndpointDescription]:
    own = made_security().own
    return endpoints(DESCRIPTION, "opc.tcp://here", own, anonymous, plain)


def short(uri: str) -> str:
    return uri.rpartition("#")[2]


def tokens(endpoint: ua.EndpointDescription) -> dict[str, ua.UserTokenPolicy]:
    return {one.TokenType.name: one for one in endpoint.UserIdentityTokens}


def test_every_policy_comes_signed_and_encrypted_and_none_once():
    found = [(short(one.SecurityPolicyUri), one.SecurityMode.name) for one in offered()]
    modes = ("Sign", "SignAndEncrypt")
    assert sorted(found) == sorted([("None", "None_"), *((p, m) for p in POLICIES for m in modes)])


def test_more_secure_endpoints_have_a_higher_level_and_none_has_zero():
    by_level = sorted(offered(), key=lambda one: one.SecurityLevel)
    assert len({one.SecurityLevel for one in by_level}) == len(by_level)
    modes = [one.SecurityMode for one in by_level]
    assert modes == sorted(modes)
    assert by_level[0].SecurityLevel == 0


def test_without_plain_there_is_no_endpoint_without_security():
    found = offered(plain=False)
    assert len(found) == len(OFFERED) - 1
    assert all(one.SecurityMode != NONE for one in found)


@pytest.mark.parametrize("anonymous", [True, False])
def test_anonymous_is_offered_everywhere_or_nowhere(anonymous):
    for endpoint in offered(anonymous=anonymous):
        assert ("Anonymous" in tokens(endpoint)) == anonymous
        assert {"UserName", "Certificate"} <= tokens(endpoint).keys()


def test_a_password_is_encrypted_on_every_endpoint():
    for endpoint in offered():
        policy = tokens(endpoint)["UserName"].SecurityPolicyUri
        wanted = endpoint.SecurityPolicyUri
        if endpoint.SecurityMode == NONE:
            wanted = SecurityPolicyBasic256Sha256.URI
        assert policy == wanted


def test_policies_of_tokens_have_names_that_differ():
    for endpoint in offered():
        assert len({one.PolicyId for one in endpoint.UserIdentityTokens}) == 3


def test_every_endpoint_tells_our_certificate_and_the_transport():
    own = made_security().own
    for endpoint in offered():
        assert endpoint.ServerCertificate == own.der
        assert endpoint.TransportProfileUri == TRANSPORT


def test_there_is_a_channel_policy_for_every_endpoint_and_no_other():
    made = {(one.cls.URI, one.mode) for one in factories(made_security().own)}
    assert made == {(one.SecurityPolicyUri, one.SecurityMode) for one in offered()}


def test_tokens_on_a_channel_without_security_follow_basic256sha256():
    assert token_policy(SecurityPolicyNone()) is SecurityPolicyBasic256Sha256
    for policy, mode, _ in OFFERED:
        if mode != NONE:
            assert token_policy(policy) is policy


# ---------------------------------------------------------------- over a connection


async def told(cell) -> list[ua.EndpointDescription]:
    return list(await Client(cell.server.endpoint).connect_and_get_server_endpoints())


@pytest.mark.asyncio(loop_scope="session")
async def test_a_client_here_is_offered_all_of_it(cell):
    found = await told(cell)
    assert len(found) == len(OFFERED)
    assert all("Anonymous" in tokens(one) for one in found)
    assert {one.EndpointUrl for one in found} == {cell.server.endpoint}
    assert {one.Server.ApplicationUri for one in found} == {cell.security.own.application_uri}


@pytest.mark.asyncio(loop_scope="session")
async def test_a_client_on_another_machine_is_offered_neither_none_nor_anonymous(cell, monkeypatch):
    monkeypatch.setattr(cell.server.admission, "origin_of", lambda client, own: client)
    found = await told(cell)
    assert len(found) == len(OFFERED) - 1
    assert all(one.SecurityMode != NONE for one in found)
    assert not any("Anonymous" in tokens(one) for one in found)


def test_what_is_offered_elsewhere_is_for_the_cell_file_to_say():
    security = made_security(anonymous=Role.NOBODY)
    assert security.anonymous(is_local=True) is Role.NOBODY
    assert security.allows_plain(is_local=True)
    assert not security.allows_plain(is_local=False)

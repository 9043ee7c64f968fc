"""Discovery services: GetEndpoints, FindServers, and those that are not served. OPC UA part 4, 5.4

How addresses are answered: tests/server/opcua/test_discovery.py. From node-opcua:
tests/node/test_node_services.py, tests/node/test_node_opcua.py.
"""

import pytest
from asyncua import Client, ua

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import POLICIES, SECURED, SecuredCell
from tests.server.opcua.raw_client import RawClient

pytestmark = pytest.mark.asyncio(loop_scope="session")

BINARY = "http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary"
NONE = "http://opcfoundation.org/UA/SecurityPolicy#None"
TOKENS = {
    ua.UserTokenType.Anonymous,
    ua.UserTokenType.UserName,
    ua.UserTokenType.Certificate,
}


async def endpoints(client: Client, *profiles: str) -> list[ua.EndpointDescription]:
    parameters = ua.GetEndpointsParameters(
        EndpointUrl=client.server_url.geturl(), ProfileUris=list(profiles)
    )
    return list(await client.uaclient.get_endpoints(parameters))


@pytest.mark.parametrize("policy", [None, "Basic256Sha256"])
async def test_endpoints_are_told_without_a_session_on_any_channel(
    cell: SecuredCell, policy: str | None
):
    told = await endpoints(await cell.opened(policy))
    assert {(one.SecurityPolicyUri, one.SecurityMode) for one in told} == {
        (NONE, ua.MessageSecurityMode.None_),
        *((POLICIES[name].URI, mode) for name, mode in SECURED),
    }
    assert not len(cell.server.sessions)


async def test_an_endpoint_says_all_that_a_client_needs_to_use_it(cell: SecuredCell):
    for one in await endpoints(await cell.opened(None)):
        assert one.EndpointUrl == cell.server.endpoint
        assert one.ServerCertificate == cell.security.own.der
        assert one.TransportProfileUri == BINARY
        assert one.Server.ApplicationUri == cell.security.own.application_uri
        assert one.Server.ApplicationType is ua.ApplicationType.Server
        assert {token.TokenType for token in one.UserIdentityTokens} == TOKENS
        assert len({token.PolicyId for token in one.UserIdentityTokens}) == len(TOKENS)


async def test_encrypted_endpoints_are_said_to_be_more_secure_than_signed_ones(cell: SecuredCell):
    levels = {mode: set[int]() for mode in ua.MessageSecurityMode}
    for one in await endpoints(await cell.opened(None)):
        levels[one.SecurityMode].add(one.SecurityLevel)
    modes = ua.MessageSecurityMode
    assert max(levels[modes.None_]) < min(levels[modes.Sign])
    assert max(levels[modes.Sign]) < min(levels[modes.SignAndEncrypt])


async def test_only_endpoints_of_the_profiles_asked_for_are_told(cell: SecuredCell):
    client = await cell.opened(None)
    assert await endpoints(client, "https://example.org/another") == []
    assert len(await endpoints(client, "https://example.org/another", BINARY)) == 7


async def test_the_server_finds_itself_and_nobody_else(cell: SecuredCell):
    client = await cell.opened(None)
    (found,) = await client.find_servers()
    assert found.ApplicationUri == cell.security.own.application_uri
    assert found.DiscoveryUrls == [cell.server.endpoint]
    assert await client.find_servers([found.ApplicationUri]) == [found]
    assert await client.find_servers(["urn:another"]) == []


@pytest.mark.parametrize(
    "request_",
    [
        ua.FindServersOnNetworkRequest(),
        ua.RegisterServerRequest(),
        ua.RegisterServer2Request(),
    ],
    ids=lambda request: type(request).__name__,
)
async def test_it_is_no_directory_of_other_servers(cell: SecuredCell, request_: object):
    raw = RawClient(await cell.opened(None))
    assert await refusal(raw.ask(request_)) == "BadServiceUnsupported"

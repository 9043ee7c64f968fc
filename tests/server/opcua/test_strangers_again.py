"""What one client may hold on to, and what it must leave to others."""

import asyncio

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import status_of
from tests.server.opcua.guest import Guest, made
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import RawClient
from tests.server.security.made_certificates import rsa_key
from twincell.server.security.rejected import MOST_OF_AN_ADDRESS

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def visitor(cell: InProcess, user: str | None = None) -> Client:
    client = Client(cell.server.endpoint, timeout=20)
    if user is not None:
        client.set_user(user)
        client.set_password(PASSWORD)
    await client.connect()
    return client


async def test_a_connection_without_a_session_is_a_stranger_again(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, seconds_to_activate=0.3)
    client = await visitor(cell)
    (connection,) = cell.server.admission.connections
    assert connection.has_session
    await client.close_session()
    assert not connection.has_session
    assert connection.channel._limits.max_message_size == cell.server.limits.message_bytes_before
    await comes_true(lambda: connection not in cell.server.admission.connections)
    client.disconnect_socket()


async def test_a_second_session_keeps_the_connection_known(cell: InProcess):
    client = await visitor(cell)
    (connection,) = cell.server.admission.connections
    first = next(iter(cell.server.sessions))
    await client.create_session()
    await client.activate_session()
    cell.server.sessions._end(first, delete=True)
    assert connection.has_session
    await client.disconnect()


async def test_clients_without_a_name_leave_sessions_to_those_who_have_one(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, sessions=10)
    crowd = [await visitor(cell) for _ in range(7)]
    with pytest.raises(ua.uaerrors.BadTooManySessions):
        await visitor(cell)
    engineer = await visitor(cell, "engineer")
    for client in [*crowd, engineer]:
        await client.disconnect()


async def test_what_a_client_says_about_itself_is_not_kept_whole(cell: InProcess):
    client = await visitor(cell)
    raw = RawClient(client)
    params = ua.CreateSessionParameters()
    params.ClientDescription.DiscoveryUrls = ["x" * 1_000] * 1_000
    params.ClientDescription.ApplicationName = ua.LocalizedText("y" * 60_000)
    params.EndpointUrl, params.SessionName = cell.server.endpoint, "much to say"
    await raw.ask(ua.CreateSessionRequest(), params)
    (kept,) = [one for one in cell.server.sessions if one.client_name == "much to say"]
    assert not kept.client_description.DiscoveryUrls
    assert len(kept.client_description.ApplicationName.Text) < 1_000
    await client.disconnect()


async def test_long_requests_of_strangers_do_not_hold_up_those_of_a_client(
    cell: InProcess, client: Client
):
    strangers = []
    for _ in range(10):
        one = Client(cell.server.endpoint, timeout=20)
        await one.connect_socket()
        await one.send_hello()
        await one.open_secure_channel()
        strangers.append(one)
    request = ua.GetEndpointsRequest()
    request.Parameters.LocaleIds = ["en"] * 8_000
    waiting = [
        asyncio.ensure_future(one.uaclient.protocol.send_request(request, 20))
        for one in strangers
        for _ in range(3)
    ]
    await asyncio.sleep(0)
    await client.nodes.objects.get_children()
    assert sum(one.done() for one in waiting) < len(waiting) // 2
    await asyncio.gather(*waiting, return_exceptions=True)
    for one in strangers:
        one.disconnect_socket()


async def test_a_flood_from_elsewhere_does_not_push_out_a_slow_client(cell: InProcess):
    admission = cell.server.admission

    class Caller:
        def __init__(self, address: str, number: int) -> None:
            self.origin, self.name, self.transport = address, f"{address}:{number}", self
            self.is_out = self.is_logging_in = False

        def abort(self) -> None:
            self.is_out = True

    slow = Caller("10.0.0.1", 1)
    assert admission.enter(slow)
    flood = [
        Caller("10.0.0.2", n) for n in range(3 * cell.server.limits.unauthenticated_connections)
    ]
    for one in flood:
        assert admission.enter(one) or True
    assert not slow.is_out
    for one in [slow, *flood]:
        admission.leave(one)


async def test_made_up_certificates_of_one_address_push_out_only_each_other(house: InProcess):
    async def attempt(name: str, address: str) -> bytes:
        """Come with a certificate that nobody trusts."""
        application = made(name, key=rsa_key("application"))
        guest = Guest(house, application, address=address, is_trusted=False)
        assert await status_of(guest.channel()) == "BadSecurityChecksFailed"
        guest.leave()
        return application.der

    plc = await attempt("PLC", "127.0.0.7")
    flood = [await attempt(f"stranger {n}", "127.0.0.66") for n in range(MOST_OF_AN_ADDRESS + 3)]
    kept = [one.read_bytes() for one in house.folder.rejected.iterdir()]
    assert plc in kept
    assert flood[-1] in kept
    assert sum(one in kept for one in flood) == MOST_OF_AN_ADDRESS

"""Logging in at the page: what a wrong name tells, and how often one may try."""

from types import SimpleNamespace

import pytest
from starlette.requests import HTTPConnection

from tests.server.opcua.made_security import PASSWORD, made_security
from twincell.server.client.mistake import Mistake
from twincell.server.opcua.command.arbitration import DEMO_NAME
from twincell.server.opcua.limits import Limits
from twincell.server.security import passwords
from twincell.server.security.origin import THIS_MACHINE
from twincell.server.security.roles import Role
from twincell.server.web.access.visitors import TooManyAttempts, Visitors, origin_of_request

OWN = "10.0.0.7"  # at which browsers reach the page


def asked(client: str) -> HTTPConnection:
    """A request from an address."""
    scope = {"type": "http", "headers": [], "client": (client, 50_000), "server": (OWN, 8080)}
    return HTTPConnection(scope)


@pytest.fixture
def visitors() -> Visitors:
    serving = SimpleNamespace(security=made_security(), limits=Limits())
    return Visitors(serving, "opc.tcp://127.0.0.1:1", 8080)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", [DEMO_NAME, "twincell nobody", "nobody", "operator"])
async def test_every_name_is_refused_after_as_much_work(visitors, monkeypatch, name):
    """Else the time of the answer would tell which names there are."""
    hashed = []
    real = passwords.matches
    monkeypatch.setattr(passwords, "matches", lambda *both: hashed.append(both) or real(*both))
    with pytest.raises(Mistake):
        await visitors.log_in(name, "wrong", THIS_MACHINE)
    assert len(hashed) == 1


@pytest.mark.asyncio
async def test_no_program_of_ours_logs_in_at_the_page(visitors):
    with pytest.raises(Mistake):
        await visitors.log_in(DEMO_NAME, PASSWORD, THIS_MACHINE)


@pytest.mark.asyncio
async def test_another_address_of_this_machine_is_no_new_chance(visitors):
    for n in range(Limits().failed_logins):
        with pytest.raises(Mistake):
            await visitors.log_in("nobody", "wrong", origin_of_request(asked(f"127.0.0.{n + 1}")))
    with pytest.raises(TooManyAttempts):
        await visitors.log_in("operator", PASSWORD, origin_of_request(asked("127.0.0.99")))
    with pytest.raises(Mistake):  # who comes from elsewhere may still try
        await visitors.log_in("nobody", "wrong", origin_of_request(asked("10.0.0.1")))


@pytest.mark.parametrize(
    ("client", "role"),
    [("127.0.0.1", Role.OBSERVER), (OWN, Role.OBSERVER), ("10.0.0.8", Role.NOBODY)],
)
def test_a_guest_has_the_rights_of_a_client_without_a_name_by_the_machine_he_is_on(
    visitors, client, role
):
    assert visitors.visitor({}, origin_of_request(asked(client))).identity.role is role

"""Logging in at the page: what a wrong name tells, and how often one may try."""

from types import SimpleNamespace

import pytest

from tests.server.opcua.made_security import PASSWORD, made_security
from twincell.server.client.mistake import Mistake
from twincell.server.opcua.command.arbitration import DEMO_NAME
from twincell.server.opcua.limits import Limits
from twincell.server.security import passwords
from twincell.server.web.access.visitors import TooManyAttempts, Visitors


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
        await visitors.log_in(name, "wrong", "127.0.0.1")
    assert len(hashed) == 1


@pytest.mark.asyncio
async def test_no_program_of_ours_logs_in_at_the_page(visitors):
    with pytest.raises(Mistake):
        await visitors.log_in(DEMO_NAME, PASSWORD, "127.0.0.1")


@pytest.mark.asyncio
async def test_another_address_of_this_machine_is_no_new_chance(visitors):
    for n in range(Limits().failed_logins):
        with pytest.raises(Mistake):
            await visitors.log_in("nobody", "wrong", f"127.0.0.{n + 1}")
    with pytest.raises(TooManyAttempts):
        await visitors.log_in("operator", PASSWORD, "127.0.0.99")
    with pytest.raises(Mistake):  # who comes from elsewhere may still try
        await visitors.log_in("nobody", "wrong", "10.0.0.1")

"""Who guesses passwords has to wait, and nobody else has to."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from asyncua import ua

from tests.server.opcua.guest import made
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import comes_true
from tests.server.opcua.visitor import Visitor
from twincell.server.opcua.command.arbitration import DEMO_NAME
from twincell.server.opcua.session import user_tokens
from twincell.server.security import passwords

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def three_guesses(house: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house.server.sessions._tokens, "_most", 3)


async def guess(visitor: Visitor, times: int) -> list[str]:
    return [await visitor.status(visitor.named(password=f"guess {n}")) for n in range(times)]


async def test_after_some_wrong_passwords_even_the_right_one_has_to_wait(visitor, three_guesses):
    assert await guess(visitor, 3) == ["BadUserAccessDenied"] * 3
    assert await visitor.status(visitor.named()) == "BadUserAccessDenied"


async def test_a_new_connection_is_no_new_chance(house, visitor, three_guesses):
    await guess(visitor, 3)
    again = await Visitor(house).created()
    assert await again.status(again.named()) == "BadUserAccessDenied"
    again.leave()


async def test_certificates_do_not_wait_as_nobody_guesses_them(visitor, known, three_guesses):
    bert = known(made("bert"))
    await guess(visitor, 3)
    assert await visitor.status(*visitor.certified(bert)) == "Good"


async def test_who_guesses_one_name_does_not_lock_out_another(visitor, three_guesses):
    await guess(visitor, 3)
    assert await visitor.status(visitor.named("observer")) == "Good"


async def test_who_tries_many_names_has_to_wait_as_well(visitor, three_guesses):
    for n in range(3 * user_tokens.USERS_A_MACHINE):
        assert await visitor.status(visitor.named(f"name {n}")) == "BadUserAccessDenied"
    assert await visitor.status(visitor.named()) == "BadUserAccessDenied"


async def test_a_refused_login_is_logged(visitor, three_guesses, caplog):
    await guess(visitor, 1)
    assert "refused a login from 127.0.0.1: a wrong name or password" in caplog.messages


async def test_anonymous_does_not_wait(visitor, three_guesses):
    await guess(visitor, 3)
    assert await visitor.status(ua.AnonymousIdentityToken("anonymous")) == "Good"


async def test_other_machines_do_not_wait(house, visitor, three_guesses, monkeypatch):
    await guess(visitor, 3)
    monkeypatch.setattr(house.server.admission, "origin_of", lambda client, own: client)
    neighbour = await Visitor(house, made(), address="127.0.0.2").created()
    assert await neighbour.status(neighbour.named()) == "Good"
    neighbour.leave()


async def test_another_address_of_this_machine_is_no_new_chance(house, visitor, three_guesses):
    await guess(visitor, 3)
    same = await Visitor(house, address="127.0.0.2").created()
    assert await same.status(same.named()) == "BadUserAccessDenied"
    same.leave()


async def test_a_program_of_ours_does_not_wait_however_often_its_password_was_guessed(
    house, visitor, three_guesses
):
    for n in range(4):
        guessed = visitor.named(DEMO_NAME, f"guess {n}")
        assert await visitor.status(guessed) == "BadUserAccessDenied"
    assert await visitor.status(visitor.named(DEMO_NAME)) == "Good"


@pytest.mark.parametrize("name", [DEMO_NAME, "twincell nobody", "nobody"])
async def test_every_name_is_refused_after_as_much_work(house, visitor, monkeypatch, name):
    """Else the time of the answer would tell which names there are."""
    hashed = []
    real = passwords.matches
    monkeypatch.setattr(passwords, "matches", lambda *both: hashed.append(both) or real(*both))
    await visitor.status(visitor.named(name, "wrong"))
    assert len(hashed) == 1


async def test_guesses_of_every_name_are_counted(house, visitor, three_guesses, tried):
    for name in (DEMO_NAME, "nobody"):
        for n in range(5):
            await visitor.status(visitor.named(name, f"guess {n}"))
    assert len(tried) == 2 * 3


async def test_right_passwords_are_not_counted(visitor, three_guesses):
    for _ in range(5):
        assert await visitor.status(visitor.named()) == "Good"


async def test_after_a_minute_all_is_forgotten(house, visitor, three_guesses, monkeypatch):
    await guess(visitor, 3)
    real, tokens = user_tokens.time.monotonic, house.server.sessions._tokens
    for later_s, status in ((50.0, "BadUserAccessDenied"), (61.0, "Good")):
        clock = SimpleNamespace(monotonic=lambda later_s=later_s: real() + later_s)
        monkeypatch.setattr(user_tokens, "time", clock)
        assert await visitor.status(visitor.named()) == status
    assert not tokens._failures


@pytest.fixture
def tried(house: InProcess, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were compared, each of which takes a while."""
    compared = []
    by_password = house.security.users.by_password

    def counted(name: str, password: str) -> Any:
        compared.append(password)
        time.sleep(0.05)  # as long as hashing takes
        return by_password(name, password)

    monkeypatch.setattr(house.security.users, "by_password", counted)
    return compared


async def test_guesses_at_once_are_no_more_than_guesses_one_by_one(house, three_guesses, tried):
    visitors = [await Visitor(house).created() for _ in range(8)]
    statuses = await asyncio.gather(
        *(one.status(one.named(password=f"guess {n}")) for n, one in enumerate(visitors))
    )
    for one in visitors:
        one.leave()
    assert statuses == ["BadUserAccessDenied"] * 8
    assert len(tried) == 3


async def test_who_does_not_wait_for_the_answer_has_guessed_all_the_same(
    house, three_guesses, tried
):
    visitors = [await Visitor(house).created() for _ in range(8)]
    asked = []
    for n, one in enumerate(visitors):
        asked.append(asyncio.ensure_future(one.status(one.named(password=f"guess {n}"))))
        await comes_true(lambda n=n: len(tried) > n or asked[n].done())
        one.client.uaclient.protocol.transport.abort()
    await asyncio.gather(*asked, return_exceptions=True)
    await comes_true(lambda: not house.server.admission.connections)
    await comes_true(lambda: not house.server.sessions._tokens._hashing.locked())
    assert len(tried) == 3
    late = await Visitor(house).created()
    assert await late.status(late.named()) == "BadUserAccessDenied"
    late.leave()

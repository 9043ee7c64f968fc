"""Users who are removed or changed while their sessions are open.

Changes are made as `twincell user` makes them: to the file, by somebody else than the server.
"""

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from asyncua import ua

from tests.server.opcua.asking import change, read_status, status_of, write
from tests.server.opcua.guest import TICK, Guest, made
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import comes_true
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import item
from twincell.server.opcua.diagnostic.diagnostics import SUBSCRIPTIONS
from twincell.server.security import passwords
from twincell.server.security.roles import Role
from twincell.server.security.users import Users

pytestmark = pytest.mark.asyncio(loop_scope="session")

COMMAND = "Robot1Flange.Closed"
ENDED = "ended a session of anna: removed, or given another password or certificate"


@pytest.fixture
def users(house: InProcess) -> Iterator[Users]:
    """The file of users as the command sees it; anna is an operator there."""
    users = Users(house.folder.users)
    users.add("anna", Role.OPERATOR, PASSWORD)
    yield users
    house.folder.users.unlink(missing_ok=True)


def edit(users: Users, old: str, new: str) -> None:
    """Change a text in the file by hand."""
    text = users._path.read_text()
    assert old in text
    users._path.write_text(text.replace(old, new))


async def nobody_is_left(house: InProcess) -> None:
    await comes_true(lambda: len(house.server.sessions) == 0)


async def test_the_session_of_a_removed_user_ends_with_its_subscriptions(house, users, caplog):
    anna = await Guest(house).active("anna")
    await anna.raw.monitored(item(TICK))
    await anna.raw.hear(1, 1)
    waiting = anna.raw.publish()
    users.remove("anna")
    assert await status_of(waiting) == "BadSessionClosed"
    assert not house.server.subscriptions.subscriptions
    assert await anna.read() == "BadSessionIdInvalid"
    assert await status_of(anna.activate("anna")) == "BadSessionIdInvalid"
    assert caplog.messages.count(ENDED) == 1


async def test_the_connection_stays_for_somebody_who_is_a_user(house, users):
    anna = await Guest(house).active("anna")
    users.remove("anna")
    await nobody_is_left(house)
    await anna.client.create_session()
    await anna.activate("observer")
    assert await anna.read() == "Good"


async def test_sessions_of_others_go_on(house, users):
    users.add("bert", Role.OBSERVER, PASSWORD)
    others = [await Guest(house).active(name) for name in ("bert", "engineer", None)]
    await Guest(house).active("anna")
    users.remove("anna")
    await comes_true(lambda: len(house.server.sessions) == 3)
    assert [await one.read() for one in others] == ["Good"] * 3


async def test_a_session_that_waits_for_its_lost_client_ends_as_well(house, users):
    anna = await Guest(house).active("anna")
    await anna.raw.monitored(item(TICK))
    anna.client.uaclient.protocol.transport.abort()
    await comes_true(lambda: not house.server.admission.connections)
    assert len(house.server.sessions) == 1
    users.remove("anna")
    await nobody_is_left(house)
    assert not house.server.subscriptions.subscriptions


async def test_without_the_file_nobody_is_a_user(house, users):
    await Guest(house).active("anna")
    house.folder.users.unlink()
    await nobody_is_left(house)


async def test_a_damaged_file_changes_nothing(house, users, caplog):
    anna = await Guest(house).active("anna")
    house.folder.users.write_text("[[user]")
    await comes_true(lambda: any("the users from before stay" in m for m in caplog.messages))
    assert await anna.read() == "Good"


# ---------------------------------------------------------------- another password or certificate


async def test_who_knows_the_old_password_only_is_out(house, users, caplog):
    anna = await Guest(house).active("anna")
    users.remove("anna")
    users.add("anna", Role.OPERATOR, "another one")
    await nobody_is_left(house)
    assert await anna.read() == "BadSessionIdInvalid"
    assert ENDED in caplog.messages
    await anna.client.create_session()
    assert await status_of(anna.activate("anna")) == "BadUserAccessDenied"
    await anna.client.activate_session("anna", "another one")
    assert await anna.read() == "Good"


async def test_who_has_the_old_certificate_only_is_out(house, users, visitor, known):
    old = known(made("bert"))
    await visitor.show(*visitor.certified(old))
    users.remove("bert")
    users.add("bert", Role.OPERATOR, certificate=made("bert").der)
    await nobody_is_left(house)
    assert await visitor.read() == "BadSessionIdInvalid"


async def test_what_a_user_did_not_log_in_with_does_not_matter(house, users):
    anna = await Guest(house).active("anna")
    (session,) = house.server.sessions
    edit(users, 'name = "anna"', f'name = "anna"\ncertificate = "{"0f" * 32}"')
    await comes_true(lambda: bool(house.security.users._entries["anna"].certificate))
    await asyncio.sleep(0)  # the rest of that look
    assert not session.is_closed
    assert await anna.read() == "Good"


async def test_a_user_who_changes_while_logging_in_is_out_as_well(house, users, monkeypatch):
    def slow(hash_: str, password: str) -> bool:
        """The file changes, and is looked at, while the password is compared."""
        users.remove("anna")
        assert house.security.users.now(SimpleNamespace(name="anna", proof=hash_)) is None
        return True

    monkeypatch.setattr(passwords, "matches", slow)
    await Guest(house).active("anna")
    await nobody_is_left(house)


async def test_a_new_user_of_the_same_name_inherits_nothing(house, users):
    anna = await Guest(house).active("anna")
    subscription, _ = await anna.raw.monitored(item(TICK))
    await anna.raw.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))
    users.remove("anna")
    users.add("anna", Role.OPERATOR, PASSWORD)
    other = await Guest(house).active("anna")
    wanted = ua.TransferSubscriptionsParameters([subscription.SubscriptionId], False)
    told = await other.raw.ask(ua.TransferSubscriptionsRequest(), wanted)
    (result,) = told.Parameters.Results
    assert result.StatusCode.name == "BadUserAccessDenied"


# ---------------------------------------------------------------- another role


async def test_a_lower_role_holds_for_the_open_session(house, users, caplog):
    anna = await Guest(house).active("anna")
    assert await write(anna.client, change(COMMAND, True)) == ["Good"]
    edit(users, "operator", "observer")
    await comes_true(lambda: anna.role is Role.OBSERVER)
    assert await write(anna.client, change(COMMAND, False)) == ["BadUserAccessDenied"]
    assert await anna.read() == "Good"
    assert "a session of anna has the rights of an observer now, not of an operator" in (
        caplog.messages
    )


async def test_so_does_a_higher_one(house, users):
    anna = await Guest(house).active("anna")
    assert await read_status(anna.client, SUBSCRIPTIONS) == "BadUserAccessDenied"
    edit(users, "operator", "engineer")
    await comes_true(lambda: anna.role is Role.ENGINEER)
    assert await read_status(anna.client, SUBSCRIPTIONS) == "Good"


async def test_what_was_subscribed_to_is_judged_by_the_new_role(house, users):
    edit(users, "operator", "engineer")
    anna = await Guest(house).active("anna")
    await anna.raw.monitored(item(SUBSCRIPTIONS, 1, sampling_ms=5.0), item(TICK, 2))
    (first,) = (await anna.raw.hear(1, 1))[:1]
    assert first.StatusCode.is_good()
    edit(users, "engineer", "observer")
    await anna.raw.listen(
        lambda: anna.raw.values[1][-1].StatusCode.value == ua.StatusCodes.BadUserAccessDenied
    )
    house.tick(5)
    await anna.raw.hear(2, len(anna.raw.values[2]) + 1)
    assert anna.raw.values[2][-1].StatusCode.is_good()


async def test_a_certificate_that_is_kept_gets_the_new_role(house, users, visitor, known):
    bert = known(made("bert"))
    await visitor.show(*visitor.certified(bert))
    users.remove("bert")
    users.add("bert", Role.OBSERVER, certificate=bert.der)
    await comes_true(lambda: visitor.role is Role.OBSERVER)
    assert await visitor.read() == "Good"

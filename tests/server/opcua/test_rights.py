"""Rights: what each role may do, what it is told that it may do, and that both are the same."""

from typing import Any

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call_status, change, read, read_status, wanted, write
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.diagnostic.diagnostics import (
    PROTECTED,
    SESSION_SECURITY,
    SESSIONS,
    SUBSCRIPTIONS,
)
from twincell.server.opcua.session import rights
from twincell.server.opcua.space.namespaces import cell_id
from twincell.server.security.roles import Role

COMMAND, VALUE, METHOD = "Robot1Flange.Closed", "Simulation.Tick", "Simulation.Pause"
USERS = {
    None: Role.OBSERVER,
    "observer": Role.OBSERVER,
    "operator": Role.OPERATOR,
    "engineer": Role.ENGINEER,
}
DENIED = "BadUserAccessDenied"
READ, WRITE = rights.READ, rights.WRITE

in_session = pytest.mark.asyncio(loop_scope="session")
every_user = pytest.mark.parametrize(("user", "role"), USERS.items(), ids=map(str, USERS))
protected = pytest.mark.parametrize("node", sorted(PROTECTED, key=str), ids=str)


def told(role: Role, attribute: ua.AttributeIds, held: Any, node: Any = None) -> Any:
    value = rights.for_user(ua.DataValue(ua.Variant(held)), attribute, node or cell_id("X"), role)
    return value.Value.Value


async def attribute_of(client: Client, node: Any, attribute: ua.AttributeIds) -> Any:
    (found,) = await read(client, wanted(node, attribute))
    return found.Value.Value


async def answer_to_read(client: Client, node: ua.NodeId) -> bytes:
    """Undecoded: asyncua cannot decode SessionSecurityDiagnostics."""
    request = ua.ReadRequest()
    request.Parameters = ua.ReadParameters(NodesToRead=[wanted(node)])
    data = await client.uaclient.protocol.send_request(request)
    return bytes(data.read(len(data)))


# ---------------------------------------------------------------- the rules


@pytest.mark.parametrize("role", Role)
def test_who_is_nobody_reads_nothing_and_everybody_else_reads_values(role):
    assert rights.may_read(role, cell_id(VALUE)) == (role > Role.NOBODY)


@pytest.mark.parametrize("role", Role)
@protected
def test_only_engineers_see_what_other_sessions_do(role, node):
    assert rights.may_read(role, node) == (role is Role.ENGINEER)


@pytest.mark.parametrize("role", Role)
def test_a_role_is_told_what_it_may_do(role):
    both = READ | WRITE
    level = told(role, ua.AttributeIds.UserAccessLevel, both)
    assert bool(level & READ) == (role >= Role.OBSERVER)
    assert bool(level & WRITE) == (role >= Role.OPERATOR)
    assert told(role, ua.AttributeIds.UserExecutable, True) == (role is Role.ENGINEER)


@pytest.mark.parametrize("role", Role)
def test_nobody_is_told_of_more_than_there_is(role):
    assert told(role, ua.AttributeIds.UserAccessLevel, 0) == 0
    assert not told(role, ua.AttributeIds.UserAccessLevel, READ) & WRITE
    assert told(role, ua.AttributeIds.UserExecutable, False) is False


@pytest.mark.parametrize("role", Role)
def test_what_is_not_about_the_user_is_the_same_for_all(role):
    for attribute in (ua.AttributeIds.AccessLevel, ua.AttributeIds.Executable):
        assert told(role, attribute, READ | WRITE) == READ | WRITE


def test_the_diagnostics_of_sessions_are_protected():
    assert {SESSIONS, SESSION_SECURITY, SUBSCRIPTIONS} == PROTECTED


# ---------------------------------------------------------------- over a connection


@in_session
@every_user
async def test_a_user_is_told_what_it_may_do(cell, user, role):
    client = await cell.client(user=user)
    level, executable = ua.AttributeIds.UserAccessLevel, ua.AttributeIds.UserExecutable
    of_command = await attribute_of(client, COMMAND, level)
    assert bool(of_command & WRITE) == (role >= Role.OPERATOR)
    assert of_command & READ
    assert not await attribute_of(client, VALUE, level) & WRITE
    assert await attribute_of(client, METHOD, executable) == (role is Role.ENGINEER)
    of_protected = await attribute_of(client, SESSIONS, level)
    assert bool(of_protected & READ) == (role is Role.ENGINEER)
    assert await attribute_of(client, COMMAND, ua.AttributeIds.AccessLevel) == READ | WRITE
    assert await attribute_of(client, METHOD, ua.AttributeIds.Executable) is True


@in_session
@every_user
async def test_a_user_may_do_what_it_is_told(cell, user, role):
    client = await cell.client(user=user)
    may_write, may_call = role >= Role.OPERATOR, role is Role.ENGINEER
    assert await read_status(client, VALUE) == "Good"
    assert await write(client, change(COMMAND, True)) == ["Good" if may_write else DENIED]
    assert await call_status(client, METHOD) == ("Good" if may_call else DENIED)


@in_session
@pytest.mark.parametrize("user", [None, "observer"])
async def test_a_denied_command_changes_nothing(cell, user):
    client = await cell.client(user=user)
    assert await write(client, change(COMMAND, True)) == [DENIED]
    cell.tick(2)
    assert cell.newest(COMMAND) == 0
    assert cell.newest("Robot1Flange.IsClosed") == 0


@in_session
async def test_of_one_request_only_the_denied_part_is_denied(cell):
    client = await cell.client(user="operator")
    found = await read(client, VALUE, SESSIONS, COMMAND)
    assert [value.StatusCode.name for value in found] == ["Good", DENIED, "Good"]
    assert found[1].Value is None or found[1].Value.Value is None


@in_session
@every_user
@protected
async def test_what_is_protected_is_read_subscribed_and_recalled_by_engineers_only(
    cell, user, role, node
):
    client = await cell.client(user=user)
    raw, may = RawClient(client), role is Role.ENGINEER
    assert (b"UA Binary" in await answer_to_read(client, node)) == (
        may and node == SESSION_SECURITY
    )
    if not may or node != SESSION_SECURITY:
        assert await read_status(client, node) == ("Good" if may else DENIED)
    subscription = await raw.subscribe()
    (result,) = await raw.monitor(subscription, item(node))
    assert result.StatusCode.name == ("Good" if may else DENIED)
    asked = ua.HistoryReadParameters(
        HistoryReadDetails=ua.ReadRawModifiedDetails(),
        NodesToRead=[ua.HistoryReadValueId(node), ua.HistoryReadValueId(cell_id(VALUE))],
    )
    history = (await raw.ask(ua.HistoryReadRequest(), asked)).Results
    names = [one.StatusCode.name for one in history]
    none = "BadHistoryOperationUnsupported"
    assert names == [none if may else DENIED, none]


@in_session
@every_user
async def test_attributes_of_what_is_protected_may_be_seen_by_all(cell, user, role):
    client = await cell.client(user=user)
    for attribute in (ua.AttributeIds.BrowseName, ua.AttributeIds.DataType):
        assert await read_status(client, SESSIONS, attribute) == "Good"


@in_session
@pytest.mark.parametrize("user", [None, "observer", "operator"])
async def test_no_attribute_but_values_of_commands_can_be_written_by_anybody(cell, user):
    for who in (user, "engineer"):
        client = await cell.client(user=who)
        for attribute in (ua.AttributeIds.UserAccessLevel, ua.AttributeIds.AccessLevel):
            (status,) = await write(
                client, change(COMMAND, 255, ua.VariantType.Byte, attribute=attribute)
            )
            assert status in ("BadNotWritable", DENIED)


# ---------------------------------------------------------------- another role in between


@in_session
async def test_the_role_changes_with_the_user_of_the_session(cell):
    client = await cell.client(user="observer")
    assert await write(client, change(COMMAND, True)) == [DENIED]
    await client.activate_session("operator", PASSWORD)
    assert await write(client, change(COMMAND, True)) == ["Good"]
    assert await call_status(client, METHOD) == DENIED
    await client.activate_session("engineer", PASSWORD)
    assert await call_status(client, METHOD) == "Good"
    await client.activate_session()
    assert await write(client, change(COMMAND, False)) == [DENIED]


@in_session
async def test_items_on_protected_nodes_turn_bad_when_the_user_is_no_engineer_any_more(cell):
    client = await cell.client(user="engineer")
    raw = RawClient(client)
    await raw.monitored(item(SUBSCRIPTIONS, 1, sampling_ms=5.0), item(VALUE, 2))
    (first,) = (await raw.hear(1, 1))[:1]
    assert first.StatusCode.is_good()
    assert first.Value.Value
    await client.activate_session("observer", PASSWORD)
    before = len(raw.values[1])
    await raw.listen(lambda: any(_is_denied(value) for value in raw.values[1]))
    denied = [value for value in raw.values[1][before:] if _is_denied(value)]
    assert denied
    assert all(value.Value is None or value.Value.Value is None for value in denied)
    last = len(raw.values[1])
    await (await cell.client(user=None)).disconnect()  # what was protected changes meanwhile
    cell.tick(5)
    await raw.hear(2, len(raw.values[2]) + 1)
    assert all(_is_denied(value) for value in raw.values[1][last:])


@in_session
async def test_items_on_protected_nodes_are_good_again_with_the_engineer(cell):
    client = await cell.client(user="engineer")
    raw = RawClient(client)
    await raw.monitored(item(SUBSCRIPTIONS, 1, sampling_ms=5.0))
    await raw.hear(1, 1)
    await client.activate_session("observer", PASSWORD)
    await raw.listen(lambda: _is_denied(raw.values[1][-1]))
    await client.activate_session("engineer", PASSWORD)
    await raw.listen(lambda: raw.values[1][-1].StatusCode.is_good())
    assert raw.values[1][-1].Value.Value


def _is_denied(value: ua.DataValue) -> bool:
    return bool(value.StatusCode.value == ua.StatusCodes.BadUserAccessDenied)

"""Attribute services: Read, Write, HistoryRead; each by users who may and who may not.

The rules of a single value: tests/server/opcua/test_read_rules.py, test_read_values.py,
test_write_rules.py, test_write_commands.py, test_write_bits.py. From node-opcua:
tests/node/test_node_opcua.py, tests/node/test_node_services.py.        OPC UA part 4, 5.10
"""

import pytest
from asyncua import Client, ua

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import SecuredCell
from tests.server.opcua.asking import change, read, wanted, write
from tests.server.opcua.raw_client import RawClient
from twincell.server.opcua.space.namespaces import base_id, cell_id

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK, CLOSED = "Simulation.Tick", "Robot1Flange.Closed"
SESSIONS = base_id(
    ua.ObjectIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionDiagnosticsArray
)
WHO = ["engineer", "operator", "observer", None]
MAY_WRITE = ("engineer", "operator")


@pytest.mark.parametrize("user", WHO)
async def test_everybody_who_is_let_in_reads_the_cell(cell: SecuredCell, user: str | None):
    cell.tick(5)
    (value,) = await read(await cell.client(user=user), TICK)
    assert (value.StatusCode.name, value.Value.Value) == ("Good", 5)


@pytest.mark.parametrize("user", WHO)
async def test_only_an_engineer_reads_what_other_sessions_do(cell: SecuredCell, user: str | None):
    client = await cell.client(user=user)
    hidden, shown = await read(client, SESSIONS, TICK)
    assert hidden.StatusCode.name == ("Good" if user == "engineer" else "BadUserAccessDenied")
    assert shown.StatusCode.name == "Good"


@pytest.mark.parametrize("user", WHO)
async def test_operators_and_engineers_write_commands_and_others_do_not(
    cell: SecuredCell, user: str | None
):
    client = await cell.client(user=user)
    may_write = user in MAY_WRITE
    status = "Good" if may_write else "BadUserAccessDenied"
    assert await write(client, change(CLOSED, True)) == [status]
    cell.tick()
    assert cell.newest(CLOSED) == may_write


@pytest.mark.parametrize("user", WHO)
async def test_the_access_level_of_a_user_tells_what_he_may_do(cell: SecuredCell, user: str | None):
    level, mine = await read(
        await cell.client(user=user),
        wanted(CLOSED, ua.AttributeIds.AccessLevel),
        wanted(CLOSED, ua.AttributeIds.UserAccessLevel),
    )
    assert (level.Value.Value, mine.Value.Value) == (0b11, 0b11 if user in MAY_WRITE else 0b01)


# ---------------------------------------------------------------- HistoryRead


async def history(client: Client, *nodes: ua.NodeId) -> list[str]:
    parameters = ua.HistoryReadParameters(
        HistoryReadDetails=ua.ReadRawModifiedDetails(),
        NodesToRead=[ua.HistoryReadValueId(NodeId=node) for node in nodes],
    )
    response = await RawClient(client).ask(ua.HistoryReadRequest(), parameters)
    return [result.StatusCode.name for result in response.Results]


async def test_there_is_no_history(client: Client):
    assert await history(client, cell_id(TICK)) == ["BadHistoryOperationUnsupported"]


async def test_there_is_least_of_all_a_history_of_what_a_user_may_not_read(cell: SecuredCell):
    client = await cell.client(user="observer")
    assert await history(client, SESSIONS) == ["BadUserAccessDenied"]


async def test_a_history_of_nothing_or_too_much_is_refused(client: Client):
    assert await refusal(history(client)) == "BadNothingToDo"
    assert await refusal(history(client, *[cell_id(TICK)] * 1_001)) == "BadTooManyOperations"

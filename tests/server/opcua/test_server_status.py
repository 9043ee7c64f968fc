"""ServerStatus tells the time, and before the end that it is near."""

import asyncio
import itertools

import pytest
from asyncua import ua

from tests.server.opcua.asking import read_value
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.raw_client import RawClient, item
from tests.server.opcua.standard_core import standard_id
from twincell.server.opcua import server

LONG_S = 600.0  # nothing in these tests waits so long
PATIENCE_S = 60.0
pytestmark = pytest.mark.asyncio(loop_scope="session")

STATUS = standard_id("Server_ServerStatus")
PARTS = ["StartTime", "State", "SecondsTillShutdown", "ShutdownReason", "BuildInfo"]


def part(name: str) -> ua.NodeId:
    return standard_id(f"Server_ServerStatus_{name}")


async def test_time_goes_on_in_the_structure_as_in_the_variable(client):
    status, variable = STATUS, part("CurrentTime")
    times = []
    for _ in range(3):
        times.append((await read_value(client, status)).CurrentTime)
        times.append(await read_value(client, variable))
        await asyncio.sleep(0.002)
    assert all(one < next_ for one, next_ in itertools.pairwise(times))
    assert (await read_value(client, status)).StartTime < times[0]


@pytest.mark.parametrize("name", PARTS)
async def test_the_structure_says_what_the_variables_say(client, name: str):
    status = await read_value(client, STATUS)
    assert getattr(status, name) == await read_value(client, part(name))
    assert status.State is ua.ServerState.Running
    assert (status.SecondsTillShutdown, status.ShutdownReason.Text or "") == (0, "")


async def test_who_watches_the_status_is_told_before_the_server_ends(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(server, "SHUTDOWN_NOTICE_S", LONG_S)
    async with InProcess("tool_change_single") as cell:
        raw, slow = RawClient(await cell.client()), RawClient(await cell.client("slow"))
        watched = [item(STATUS, 1), item(part("State"), 2), item(part("SecondsTillShutdown"), 3)]
        for one, interval_ms in ((raw, 50.0), (slow, 1e3 * LONG_S)):
            await one.monitored(*watched, interval_ms=interval_ms, keep_alive=1)
        await raw.hear(3, 1)
        answers = [slow.publish() for _ in range(2)]  # one may be the first sign of life
        await read_value(slow.client, STATUS)  # the server has taken the requests before this one
        stopping = asyncio.create_task(cell.server.stop())
        await raw.listen(lambda: raw.told(2)[-1:] == [ua.ServerState.Shutdown])
        assert 0 < raw.told(3)[-1] <= LONG_S
        while slow.told(2)[-1:] != [ua.ServerState.Shutdown]:
            slow.keep(await answers.pop(0))
        assert slow.told(1)[-1].State is ua.ServerState.Shutdown
        assert slow.told(1)[-1].ShutdownReason.Text

        assert not stopping.done()
        for one in (raw, slow):
            await one.client.disconnect()
        await asyncio.wait_for(stopping, PATIENCE_S)  # everybody has left: it waits no longer


async def test_a_server_that_nobody_is_connected_to_ends_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server, "SHUTDOWN_NOTICE_S", LONG_S)
    async with InProcess("tool_change_single") as cell:
        await asyncio.wait_for(cell.server.stop(), PATIENCE_S)


async def test_a_client_that_stays_does_not_keep_the_server_from_its_end():
    async with InProcess("tool_change_single") as cell:
        await cell.client()
        await asyncio.wait_for(cell.server.stop(), PATIENCE_S)

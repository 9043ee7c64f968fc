"""The demo plays the PLC through a client's connection, and yields to another client."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest
import pytest_asyncio
from asyncua import Client, ua

from tests.server.opcua.in_process import CELLS, InProcess
from tests.server.opcua.made_security import PASSWORD
from twincell.server.client.login import Login
from twincell.server.client.session import connected
from twincell.server.demo.play import play_demo
from twincell.server.demo.player import Player
from twincell.server.demo.script import DemoScript
from twincell.sim.cell import Cell

PATIENCE_S = 60.0

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served() -> AsyncIterator[InProcess]:
    async with InProcess("tool_change_multi") as cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="module")
async def cell(served: InProcess) -> InProcess:
    """A cell that runs by itself, faster than real time."""
    await served.begin_anew()
    served.runs = True
    return served


@contextmanager
def playing(cell: InProcess) -> Iterator[asyncio.Task[int]]:
    """The demo, while the test looks on."""
    task = asyncio.create_task(
        play_demo(cell.cell.spec, cell.cell.compiled, cell.server.endpoint, PASSWORD)
    )
    try:
        yield task
    finally:
        task.cancel()


async def wait_for(fulfilled) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not fulfilled():
            await asyncio.sleep(0.001)


def partner(cell: InProcess, tool: str) -> str:
    signal = cell.signals[f"{tool}.Partner"]
    return str(signal.value(cell.newest(signal.name)))


async def close_flange(client: Client) -> None:
    flange = client.get_node(InProcess.id("Robot1Flange.Closed"))
    await flange.write_value(ua.DataValue(ua.Variant(True, ua.VariantType.Boolean)))


async def test_robots_and_tools_go_through_the_whole_story_and_then_again(cell):
    with playing(cell) as demo:
        for holder in ("Robot1Flange", "Holder3", "Robot2Flange"):
            await wait_for(lambda holder=holder: partner(cell, "Tool1") == holder)
        assert partner(cell, "Tool2") == "Holder4"
        last_tick = cell.newest_tick
        await wait_for(lambda: cell.newest_tick < last_tick)
        assert cell.link.vitals.text("control") == "demo"
        assert not demo.done()


async def test_it_yields_to_a_client_that_commands_and_says_so(cell, capsys):
    with playing(cell) as demo:
        await wait_for(lambda: cell.link.vitals.text("control") == "demo")
        await close_flange(await cell.client("line 4"))
        assert await asyncio.wait_for(demo, PATIENCE_S) == 0
    said = "demo: session 'line 4 Session1' commands now; the demo has stopped\n"
    assert capsys.readouterr().out == said


async def test_it_notices_somebody_who_commanded_for_a_moment_only(cell, capsys):
    with playing(cell) as demo:
        await wait_for(lambda: cell.link.vitals.text("control") == "demo")
        await close_flange(await cell.client("passing by"))
        await cell.disconnect()
        assert await asyncio.wait_for(demo, PATIENCE_S) == 0
    assert "commands now; the demo has stopped" in capsys.readouterr().out


async def test_it_does_not_begin_while_somebody_commands(cell, capsys):
    await close_flange(await cell.client("line 4"))
    with playing(cell) as demo:
        assert await asyncio.wait_for(demo, PATIENCE_S) == 0
    assert "session 'line 4 Session1' commands now" in capsys.readouterr().out


async def test_it_begins_anew_when_the_cell_was_reset_by_somebody_else(cell):
    client = await cell.client()
    with playing(cell):
        await wait_for(lambda: partner(cell, "Tool1") == "Robot1Flange")
        await client.get_node(InProcess.id("Simulation")).call_method(
            InProcess.id("Simulation.Reset")
        )
        await wait_for(lambda: partner(cell, "Tool1") == "Holder1")
        await wait_for(lambda: partner(cell, "Tool1") == "Robot1Flange")


async def test_it_leaves_a_fault_that_somebody_has_injected_alone_and_says_so(capsys):
    async with InProcess("first_cell") as cell:
        client, lever = await cell.client(), "Stand1.Fault.OffsetY"
        simulation = client.get_node(InProcess.id("Simulation"))
        cell.runs = True
        with playing(cell):
            await wait_for(lambda: cell.link.vitals.text("control") == "demo")
            inject = InProcess.id("Simulation.InjectFault")
            await simulation.call_method(inject, lever, 0.001)
            waits = f"demo: waits before it begins again, as that would end {lever} = 0.001 m;"
            said = ""
            async with asyncio.timeout(PATIENCE_S):
                while not said:
                    await asyncio.sleep(0.01)
                    said = capsys.readouterr().out
            assert said.startswith(waits)
            last_tick = cell.newest_tick
            await wait_for(lambda: cell.newest_tick > last_tick + 2000)  # it does not begin again
            assert cell.newest(lever) == 0.001
            await simulation.call_method(InProcess.id("Simulation.ClearFaults"))
            await wait_for(lambda: cell.newest_tick < last_tick)
        assert capsys.readouterr().out == ""  # it has said so once


async def test_it_ends_with_an_error_when_the_connection_is_lost(cell):
    login = Login("twincell demo", PASSWORD)
    with pytest.raises((OSError, ua.UaError)):
        async with connected(cell.server.endpoint, "demo", login) as session:
            player = Player(session, DemoScript((), end_s=1e9), robots=["Robot1", "Robot2"])
            task = asyncio.create_task(player.play())
            await asyncio.sleep(0.1)  # wherever it is then
            session.client.disconnect_socket()
            await asyncio.wait_for(task, PATIENCE_S)


async def test_a_cell_without_a_timeline_has_nothing_to_play(capsys):
    still = Cell.load(CELLS / "static_object.toml")
    assert await play_demo(still.spec, still.compiled, "opc.tcp://localhost:1", "") == 0
    assert capsys.readouterr().out == (
        "demo: the cell file has no timeline: there is nothing to play\n"
    )

"""twincell run: processes of it are killed, or it is started twice."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from tests.server.running_cell import (
    PATIENCE_S,
    RunningCell,
    children_of,
    name_of,
    running,
    wait_until,
)
from twincell.server.client.session import Session, connected, status_of

TICK = "Simulation.Tick"


@pytest.fixture(scope="module")
def cell(tmp_path_factory) -> Iterator[RunningCell]:
    """One cell for all tests of this file; each leaves it running."""
    with running(
        tmp_path_factory.mktemp("run"), "tool_change_single", "--port=0", "--no-demo"
    ) as c:
        yield c


@asynccontextmanager
async def patiently_connected(url: str) -> AsyncIterator[Session]:
    """Connect, also while the server is still being started again."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                async with connected(url, "test") as session:
                    yield session
                    return
            except (OSError, TimeoutError):
                await asyncio.sleep(0.05)


async def wait_for_status(session: Session, name: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            (answer,) = await session.read([session.node_id(TICK)])
            if status_of(answer).name == name:
                return
            await asyncio.sleep(0.002)


async def test_values_are_bad_while_the_loop_is_down_and_good_again_then(cell):
    async with patiently_connected(cell.url) as session:
        await wait_for_status(session, "Good")
        before = await session.value("Simulation.Restarts")
        os.kill(cell.child("twincell loop"), signal.SIGKILL)
        await wait_for_status(session, "BadNoCommunication")
        await wait_for_status(session, "Good")
        assert await session.value("Simulation.Restarts") == before + 1
    line = "the real-time process ended (signal 9); started again, the cell begins at its start\n"
    assert line in cell.notes


async def test_the_cell_goes_on_when_the_server_is_killed_and_clients_find_it_again(cell):
    async with patiently_connected(cell.url) as session:
        await wait_for_status(session, "Good")
        tick, at_s = await session.value(TICK), time.monotonic()
        os.kill(cell.child("twincell opcua"), signal.SIGKILL)
    async with patiently_connected(cell.url) as session:
        passed = await session.value(TICK) - tick
    # a loop that had to give up a lag is behind, but did not begin anew
    assert 0.5 * (time.monotonic() - at_s) < passed * 1e-3
    wait_until(lambda: "the OPC UA process ended (signal 9); started again" in cell.notes)


def test_a_second_start_is_told_that_the_port_is_in_use_before_it_takes_time(cell, twincell):
    began_s = time.monotonic()
    ended = twincell("run", "tool_change_single", "--port", cell.port)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"port {cell.port} is in use: another twincell")
    assert "--port" in ended.err
    assert time.monotonic() - began_s < 10.0


def test_a_cell_without_a_timeline_has_no_demo_and_says_that_nobody_commands(tmp_path):
    with running(tmp_path, "static_object", "--port=0") as cell:
        head = []
        while not head or not head[-1].startswith("to stop"):
            head.append(cell.process.stdout.readline())
        assert "commands:   nobody, until a client writes a command\n" in head
        assert "twincell demo" not in map(name_of, children_of(cell.process.pid))
        assert "nothing to play" not in cell.notes

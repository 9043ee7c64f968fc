"""twincell run --time: all processes, real clients, and a real-time process that is killed."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call, change, read, write
from tests.server.running_cell import PATIENCE_S, RunningCell, running
from twincell.server.opcua.space.namespaces import cell_id
from twincell.server.realtime.shared.ring import MOST_ROWS

TICK, ECHO, COUNTER = "Simulation.Tick", "Simulation.CycleEcho", "Simulation.CycleCounter"
CYCLE_TICKS = 5
CLOSED = "Robot1Flange.Closed"
SEEN = (TICK, "Simulation.Time", "Bulk.Poses", "Bulk.Wrenches", "Bulk.Flags", CLOSED)


@asynccontextmanager
async def connected(cell: RunningCell) -> AsyncIterator[Client]:
    client = Client(cell.url, timeout=20)
    async with client:
        yield client


async def values(client: Client, *names: str) -> list[object]:
    answers = await read(client, *names)
    for answer in answers:
        answer.StatusCode.check()
    return [answer.Value.Value for answer in answers]


async def count(client: Client, counter: int, *changes: ua.WriteValue) -> None:
    """One cycle of a controller."""
    told = await write(client, *changes, change(COUNTER, counter, ua.VariantType.UInt32))
    assert set(told) == {"Good"}
    await echoed(client, counter)


async def echoed(client: Client, counter: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await values(client, ECHO) != [counter]:
            pass


async def step(client: Client, ticks: int) -> None:
    result = await call(client, "Simulation.Step", ua.Variant(ticks, ua.VariantType.UInt32))
    result.StatusCode.check()


@pytest.fixture
def handshake(tmp_path):
    options = ("--port=0", "--time=handshake", f"--cycle-ms={CYCLE_TICKS}")
    with running(tmp_path, "tool_change_multi", *options) as cell:
        yield cell


@pytest.fixture
def lock_step(tmp_path):
    with running(tmp_path, "tool_change_multi", "--port=0", "--time=lockstep") as cell:
        yield cell


async def test_both_modes_show_the_same_bits_to_real_clients(handshake, lock_step):
    seen: dict[str, list[object]] = {"handshake": [], "lock step": []}
    async with connected(handshake) as plc, connected(lock_step) as test:
        for client in (plc, test):
            assert await values(client, TICK) == [0]
        for cycle in range(1, 61):
            closes = [change(CLOSED, cycle % 20 < 10)] if cycle % 5 == 0 else []
            if cycle % 25 == 1:
                target = ua.Variant([0.01 * cycle] * 6, ua.VariantType.Double, is_array=True)
                for client, told in zip((plc, test), seen.values(), strict=True):
                    moved = await call(client, "Robot1.MoveJoint", target, 0.5)
                    told.append([moved.StatusCode.name])  # the timeline may have moved it first
            await count(plc, cycle, *closes)
            if closes:
                await write(test, *closes)
            await step(test, CYCLE_TICKS)
            seen["handshake"].append(await values(plc, *SEEN))
            seen["lock step"].append(await values(test, *SEEN))
    assert seen["handshake"] == seen["lock step"]
    assert seen["handshake"][-1][0] == 60 * CYCLE_TICKS


async def test_a_killed_loop_comes_back_in_handshake_with_its_echo(handshake):
    async with connected(handshake) as plc:
        for counter in (1, 2, 3):
            await count(plc, counter, change(CLOSED, True))
        assert await values(plc, TICK) == [3 * CYCLE_TICKS]
        os.kill(handshake.child("twincell loop"), signal.SIGKILL)
        async with asyncio.timeout(PATIENCE_S):
            while True:
                (restarts,) = await values(plc, "Simulation.Restarts")
                (tick,) = await read(plc, TICK)
                if restarts == 1 and tick.StatusCode.is_good():
                    break
                await asyncio.sleep(0.01)
        assert await values(plc, TICK, ECHO, CLOSED) == [0, 3, False]
        mode = await values(plc, "Simulation.TimeMode", "Simulation.CycleTime")
        assert mode == ["Handshake", CYCLE_TICKS]
        assert await write(plc, change(COUNTER, 3, ua.VariantType.UInt32)) == ["Good"]
        await count(plc, 4)
        assert await values(plc, TICK) == [CYCLE_TICKS]


async def test_a_killed_server_leaves_the_handshake_where_it_was(handshake):
    async with connected(handshake) as plc:
        await count(plc, 1)
        os.kill(handshake.child("twincell opcua"), signal.SIGKILL)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                async with connected(handshake) as plc:
                    await count(plc, 2)
                    assert await values(plc, TICK, COUNTER) == [2 * CYCLE_TICKS, 2]
                    return
            except (OSError, TimeoutError, ua.UaError):
                await asyncio.sleep(0.05)


async def test_lock_step_begins_after_the_first_tick_and_says_how_to_go_on(lock_step):
    async with connected(lock_step) as test:
        names = (TICK, "Simulation.TimeMode", "Simulation.State", "Cell.Control")
        assert await values(test, *names) == [0, "LockStep", "Running", "timeline"]
        for ticks in (1, 1, 100):
            await step(test, ticks)
        assert await values(test, TICK) == [102]
        assert (await test.get_node(cell_id(TICK)).read_data_value()).SourceTimestamp is not None
    head = [lock_step.process.stdout.readline() for _ in range(4)]
    assert "time:       lock step: it stands still until Simulation.Step is called\n" in head
    assert "commands:   the cell file's timeline, until a client writes a command\n" in head


async def test_a_recorder_that_hangs_does_not_hold_lock_step_for_ever(tmp_path):
    options = ("--port=0", "--time=lockstep", "--record=run.mcap")
    with running(tmp_path, "tool_change_single", *options) as cell:
        recorder = cell.child("twincell record")
        async with connected(cell) as test, asyncio.timeout(2 * PATIENCE_S):
            os.kill(recorder, signal.SIGSTOP)
            while (await values(test, TICK))[0] <= MOST_ROWS:  # a step may time out meanwhile
                await call(test, "Simulation.Step", ua.Variant(10_000, ua.VariantType.UInt32))
            while await values(test, "Simulation.Recording") != [""]:
                await asyncio.sleep(0.05)
        assert cell.child("twincell record") != recorder
        assert "the recorder ended (no sign of life); the recording" in cell.notes

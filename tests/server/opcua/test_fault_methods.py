"""Fault levers through InjectFault and ClearFaults: latched by a tick, and no command."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from asyncua import Client, ua

from tests.server.opcua.asking import call, call_status, change, read_value, write
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.injecting import active, clear, inject
from tests.server.opcua.test_events_clients import listen
from tests.sim.devices.stand_cell import STAND
from twincell.server.realtime.shared.command_queue import CAPACITY
from twincell.server.realtime.shared.vitals import LoopState

pytestmark = pytest.mark.asyncio(loop_scope="session")

INJECT, LEVER = "Simulation.InjectFault", "Stand.Fault.Empty"
TIMELINE = '[[timeline]]\nat_s = 0.02\nset = { "Jaw.Closed" = true }\n'


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stands(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InProcess]:
    file: Path = tmp_path_factory.mktemp("stand") / "stand.toml"
    file.write_text(STAND + TIMELINE, encoding="utf-8")
    async with InProcess(file, timeline=True) as cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="session")
async def cell(stands: InProcess) -> InProcess:
    """A stand that holds a tool, in its first tick."""
    await stands.begin_anew()
    return stands


@pytest_asyncio.fixture(loop_scope="session")
async def client(cell: InProcess) -> Client:
    return await cell.client()


async def test_a_lever_is_latched_by_the_next_tick_and_the_tool_falls(
    cell: InProcess, client: Client
) -> None:
    cell.tick(5)
    assert await call_status(client, INJECT, LEVER, 1.0) == "Good"
    assert await read_value(client, LEVER) is False
    assert await active(client) == []
    cell.tick(1)
    assert (await read_value(client, LEVER), cell.newest_tick) == (True, 6)
    assert await active(client) == [LEVER]
    cell.tick(50)
    assert await read_value(client, "Tool.Pose.Z") < 1.0
    assert await read_value(client, "Stand.Truth.Tool") == ""


async def test_a_lever_at_0_is_no_fault_any_more(cell: InProcess, client: Client) -> None:
    await call(client, INJECT, LEVER, 1.0)
    cell.tick(1)
    assert await call_status(client, INJECT, LEVER, 0.0) == "Good"
    cell.tick(1)
    assert await active(client) == []


async def test_clear_faults_moves_all_levers_back_also_those_on_their_way(
    cell: InProcess, client: Client
) -> None:
    await call(client, INJECT, LEVER, 1.0)
    await inject(client, "bad", "Tool.*")
    await clear(client)
    cell.tick(2)
    assert await active(client) == []
    assert cell.newest(LEVER) == 0.0


async def test_an_event_tells_the_tick_the_lever_and_its_value(
    cell: InProcess, client: Client
) -> None:
    injected = await listen(client, cell.id("Cell"), "FaultInjectedEventType")
    cleared = await listen(client, cell.id("Cell"), "FaultClearedEventType")
    cell.tick(3)
    await call(client, INJECT, LEVER, 1.0)
    cell.tick(10)
    event = await injected.next()
    assert (event.Name, event.Value, event.Tick, event.SourceName) == (LEVER, 1.0, 4, "Stand")
    assert event.SourceNode == cell.id("Stand")
    assert event.Message.Text == f"{LEVER}: injected (tick 4)"
    await clear(client)
    cell.tick(10)
    event = await cleared.next()
    assert (event.Name, event.Value, event.Tick) == (LEVER, 0.0, 14)
    assert event.Message.Text == f"{LEVER}: cleared (tick 14)"


async def test_events_tell_of_protocol_faults_too(cell: InProcess, client: Client) -> None:
    injected = await listen(client, cell.id("Cell"), "FaultInjectedEventType")
    cleared = await listen(client, cell.id("Cell"), "FaultClearedEventType")
    cell.tick(7)
    await inject(client, "delay", "Tool.*", 50, seconds=0.1)
    event = await injected.next()
    assert (event.Name, event.Value, event.Tick) == ("delay Tool.*", 50.0, 7)
    assert event.SourceName == "Simulation"
    assert event.Message.Text == "delay Tool.* = 50 ms: injected (tick 7)"
    event = await cleared.next()  # by itself
    assert (event.Name, event.Value) == ("delay Tool.*", 0.0)


async def test_a_fault_takes_control_from_nobody_and_the_timeline_goes_on(
    cell: InProcess, client: Client
) -> None:
    cell.link.vitals["timeline_on"] = 1
    await call(client, INJECT, LEVER, 1.0)
    cell.tick(10)
    assert await read_value(client, "Cell.Control") == "timeline"
    assert await read_value(client, "Jaw.Closed") is False
    cell.tick(11)
    assert await read_value(client, "Jaw.Closed") is True  # at 0.02 s, as the cell file says
    plc = await cell.client("PLC", "operator")
    await write(plc, change("Jaw.Closed", False))
    await clear(client)
    assert await read_value(client, "Cell.Control") == "session PLC Session1"


async def test_a_reset_repairs_everything_in_the_cell(cell: InProcess, client: Client) -> None:
    await call(client, INJECT, LEVER, 1.0)
    cell.tick(20)
    assert await call_status(client, "Simulation.Reset") == "Good"
    assert await active(client) == []
    assert await read_value(client, "Stand.Truth.Tool") == "Tool"


async def test_a_restored_cell_is_as_broken_as_it_was(cell: InProcess, client: Client) -> None:
    await call(client, INJECT, LEVER, 1.0)
    cell.tick(1)
    kept = (await call(client, "Simulation.Snapshot")).OutputArguments[0]
    await clear(client)
    cell.tick(1)
    assert await active(client) == []
    assert await call_status(client, "Simulation.Restore", kept) == "Good"
    assert await active(client) == [LEVER]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Stand.Fault.Empti", "did you mean Stand.Fault.Empty?"),
        ("Jaw.Closed", "there is no fault lever 'Jaw.Closed'"),  # a command is none
        ("Stand.Truth.Tool", "there is no fault lever"),
        ("", "there is no fault lever ''"),
        ("x" * 60_000, "there is no fault lever"),
        ("a\nb", r"there is no fault lever 'a\nb'"),
    ],
)
async def test_what_is_no_lever_is_not_found_and_the_log_suggests_one(
    cell: InProcess, client: Client, caplog: pytest.LogCaptureFixture, name: str, hint: str
) -> None:
    assert await call_status(client, INJECT, name, 1.0) == "BadNotFound"
    assert hint in caplog.text
    assert max(len(record.getMessage()) for record in caplog.records) < 300
    assert cell.link.commands.waiting == 0


@pytest.mark.parametrize("value", [0.5, 2.0, -1.0, 1e300, float("nan"), float("inf")])
async def test_a_switch_has_no_other_values_than_0_and_1(
    cell: InProcess, client: Client, value: float
) -> None:
    result = await call(client, INJECT, LEVER, value)
    assert result.StatusCode.name == "BadInvalidArgument"
    assert [one.name for one in result.InputArgumentResults] == ["Good", "BadOutOfRange"]
    assert cell.link.commands.waiting == 0


async def test_arguments_of_another_type_are_refused(cell: InProcess, client: Client) -> None:
    assert await call_status(client, INJECT, LEVER, True) == "BadInvalidArgument"
    assert await call_status(client, INJECT, 1.0, 1.0) == "BadInvalidArgument"
    none = ua.Variant(None, ua.VariantType.String)
    assert await call_status(client, INJECT, none, 1.0) in ("BadNotFound", "BadInvalidArgument")


async def test_no_lever_moves_while_no_tick_will_latch_it(
    cell: InProcess, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    cell.link.vitals["state"] = LoopState.DOWN
    assert await call_status(client, INJECT, LEVER, 1.0) == "BadNoCommunication"
    cell.link.vitals["state"] = LoopState.FAULT
    assert await call_status(client, INJECT, LEVER, 1.0) == "BadInvalidState"
    assert "reset it" in caplog.text
    cell.link.vitals["state"] = LoopState.RUNNING
    assert cell.link.commands.put([(0, 0.0)] * (CAPACITY - cell.link.commands.waiting))
    assert await call_status(client, INJECT, LEVER, 1.0) == "BadResourceUnavailable"
    assert await active(client) == []


async def test_protocol_faults_end_even_when_levers_cannot_be_moved(
    cell: InProcess, client: Client
) -> None:
    await inject(client, "delay", "session *", 10)
    cell.link.vitals["state"] = LoopState.DOWN
    assert await call_status(client, "Simulation.ClearFaults") == "BadNoCommunication"
    assert await active(client) == []


async def test_the_demo_breaks_nothing_while_a_client_commands(
    cell: InProcess, client: Client
) -> None:
    demo = await cell.client("demo", user="twincell demo")
    await write(client, change("Jaw.Closed", True))
    assert await call_status(demo, INJECT, LEVER, 1.0) == "BadUserAccessDenied"
    assert await call_status(demo, "Simulation.ClearFaults") == "BadUserAccessDenied"


# ---------------------------------------------------------------- levers that are numbers


async def test_levers_that_are_numbers_are_listed_and_told_with_their_values(
    changer: InProcess,
) -> None:
    await changer.begin_anew()
    client = await changer.client()
    injected = await listen(client, changer.id("Cell"), "FaultInjectedEventType")
    cleared = await listen(client, changer.id("Cell"), "FaultClearedEventType")
    await call(client, INJECT, "Changer.Fault.AirLow", 2.5)
    changer.tick(1)
    await call(client, INJECT, "Changer.Fault.AirLow", 3.75)  # worse than before
    await call(client, INJECT, "Changer.Fault.Locked", 6.0)
    changer.tick(1)
    assert await active(client) == ["Changer.Fault.Locked = 6", "Changer.Fault.AirLow = 3.75 bar"]
    told = [await injected.next() for _ in range(3)]
    assert {(one.Name, one.Value, one.Tick) for one in told} == {
        ("Changer.Fault.AirLow", 2.5, 1),
        ("Changer.Fault.AirLow", 3.75, 2),
        ("Changer.Fault.Locked", 6.0, 2),
    }
    await call(client, INJECT, "Changer.Fault.AirLow", 0.0)
    changer.tick(1)
    event = await cleared.next()
    assert (event.Name, event.Value, event.Tick) == ("Changer.Fault.AirLow", 0.0, 3)


async def test_a_changer_that_loses_its_air_tells_its_plc(changer: InProcess) -> None:
    await changer.begin_anew()
    client, plc = await changer.client(), await changer.client("PLC", "operator")
    await call(client, INJECT, "Changer.Fault.AirLoss", 1.0)
    changer.tick(3000)  # the pressure falls, and is too low for more than half a second
    assert await read_value(plc, "Changer.AirPressureOk") is False
    assert await read_value(plc, "Changer.FaultCode") == 9


@pytest.mark.parametrize(
    ("lever", "value"),
    [
        ("Locked", 7.0),
        ("Locked", -1.0),
        ("Locked", 1.5),
        ("AirLow", -0.5),
        ("WeakCoupling", 1.01),
        ("SlowStroke", 1e9),
        ("ToolIdFlip", 65_536.0),
        ("AirLoss", 2.0),
    ],
)
async def test_a_number_out_of_its_range_is_refused_and_the_log_tells_the_range(
    changer: InProcess, caplog: pytest.LogCaptureFixture, lever: str, value: float
) -> None:
    await changer.begin_anew()
    client = await changer.client()
    result = await call(client, INJECT, f"Changer.Fault.{lever}", value)
    assert result.StatusCode.name == "BadInvalidArgument"
    assert [one.name for one in result.InputArgumentResults] == ["Good", "BadOutOfRange"]
    assert f"Changer.Fault.{lever} is of type" in caplog.text
    assert changer.link.commands.waiting == 0

"""The methods of the simulation, and its values that do not come from rows."""

import asyncio
import time

import numpy as np
import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call, call_status, change, read_value, write
from tests.server.opcua.in_process import InProcess
from twincell.server.realtime.shared.order_box import SLOTS, Kind
from twincell.server.realtime.shared.vitals import LoopState

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLOSED = "Robot1Flange.Closed"


def steps(count: int) -> ua.Variant:
    return ua.Variant(count, ua.VariantType.UInt32)


def number(value: int) -> ua.Variant:
    return ua.Variant(value, ua.VariantType.Int64)


async def test_pause_and_resume(cell: InProcess, client: Client) -> None:
    assert await call_status(client, "Simulation.Pause") == "Good"
    assert await read_value(client, "Simulation.State") == "Paused"
    assert await call_status(client, "Simulation.Resume") == "Good"
    assert await read_value(client, "Simulation.State") == "Running"


async def test_step_runs_ticks_of_a_paused_cell(cell: InProcess, client: Client) -> None:
    await call(client, "Simulation.Pause")
    result = await call(client, "Simulation.Step", steps(10))
    assert [v.Value for v in result.OutputArguments] == [11]
    assert await read_value(client, "Simulation.Tick") == 10


async def test_step_is_refused_while_the_cell_runs(cell: InProcess, client: Client) -> None:
    assert await call_status(client, "Simulation.Step", steps(1)) == "BadInvalidState"
    assert cell.newest_tick == 0


async def test_a_command_counts_for_the_step_after_it(cell: InProcess, client: Client) -> None:
    await call(client, "Simulation.Pause")
    await write(client, change(CLOSED, True))
    await call(client, "Simulation.Step", steps(1))
    assert await read_value(client, "Robot1Flange.IsClosed") is True


async def test_reset_puts_the_cell_back(cell: InProcess, client: Client) -> None:
    await write(client, change(CLOSED, True))
    cell.tick(50)
    assert await call_status(client, "Simulation.Reset") == "Good"
    assert await read_value(client, "Simulation.Tick") == 0
    assert await read_value(client, CLOSED) is False


async def test_a_snapshot_is_restored(cell: InProcess, client: Client) -> None:
    cell.tick(20)
    kept = (await call(client, "Simulation.Snapshot")).OutputArguments[0]
    assert kept.VariantType is ua.VariantType.Int64
    cell.tick(30)
    assert await call_status(client, "Simulation.Restore", kept) == "Good"
    assert await read_value(client, "Simulation.Tick") == 21


@pytest.mark.parametrize("unknown", [0, -1, 31, 2**62])
async def test_an_unknown_snapshot_is_not_found(
    cell: InProcess, client: Client, unknown: int
) -> None:
    cell.tick(5)
    assert await call_status(client, "Simulation.Restore", number(unknown)) == "BadNotFound"
    assert cell.newest_tick == 5


async def test_the_speed_is_set(cell: InProcess, client: Client) -> None:
    assert await call_status(client, "Simulation.SetSpeed", 2.5) == "Good"
    assert await read_value(client, "Simulation.Speed") == 2.5


@pytest.mark.parametrize("speed", [0.0, 0.0099, 100.1, -1.0, float("nan"), float("inf")])
async def test_a_speed_out_of_range_is_refused(
    cell: InProcess, client: Client, speed: float
) -> None:
    result = await call(client, "Simulation.SetSpeed", speed)
    assert result.StatusCode.name == "BadInvalidArgument"
    assert [one.name for one in result.InputArgumentResults] == ["BadOutOfRange"]
    assert cell.link.vitals.speed == 1.0


async def test_no_order_is_given_while_the_loop_is_down(cell: InProcess, client: Client) -> None:
    cell.link.vitals["state"] = LoopState.DOWN
    assert await call_status(client, "Simulation.Pause") == "BadNoCommunication"
    assert cell.link.orders.next() is None


async def test_an_order_ends_when_the_loop_does(cell: InProcess, client: Client) -> None:
    cell.takes_orders = False
    calling = asyncio.create_task(call_status(client, "Simulation.Pause"))
    await asyncio.sleep(0.05)
    assert not calling.done()
    cell.link.vitals["state"] = LoopState.DOWN
    assert await calling == "BadNoCommunication"


async def test_a_full_box_takes_no_order(cell: InProcess, client: Client) -> None:
    cell.takes_orders = False
    for _ in range(SLOTS):
        assert cell.link.orders.post(Kind.PAUSE) is not None
    assert await call_status(client, "Simulation.Pause") == "BadResourceUnavailable"


async def test_an_order_that_nobody_answers_times_out(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twincell.server.opcua.method.simulation_methods.PATIENCE_S", 0.05)
    await call(client, "Simulation.Pause")
    cell.takes_orders = False
    assert await call_status(client, "Simulation.Step", steps(1)) == "BadTimeout"


async def test_other_requests_are_answered_while_a_method_waits(
    cell: InProcess, client: Client
) -> None:
    cell.takes_orders = False
    calling = asyncio.create_task(call_status(client, "Simulation.Pause"))
    assert await read_value(client, "Simulation.State") == "Running"
    assert not calling.done()
    cell.takes_orders = True
    assert await calling == "Good"


async def test_why_an_order_was_refused_is_in_the_log(
    cell: InProcess, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    await call(client, "Simulation.Step", steps(1))
    assert "STEP was refused: the cell is running: pause it first" in caplog.text


async def test_simulation_methods_take_no_control(cell: InProcess, client: Client) -> None:
    cell.link.vitals["timeline_on"] = 1
    for name in ("Pause", "Resume", "Reset", "Snapshot"):
        assert await call_status(client, f"Simulation.{name}") == "Good"
    assert await read_value(client, "Cell.Control") == "timeline"


async def test_the_demo_may_not_touch_the_clock_while_a_client_commands(
    cell: InProcess, client: Client
) -> None:
    demo = await cell.client("demo", user="twincell demo")
    assert await call_status(demo, "Simulation.Reset") == "Good"
    await write(client, change(CLOSED, True))
    for name in ("Pause", "Resume", "Reset", "Snapshot"):
        assert await call_status(demo, f"Simulation.{name}") == "BadUserAccessDenied"
    assert await call_status(demo, "Simulation.SetSpeed", 2.0) == "BadUserAccessDenied"
    assert await call_status(demo, "Simulation.Step", steps(1)) == "BadUserAccessDenied"
    assert await call_status(demo, "Simulation.Restore", number(1)) == "BadUserAccessDenied"
    assert await call_status(client, "Simulation.Reset") == "Good"


# ---------------------------------------------------------------- values


async def test_the_state_is_told_in_words(cell: InProcess, client: Client) -> None:
    for state in LoopState:
        cell.link.vitals["state"] = state
        assert await read_value(client, "Simulation.State") == state.name.capitalize()


async def test_the_vitals_of_the_loop_are_values(cell: InProcess, client: Client) -> None:
    vitals = cell.link.vitals
    vitals["overruns"], vitals["slips"], vitals["restarts"] = 3, 4, 5
    vitals["worst_late_ns"] = 123_400
    vitals.write_text("fault", "Tool1: its motion grew beyond all bounds")
    vitals.write_text("rights", "everything")
    names = ("Overruns", "Slips", "Restarts", "WorstLateness", "Fault", "Rights")
    values = [await read_value(client, f"Simulation.{name}") for name in names]
    assert values == [3, 4, 5, 123.4, vitals.text("fault"), "everything"]
    vitals["overruns"] = vitals["slips"] = vitals["restarts"] = vitals["worst_late_ns"] = 0


async def test_the_heartbeat_counts_seconds_while_the_loop_lives(
    cell: InProcess, client: Client
) -> None:
    cell.beats = False
    cell.link.vitals["beat_ns"] = time.monotonic_ns()
    first = await read_value(client, "Simulation.Heartbeat")
    cell.link.vitals["beat_ns"] += 1_000_000_000
    assert await read_value(client, "Simulation.Heartbeat") == first + 1
    assert await read_value(client, "Simulation.Heartbeat") == first + 1


async def test_lateness_is_the_percentile_of_the_last_ticks(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    late_ns = np.random.default_rng(1).integers(0, 1_000_000, 12_000)
    monkeypatch.setattr(cell.link.ring, "lateness", lambda count: late_ns[-count:])
    await asyncio.sleep(0.6)  # a value that was worked out before is kept for half a second
    expected = np.percentile(late_ns[-10_000:], 99) / 1e3
    assert await read_value(client, "Simulation.LatenessP99") == pytest.approx(expected)
    monkeypatch.setattr(cell.link.ring, "lateness", lambda count: late_ns[:0])
    assert await read_value(client, "Simulation.LatenessP99") == pytest.approx(expected)
    await asyncio.sleep(0.6)
    assert await read_value(client, "Simulation.LatenessP99") == 0.0


async def test_the_real_time_factor_is_measured(cell: InProcess, client: Client) -> None:
    began, first = time.monotonic(), cell.link.ring.written
    cell.runs = True
    await asyncio.sleep(1.3)
    factor = await read_value(client, "Simulation.RealTimeFactor")
    simulated_s = (cell.link.ring.written - first) * cell.cell.step_s
    # over another second than ours, on a machine with other things to do
    assert factor == pytest.approx(simulated_s / (time.monotonic() - began), rel=0.5)
    await call(client, "Simulation.Pause")
    assert await read_value(client, "Simulation.RealTimeFactor") == 0.0

"""Faults of a client's connection: it alone experiences them, and engineers always get in."""

import asyncio
import time

import numpy as np
import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call_status, change, read_status, read_value, write
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.injecting import active, clear, inject
from tests.server.opcua.inside import comes_true, let_the_loop_be_silent
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item
from twincell.server.opcua.fault.chance import chances

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"
PLC = "session PLC *"  # asyncua's client gives its sessions a number
CLOSED = "Robot1Flange.Closed"


async def seconds_for(work) -> float:
    began_s = time.monotonic()
    await work
    return time.monotonic() - began_s


# ---------------------------------------------------------------- delay and jitter


async def test_answers_come_late_to_one_client_and_in_time_to_others(
    cell: InProcess, client: Client
) -> None:
    plc, other = await cell.client("PLC", "operator"), await cell.client("panel", "operator")
    await inject(client, "delay", PLC, 400)
    late = asyncio.create_task(seconds_for(read_value(plc, TICK)))
    assert await read_value(other, TICK) == 0
    assert await write(other, change(CLOSED, True)) == ["Good"]
    assert not late.done()
    assert await late >= 0.4
    assert await seconds_for(write(plc, change(CLOSED, False))) >= 0.4


async def test_a_late_answer_tells_what_was_when_it_was_asked_for(
    cell: InProcess, client: Client
) -> None:
    plc = await cell.client("PLC", "operator")
    await inject(client, "delay", PLC, 300)
    late = asyncio.create_task(read_value(plc, TICK))
    await comes_true(lambda: any(not one.is_empty for one in cell.server.faults.detours))
    cell.tick(5)
    assert await late == 0


async def test_messages_of_a_subscription_come_late_and_complete(
    cell: InProcess, client: Client
) -> None:
    raw = RawClient(await cell.client("PLC", "operator"))
    await raw.monitored(item(TICK, 1, 1.0, 1000, EVERY_SAMPLE))
    await raw.hear(1, 1)
    await inject(client, "delay", PLC, 300)
    cell.tick(10)
    assert await seconds_for(raw.hear(1, 11)) >= 0.3
    assert raw.told(1) == list(range(11))


async def test_jitter_keeps_the_order_of_answers(cell: InProcess, client: Client) -> None:
    plc = await cell.client("PLC", "operator")
    await inject(client, "jitter", PLC, 200)
    came: list[int] = []

    async def ask(number: int) -> None:
        await read_value(plc, TICK)
        came.append(number)

    took_s = await seconds_for(asyncio.gather(*(ask(k) for k in range(20))))
    assert came == list(range(20))
    assert took_s >= 0.1  # of 20 chances one is beyond a half, unless in a million tries


async def test_when_a_fault_ends_what_is_held_up_comes_at_once(
    cell: InProcess, client: Client
) -> None:
    plc = await cell.client("PLC", "operator")
    await inject(client, "delay", PLC, 60_000)
    late = asyncio.create_task(read_value(plc, TICK))
    await comes_true(lambda: any(not one.is_empty for one in cell.server.faults.detours))
    await clear(client)
    assert await asyncio.wait_for(late, 10) == 0


async def test_a_fault_of_a_client_ends_by_itself(cell: InProcess, client: Client) -> None:
    plc = await cell.client("PLC", "operator")
    await inject(client, "delay", PLC, 60_000, seconds=0.3)
    assert await seconds_for(read_value(plc, TICK)) < 20
    assert await active(client) == []


async def test_what_is_held_up_is_bounded(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that asks on and on without waiting for answers is not read any more."""
    let_the_loop_be_silent(monkeypatch)
    plc = await cell.client("PLC", "operator")
    await inject(client, "delay", PLC, 60_000)
    for connection in cell.server.admission.connections:
        monkeypatch.setattr(connection.detour, "_most_bytes", 1_000)
    asked = [asyncio.create_task(read_value(plc, TICK)) for _ in range(200)]
    (fault,) = cell.server.faults.of_clients
    await comes_true(lambda: any(not c.detour.is_empty for c in cell.server.admission.connections))
    (connection,) = [c for c in cell.server.admission.connections if not c.detour.is_empty]
    await comes_true(lambda: connection.is_congested)
    held = fault.answers
    await asyncio.sleep(0.1)
    assert fault.answers <= held + 1  # the one that was being answered
    await clear(client)
    assert await asyncio.gather(*asked) == [0] * 200


async def test_a_client_that_goes_leaves_nothing_behind(cell: InProcess, client: Client) -> None:
    plc = await cell.client("PLC", "operator")
    await inject(client, "delay", PLC, 60_000)
    late = asyncio.create_task(read_value(plc, TICK))
    await comes_true(lambda: any(not one.is_empty for one in cell.server.faults.detours))
    plc.disconnect_socket()
    await comes_true(lambda: all(one.is_empty for one in cell.server.faults.detours))
    with pytest.raises((ConnectionError, ua.UaError, asyncio.CancelledError)):
        await late


# ---------------------------------------------------------------- drop


async def test_a_cut_connection_is_the_clients_own(cell: InProcess, client: Client) -> None:
    plc, other = await cell.client("PLC", "operator"), RawClient(await cell.client("panel", None))
    await other.monitored(item(TICK, 1, 1.0, 1000, EVERY_SAMPLE))
    await other.hear(1, 1)
    await inject(client, "drop", PLC, 1.0)
    with pytest.raises((ConnectionError, ua.UaError, TimeoutError)):
        await read_value(plc, TICK)
    cell.tick(50)
    await other.hear(1, 51)
    assert other.told(1) == list(range(51))
    again = await cell.client("PLC", "operator")  # it gets in, and no further
    with pytest.raises((ConnectionError, ua.UaError, TimeoutError)):
        await write(again, change(CLOSED, True))
    await clear(client)
    third = await cell.client("PLC", "operator")
    assert await read_value(third, TICK) == 50


async def answered_until_cut(cell: InProcess) -> int:
    """How many answers a new connection of the PLC gets."""
    plc = await cell.client("PLC", "operator")
    for answered in range(200):
        try:
            await read_value(plc, TICK)
        except (ConnectionError, ua.UaError, TimeoutError):
            return answered
    raise AssertionError("the connection is never cut")


async def test_a_share_of_all_answers_cuts_the_connection(cell: InProcess, client: Client) -> None:
    """Whoever connects again goes on in the series of chances, and does not meet its begin."""
    await inject(client, "drop", PLC, 0.2)
    (fault,) = cell.server.faults.of_clients
    cut = chances(fault.seed, np.arange(1_000)) < 0.2
    expected = np.diff(cut.nonzero()[0], prepend=-1)[:5] - 1  # good answers before each cut
    assert len(set(expected)) > 1
    assert [await answered_until_cut(cell) for _ in range(5)] == expected.tolist()


async def test_a_fault_injected_again_goes_the_same_way(cell: InProcess, client: Client) -> None:
    ways = []
    for _ in range(2):
        await inject(client, "drop", PLC, 0.2)
        ways.append([await answered_until_cut(cell) for _ in range(3)])
    assert ways[0] == ways[1]


async def test_who_commanded_and_was_cut_off_is_lost(cell: InProcess, client: Client) -> None:
    plc = await cell.client("PLC", "operator")
    await write(plc, change(CLOSED, True))
    assert await read_value(client, "Cell.Control") == "session PLC Session1"
    await inject(client, "drop", "session PLC Session1", 1.0)
    with pytest.raises((ConnectionError, ua.UaError, TimeoutError)):
        await read_value(plc, TICK)
    await comes_true(lambda: cell.server.control.text == "nobody")


# ---------------------------------------------------------------- engineers


async def test_whoever_injects_is_not_locked_out_by_it(cell: InProcess, client: Client) -> None:
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1, 1.0, 1000, EVERY_SAMPLE))
    await inject(client, "drop", "session *", 1.0)
    await inject(client, "delay", "session *", 60_000)
    cell.tick(10)
    await raw.hear(1, 11)
    assert await read_value(client, TICK) == 10
    assert len(await active(client)) == 2


@pytest.mark.parametrize(("kind", "amount"), [("drop", 1.0), ("delay", 60_000.0)])
async def test_another_engineer_gets_in_and_clears_the_fault(
    cell: InProcess, client: Client, kind: str, amount: float
) -> None:
    await inject(client, kind, "session *", amount)
    await client.disconnect()
    other = await cell.client("other")
    assert await other.get_namespace_array()
    assert (await active(other))[0].startswith(f"{kind} session * = ")
    assert await other.nodes.objects.get_children()
    assert await call_status(other, "Simulation.ClearFaults") == "Good"
    assert await read_value(other, TICK) == 0


async def test_a_method_is_called_in_time_while_values_are_late(
    cell: InProcess, client: Client
) -> None:
    other = await cell.client("other")
    await inject(client, "delay", "session other*", 60_000)
    late = asyncio.create_task(read_value(other, TICK))
    assert await call_status(other, "Simulation.Pause") == "Good"
    assert not late.done()
    assert await call_status(other, "Simulation.ClearFaults") == "Good"
    assert await late == 0


async def test_a_name_that_nobody_has_yet_waits_for_its_client(
    cell: InProcess, client: Client
) -> None:
    await inject(client, "delay", "session late comer*", 300)
    other = await cell.client("late comer", None)
    assert await seconds_for(read_status(other, TICK)) >= 0.3

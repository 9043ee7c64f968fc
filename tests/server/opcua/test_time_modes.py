"""Handshake and lock step, as real clients see them."""

import asyncio

import numpy as np
import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call, call_status, change, read, read_value, wanted, write
from tests.server.opcua.in_process import InProcess
from twincell.server.realtime.shared.vitals import LoopState

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLOSED = "Robot1Flange.Closed"
COUNTER, ECHO = "Simulation.CycleCounter", "Simulation.CycleEcho"
TICK = "Simulation.Tick"
CYCLE_TICKS = 4
PATIENCE_S = 60.0  # the machine may be busy with other tests


def counting(counter: int, type_: ua.VariantType = ua.VariantType.UInt32) -> ua.WriteValue:
    return change(COUNTER, counter, type_)


def steps(count: int) -> ua.Variant:
    return ua.Variant(count, ua.VariantType.UInt32)


async def set_mode(client: Client, mode: str, cycle_ms: float = float(CYCLE_TICKS)) -> str:
    return await call_status(client, "Simulation.SetTimeMode", mode, cycle_ms)


async def echoed(client: Client, counter: int) -> int:
    """Wait for the echo as a controller does; the tick that was read with it."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            echo, tick = await read(client, ECHO, TICK)
            if echo.Value.Value == counter:
                return int(tick.Value.Value)


async def cycle(client: Client, counter: int, *changes: ua.WriteValue) -> int:
    """One cycle of a controller."""
    assert set(await write(client, *changes, counting(counter))) == {"Good"}
    return await echoed(client, counter)


@pytest.fixture
def first(cell: InProcess) -> int:
    """The next counter that is new."""
    ring = cell.link.ring
    newest = ring.newest()
    assert newest is not None
    return int(newest.values[0, ring.echo_column]) + 1


# ---------------------------------------------------------------- modes


async def test_a_cell_begins_in_free_run(cell: InProcess, client: Client) -> None:
    assert await read_value(client, "Simulation.TimeMode") == "FreeRun"
    assert await read_value(client, "Simulation.CycleTime") == 10.0
    assert await read_value(client, "Simulation.ControllerLost") is False


async def test_a_cell_that_begins_anew_has_lost_no_controller(
    cell: InProcess, client: Client
) -> None:
    await write(client, change(CLOSED, True))
    await cell.begin_anew()
    assert await read_value(await cell.client(), "Simulation.ControllerLost") is False


@pytest.mark.parametrize("mode", ["Handshake", "LockStep"])
async def test_the_mode_and_its_cycle_are_changed_while_the_cell_runs(
    cell: InProcess, client: Client, mode: str
) -> None:
    cell.tick(20)
    assert await set_mode(client, mode, 7.0) == "Good"
    assert await read_value(client, "Simulation.TimeMode") == mode
    assert await read_value(client, "Simulation.CycleTime") == 7.0
    assert await set_mode(client, mode, 0.0) == "Good"  # leaves the cycle as it is
    assert await read_value(client, "Simulation.CycleTime") == 7.0
    assert await read_value(client, "Simulation.State") == "Running"
    assert cell.newest_tick == 20
    assert await set_mode(client, "FreeRun") == "Good"
    cell.tick(5)
    assert cell.newest_tick == 26  # one tick at once, as after Resume


@pytest.mark.parametrize(
    ("mode", "cycle_ms", "codes"),
    [
        ("freerun", 10.0, ["BadOutOfRange", "Good"]),
        ("", 10.0, ["BadOutOfRange", "Good"]),
        ("LockStep", 0.5, ["Good", "BadOutOfRange"]),
        ("LockStep", -1.0, ["Good", "BadOutOfRange"]),
        ("LockStep", 10_001.0, ["Good", "BadOutOfRange"]),
        ("LockStep", float("nan"), ["Good", "BadOutOfRange"]),
        ("LockStep", 10, ["Good", "BadTypeMismatch"]),
        (7, 10.0, ["BadTypeMismatch", "Good"]),
    ],
)
async def test_a_mode_or_cycle_that_does_not_exist_is_refused(
    cell: InProcess, client: Client, mode: object, cycle_ms: float, codes: list[str]
) -> None:
    result = await call(client, "Simulation.SetTimeMode", mode, cycle_ms)
    assert result.StatusCode.name == "BadInvalidArgument"
    assert [code.name for code in result.InputArgumentResults] == codes
    assert await read_value(client, "Simulation.TimeMode") == "FreeRun"


async def test_only_an_engineer_changes_the_mode_but_an_operator_counts(
    cell: InProcess, client: Client, first: int
) -> None:
    operator = await cell.client("PLC", user="operator")
    assert await set_mode(operator, "Handshake") == "BadUserAccessDenied"
    await set_mode(client, "Handshake")
    assert await cycle(operator, first) == CYCLE_TICKS
    observer = await cell.client("Panel", user="observer")
    assert await write(observer, counting(first + 1)) == ["BadUserAccessDenied"]
    assert cell.newest_tick == CYCLE_TICKS


# ---------------------------------------------------------------- handshake


async def test_the_echo_is_read_with_the_feedback_of_the_last_tick_of_the_cycle(
    cell: InProcess, client: Client, first: int
) -> None:
    await set_mode(client, "Handshake")
    for count in range(20):
        assert await cycle(client, first + count) == (count + 1) * CYCLE_TICKS


async def test_a_subscription_to_echo_and_tick_sees_every_row_once(
    cell: InProcess, client: Client, first: int
) -> None:
    seen: dict[str, list[int]] = {ECHO: [], TICK: []}

    class Listener:
        def datachange_notification(self, node: object, value: int, _: object) -> None:
            seen[node.nodeid.Identifier].append(int(value))  # type: ignore[attr-defined]

    await set_mode(client, "Handshake")
    subscription = await client.create_subscription(10, Listener())
    nodes = [client.get_node(cell.id(name)) for name in (ECHO, TICK)]
    await subscription.subscribe_data_change(nodes, queuesize=100, sampling_interval=1.0)
    for count in range(3):
        await cycle(client, first + count)
    async with asyncio.timeout(PATIENCE_S):
        while len(seen[TICK]) < 3 * CYCLE_TICKS + 1:
            await asyncio.sleep(0.01)
    assert seen[TICK] == list(range(3 * CYCLE_TICKS + 1))
    assert seen[ECHO] == [first - 1, first, first + 1, first + 2]
    await subscription.delete()


async def test_commands_count_from_the_first_tick_of_their_cycle(
    cell: InProcess, client: Client, first: int
) -> None:
    rows = cell.link.ring.written
    await set_mode(client, "Handshake")
    await cycle(client, first, change(CLOSED, True))
    await write(client, change(CLOSED, False))
    await cycle(client, first + 1)
    values = cell.link.ring.read(rows, rows + 2 * CYCLE_TICKS).values[:, cell.column(CLOSED)]
    assert values.tolist() == [1.0] * CYCLE_TICKS + [0.0] * CYCLE_TICKS


async def test_a_counter_that_is_written_twice_is_one_cycle(
    cell: InProcess, client: Client, first: int
) -> None:
    await set_mode(client, "Handshake")
    await cycle(client, first)
    assert await write(client, counting(first)) == ["Good"]
    assert await write(client, counting(first), counting(first)) == ["Good", "Good"]
    assert await cycle(client, first + 1) == 2 * CYCLE_TICKS


async def test_a_counter_may_jump_and_wrap_around(cell: InProcess, client: Client) -> None:
    await set_mode(client, "Handshake")
    for number, counter in enumerate((9_000_000, 5, 2**32 - 1, 0, 1), start=1):
        assert await cycle(client, counter) == number * CYCLE_TICKS


@pytest.mark.parametrize(
    ("type_", "counters"),
    [
        (ua.VariantType.Int32, (2**31 - 1, -(2**31), -1, 0)),
        (ua.VariantType.Int16, (32_767, -32_768)),
        (ua.VariantType.Byte, (255, 0)),
        (ua.VariantType.UInt64, (2**32 - 1, 0)),
    ],
)
async def test_any_whole_number_counts_and_a_negative_one_is_what_its_bits_are(
    cell: InProcess, client: Client, type_: ua.VariantType, counters: tuple[int, ...]
) -> None:
    await set_mode(client, "Handshake")
    await cycle(client, 77)
    for number, counter in enumerate(counters, start=2):
        assert await write(client, counting(counter, type_)) == ["Good"]
        assert await echoed(client, counter % 2**32) == number * CYCLE_TICKS


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (ua.Variant(1.0, ua.VariantType.Double), "BadTypeMismatch"),
        (ua.Variant(True, ua.VariantType.Boolean), "BadTypeMismatch"),
        (ua.Variant("1", ua.VariantType.String), "BadTypeMismatch"),
        (ua.Variant([1], ua.VariantType.UInt32), "BadTypeMismatch"),
        (ua.Variant(2**32, ua.VariantType.UInt64), "BadOutOfRange"),
        (ua.Variant(-(2**31) - 1, ua.VariantType.Int64), "BadOutOfRange"),
    ],
)
async def test_what_is_no_counter_is_refused_and_moves_nothing(
    cell: InProcess, client: Client, value: ua.Variant, status: str
) -> None:
    await set_mode(client, "Handshake")
    # a good command beside it is taken, and waits for a good counter
    assert await write(client, change(COUNTER, value), change(CLOSED, True)) == [status, "Good"]
    cell.turn(20)
    assert cell.newest_tick == 0


async def test_the_counter_is_a_plain_value_and_the_echo_cannot_be_written(
    cell: InProcess, client: Client, first: int
) -> None:
    await set_mode(client, "Handshake")
    await cycle(client, first)
    assert await read_value(client, COUNTER) == first
    part = change(COUNTER, first, ua.VariantType.UInt32, index_range="0")
    assert await write(client, part) == ["BadIndexRangeNoData"]
    assert await write(client, change(ECHO, 5, ua.VariantType.UInt32)) == ["BadNotWritable"]
    other = change(COUNTER, "x", attribute=ua.AttributeIds.DisplayName)
    assert await write(client, other) == ["BadNotWritable"]
    types = await read(client, *(wanted(n, ua.AttributeIds.DataType) for n in (COUNTER, ECHO)))
    assert {one.Value.Value for one in types} == {ua.NodeId(ua.ObjectIds.UInt32)}


@pytest.mark.parametrize("mode", ["FreeRun", "LockStep"])
async def test_a_counter_is_refused_where_nobody_would_echo_it(
    cell: InProcess, client: Client, mode: str
) -> None:
    await set_mode(client, mode)
    assert await write(client, counting(4711), change(CLOSED, True)) == ["BadInvalidState", "Good"]
    assert await read_value(client, ECHO) != 4711


async def test_a_paused_handshake_goes_on_where_it_was(
    cell: InProcess, client: Client, first: int
) -> None:
    await set_mode(client, "Handshake")
    await call(client, "Simulation.Pause")
    await write(client, counting(first), change(CLOSED, True))
    cell.turn(20)
    assert cell.newest_tick == 0 and cell.newest(CLOSED) == 0.0
    assert await call_status(client, "Simulation.Step", steps(2)) == "Good"
    assert cell.newest_tick == 2 and cell.newest(CLOSED) == 0.0
    await call(client, "Simulation.Resume")
    assert await echoed(client, first) == 2 + CYCLE_TICKS
    assert cell.newest(CLOSED) == 1.0


async def test_a_step_is_refused_in_handshake(cell: InProcess, client: Client) -> None:
    await set_mode(client, "Handshake")
    assert await call_status(client, "Simulation.Step", steps(1)) == "BadInvalidState"


async def test_a_client_that_vanishes_in_a_cycle_leaves_it_to_the_next(
    cell: InProcess, client: Client, first: int
) -> None:
    await set_mode(client, "Handshake")
    plc = await cell.client("PLC")
    await cycle(plc, first)
    cell.takes_cycles = False  # a cycle that takes longer than its controller lives
    await write(plc, counting(first + 1), change(CLOSED, True))
    plc.disconnect_socket()
    cell.takes_cycles = True
    assert await echoed(client, first + 1) == 2 * CYCLE_TICKS
    assert cell.newest(CLOSED) == 1.0
    # another one does not know whether it was done: it counts on from the echo
    assert await cycle(client, first + 1) == 2 * CYCLE_TICKS
    assert await cycle(client, first + 2) == 3 * CYCLE_TICKS


async def test_two_clients_move_the_cell_with_their_counters_as_one(
    cell: InProcess, client: Client, first: int
) -> None:
    """Whoever counts moves the cell; one that only commands does so with the next cycle."""
    other = await cell.client("Panel")
    await set_mode(client, "Handshake")
    await write(other, change(CLOSED, True))
    assert await cycle(client, first) == CYCLE_TICKS
    assert cell.newest(CLOSED) == 1.0
    assert await cycle(other, first + 1) == 2 * CYCLE_TICKS
    assert await cycle(client, first + 2) == 3 * CYCLE_TICKS


async def test_a_fault_is_named_and_the_counter_refused(
    cell: InProcess, client: Client, first: int
) -> None:
    await set_mode(client, "Handshake")
    cell.link.vitals["state"] = LoopState.FAULT
    assert await write(client, counting(first)) == ["BadInvalidState"]
    cell.link.vitals["state"] = LoopState.DOWN
    assert await write(client, counting(first)) == ["BadNoCommunication"]


async def test_a_counter_alone_leaves_the_timeline_in_command(
    cell: InProcess, client: Client, first: int
) -> None:
    await set_mode(client, "Handshake")
    cell.link.vitals["timeline_on"] = 1
    await cycle(client, first)
    assert cell.link.vitals["timeline_on"] == 1
    await cycle(client, first + 1, change(CLOSED, True))
    assert cell.link.vitals["timeline_on"] == 0


# ---------------------------------------------------------------- lock step


async def test_a_step_returns_when_its_rows_are_readable(cell: InProcess, client: Client) -> None:
    await set_mode(client, "LockStep")
    for count in (1, 10, 1, 100):
        before = await read_value(client, TICK)
        result = await call(client, "Simulation.Step", steps(count))
        assert await read_value(client, TICK) == before + count
        assert [output.Value for output in result.OutputArguments] == [before + count + 1]


async def test_lock_step_stands_still_paused_or_not(cell: InProcess, client: Client) -> None:
    await set_mode(client, "LockStep")
    for name in ("Pause", "Resume", "Pause"):
        assert await call_status(client, f"Simulation.{name}") == "Good"
        before = cell.newest_tick
        assert await call_status(client, "Simulation.Step", steps(3)) == "Good"
        assert cell.newest_tick == before + 3


async def test_handshake_and_lock_step_give_the_same_rows_bit_for_bit(
    cell: InProcess, client: Client, first: int
) -> None:
    chance = np.random.default_rng(5)
    script = [
        [(f"Robot{robot}Flange.Closed", bool(chance.integers(2))) for robot in (1, 2)]
        for _ in range(60)
    ]
    found = []
    for mode in ("Handshake", "LockStep"):
        await call(client, "Simulation.Reset")
        await set_mode(client, mode)
        rows = cell.link.ring.written - 1
        for number, commands in enumerate(script):
            changes = [change(name, value) for name, value in commands]
            before, with_counter = changes[: number % 3], changes[number % 3 :]
            if before:
                await write(client, *before)
            if number % 10 == 0:
                target = ua.Variant([0.1 * number] * 6, ua.VariantType.Double, is_array=True)
                await call(client, "Robot1.MoveJoint", target, 0.5)
            if mode == "Handshake":
                await cycle(client, first + number, *with_counter)
            else:
                if with_counter:
                    await write(client, *with_counter)
                await call(client, "Simulation.Step", steps(CYCLE_TICKS))
        ring = cell.link.ring
        # all signals, the tick and the time; the echo is the controller's, not the cell's
        found.append(ring.read(rows, ring.written).values[:, : ring.echo_column].tobytes())
    assert found[0] == found[1]
    assert len(found[0]) > 60 * CYCLE_TICKS * 8

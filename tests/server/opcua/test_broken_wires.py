"""A broken wire shows as the quality of its signal, to everybody and in exact ticks."""

import pytest
import pytest_asyncio
from asyncua import Client, ua

from tests.server.opcua.asking import call_status, read
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.injecting import active, clear, inject
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item, statuses
from twincell.server.opcua.fault.broken_wires import BrokenWires
from twincell.server.opcua.wire.wire_time import to_datetime
from twincell.server.realtime.shared.link import Link
from twincell.sim.devices.parts.wire_signals import BROKEN_WIRE, STUCK_FALSE, WIRE_FAULTS
from twincell.sim.signals import Direction, Kind, Signal, SignalTable

SIGNAL, OTHER, LEVER = "Changer.Unlocked", "Changer.ToolPresent", "Changer.Fault.Unlocked"
BAD = ua.StatusCodes.BadSensorFailure

in_session = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def cell(changer: InProcess) -> InProcess:
    """A tool changer that is unlocked, in its first tick."""
    await changer.begin_anew()
    return changer


@pytest_asyncio.fixture(loop_scope="session")
async def client(cell: InProcess) -> Client:
    return await cell.client()


async def move(client: Client, value: float) -> None:
    assert await call_status(client, "Simulation.InjectFault", LEVER, float(value)) == "Good"


@in_session
async def test_a_signal_is_read_as_bad_while_its_wire_is_broken(
    cell: InProcess, client: Client
) -> None:
    cell.tick(5)
    (before,) = await read(client, SIGNAL)
    assert (before.StatusCode.value, before.Value.Value) == (0, True)
    await move(client, BROKEN_WIRE)
    cell.tick(1)
    broke = cell.newest_stamp
    cell.tick(10)
    bad, other, flags = await read(client, SIGNAL, OTHER, "Changer.BadSignals")
    assert (bad.StatusCode.value, bad.Value.Value) == (BAD, False)
    assert bad.SourceTimestamp == to_datetime(broke)
    assert statuses([other, flags]) == [0, 0]
    assert flags.Value.Value == 0b10
    assert await active(client) == [f"{LEVER} = 6"]  # the lever alone is what is injected
    await move(client, STUCK_FALSE)
    cell.tick(1)
    (stuck,) = await read(client, SIGNAL)
    assert (stuck.StatusCode.value, stuck.Value.Value) == (0, False)  # a lie has no bad quality


@in_session
async def test_a_subscription_tells_of_a_broken_wire_and_of_its_repair(
    cell: InProcess, client: Client
) -> None:
    raw = RawClient(client)
    items = [item(name, k, 1.0, 1000, EVERY_SAMPLE) for k, name in enumerate((SIGNAL, OTHER))]
    await raw.monitored(*items)
    await raw.hear(0, 1)
    cell.tick(2)
    await move(client, BROKEN_WIRE)
    cell.tick(4)
    await raw.hear(0, 4)
    assert statuses(raw.values[0]) == [0, 0, 0, BAD]
    assert raw.told(0) == [True, True, True, False]
    await clear(client)
    cell.tick(2)
    await raw.hear(0, 6)
    assert statuses(raw.values[0])[4:] == [0, 0]
    assert raw.told(0)[4:] == [True, True]
    await raw.hear(1, 9)
    assert statuses(raw.values[1]) == [0] * 9  # of the other signal every sample


@in_session
async def test_a_wire_that_broke_between_two_messages_is_told_of_in_its_place(
    cell: InProcess, client: Client
) -> None:
    raw = RawClient(client)
    await raw.monitored(item(SIGNAL, 0, 1.0, 1000, EVERY_SAMPLE))
    await raw.hear(0, 1)
    lever = cell.column(LEVER)
    for value in (BROKEN_WIRE, 0.0):  # nobody looks in between
        cell.link.commands.put([(lever, value)])
        cell.tick(3)
    await raw.hear(0, 5)
    assert statuses(raw.values[0]) == [0, BAD, 0, 0, 0]


@in_session
async def test_clearing_what_was_injected_on_the_way_repairs_no_wire(
    cell: InProcess, client: Client
) -> None:
    await inject(client, "bad", OTHER)
    await move(client, BROKEN_WIRE)
    cell.tick(1)
    assert statuses(await read(client, SIGNAL, OTHER)) == [BAD, BAD]
    cell.server.faults.clear()
    assert statuses(await read(client, SIGNAL, OTHER)) == [BAD, 0]


def test_a_wire_that_broke_longer_ago_than_the_ring_holds_is_still_broken():
    lever = Signal("C.Fault.Locked", 0, Kind.INT32, "", Direction.FAULT, "", WIRE_FAULTS)
    empty = Signal("C.Fault.AirLoss", 1, Kind.BOOLEAN, "", Direction.FAULT, "")
    ring = Link(2, 512).ring
    wires = BrokenWires(ring, SignalTable([lever, empty]), 0.001)
    for tick in range(2_000):
        ring.next_row()[0] = [BROKEN_WIRE if tick >= 3 else 0.0, BROKEN_WIRE]
        ring.append(tick, tick * 0.001, tick, 0)
    assert wires.look(2_000) == (1, [])
    (fault,) = wires.acting
    assert (fault.names, fault.first) == ({"C.Locked"}, ring.oldest)
    assert wires.look(2_000) == (0, [])

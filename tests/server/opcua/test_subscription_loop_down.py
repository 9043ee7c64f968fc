"""What subscribers hear when the loop goes down, when it has a fault, and when it is back."""

import time

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item, statuses
from twincell.server.realtime.shared.vitals import LoopState

pytestmark = pytest.mark.asyncio(loop_scope="session")

DOWN = int(ua.StatusCodes.BadNoCommunication)
FAULT = int(ua.StatusCodes.UncertainLastUsableValue)
ITEMS = [
    item("Simulation.Tick", 1),
    item("Tool1.Pose", 2),
    item("Tool1.Partner", 3),
    item("Robot1.JointPosition", 4),
    item("Bulk.Flags", 5),
    item("Simulation.Tick", 6, 7.0, filter_=EVERY_SAMPLE),
    item("Simulation.Tick", 7, filter_=ua.DataChangeFilter(ua.DataChangeTrigger.Status, 0, 0.0)),
]
HANDLES = range(1, 8)


async def hear_all(raw: RawClient, count: int) -> None:
    await raw.listen(lambda: all(len(raw.values[handle]) >= count for handle in HANDLES))


async def silent(raw: RawClient) -> bool:
    """Whether the next thing to hear is a keep-alive."""
    return not (await raw.next_message()).NotificationMessage.NotificationData


async def test_when_the_loop_goes_down_each_item_says_so_once_and_is_good_again_later(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(*ITEMS, keep_alive=3)
    await hear_all(raw, 1)
    cell.link.vitals["state"] = LoopState.DOWN
    await hear_all(raw, 2)
    assert await silent(raw)
    assert await silent(raw)
    for handle in HANDLES:
        assert statuses(raw.values[handle]) == [0, DOWN]
        assert raw.values[handle][1].Value.Value is None  # an old one might be taken for a true one
        assert raw.values[handle][1].SourceTimestamp is not None
    cell.link.vitals["state"] = LoopState.RUNNING
    cell.tick(1)
    await hear_all(raw, 3)
    assert await silent(raw)
    for handle in HANDLES:
        assert statuses(raw.values[handle]) == [0, DOWN, 0]
        # the value of the new row, even if it is the same as before
        assert raw.values[handle][2].SourceTimestamp > raw.values[handle][0].SourceTimestamp
    assert raw.values[1][2].Value.Value == 1


async def test_a_loop_that_comes_back_without_a_new_row_is_good_again_too(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(*ITEMS, keep_alive=3)
    await hear_all(raw, 1)
    cell.link.vitals["state"] = LoopState.DOWN
    await hear_all(raw, 2)
    cell.link.vitals["state"] = LoopState.PAUSED
    await hear_all(raw, 3)
    assert await silent(raw)
    for handle in HANDLES:
        first, _, last = raw.values[handle]
        assert (last.Value, last.SourceTimestamp) == (first.Value, first.SourceTimestamp)
        assert last.StatusCode.is_good()
    cell.link.vitals["state"] = LoopState.RUNNING
    cell.tick(1)
    await raw.hear(1, 4)
    assert raw.told(1)[-1] == 1


async def test_a_silent_loop_counts_as_down(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(item("Simulation.Tick", 1))
    await raw.hear(1, 1)
    cell.beats = False
    cell.link.vitals["beat_ns"] = time.monotonic_ns() - 2_000_000_000
    await raw.hear(1, 2)
    cell.beats = True
    cell.tick(1)
    values = await raw.hear(1, 3)
    assert statuses(values) == [0, DOWN, 0]


async def test_rows_from_before_the_end_are_still_reported(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(item("Simulation.Tick", 1))
    cell.tick(5)
    cell.link.vitals["state"] = LoopState.DOWN
    values = await raw.hear(1, 7)
    assert [v.Value.Value for v in values] == [0, 1, 2, 3, 4, 5, None]
    assert statuses(values) == [0] * 6 + [DOWN]


async def test_with_a_fault_values_are_uncertain_but_still_there(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(*ITEMS, keep_alive=3)
    await hear_all(raw, 1)
    cell.tick(3)
    cell.link.vitals["state"] = LoopState.FAULT
    await raw.listen(lambda: all(statuses(raw.values[h])[-1] == FAULT for h in HANDLES))
    assert await silent(raw)
    assert raw.told(1) == [0, 1, 2, 3, 3]
    assert raw.told(7) == [0, 3]
    for handle in HANDLES:
        assert statuses(raw.values[handle]).count(FAULT) == 1
        assert raw.values[handle][-1].Value.Value is not None
    cell.link.vitals["state"] = LoopState.RUNNING
    cell.tick(1)
    await raw.listen(lambda: all(statuses(raw.values[h])[-1] == 0 for h in HANDLES))


async def test_who_comes_while_the_loop_is_down_hears_just_that(cell: InProcess, client: Client):
    raw = RawClient(client)
    cell.tick(3)
    cell.link.vitals["state"] = LoopState.DOWN
    await raw.monitored(*ITEMS, keep_alive=3)
    await hear_all(raw, 1)
    assert await silent(raw)
    assert all(statuses(raw.values[handle]) == [DOWN] for handle in HANDLES)
    cell.link.vitals["state"] = LoopState.RUNNING
    await hear_all(raw, 2)
    assert raw.values[1][-1].Value.Value == 3


async def test_who_comes_before_the_first_row_waits_for_it():
    async with InProcess("tool_change_single", begin=False) as cell:
        raw = RawClient(await cell.client())
        await raw.monitored(item("Simulation.Tick", 1), item("Simulation.Tick", 2, 50.0))
        await raw.listen(lambda: len(raw.values) == 2)
        waiting = int(ua.StatusCodes.BadWaitingForInitialData)
        assert statuses(raw.values[1]) == statuses(raw.values[2]) == [waiting]
        cell.begin()
        cell.tick(2)
        await raw.hear(1, 4)
        assert raw.told(1)[1:] == [0, 1, 2]
        assert raw.told(2)[1:] == [0]

"""Queues and deadbands of monitored items: what is kept, what is dropped, and that it is told."""

import asyncio

import numpy as np
import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import let_the_loop_be_silent
from tests.server.opcua.raw_client import (
    EVERY_SAMPLE,
    OVERFLOW,
    RawClient,
    absolute,
    item,
    statuses,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_full_queue_drops_the_oldest_and_marks_the_oldest_that_remains(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(item("Simulation.Tick", 1, queue=4))
    cell.tick(20)
    values = await raw.hear(1, 4)
    assert raw.told(1) == [17, 18, 19, 20]
    assert statuses(values) == [OVERFLOW, 0, 0, 0]
    cell.tick(2)
    await raw.hear(1, 6)
    assert raw.told(1)[4:] == [21, 22]
    assert statuses(values)[4:] == [0, 0]  # once is enough


async def test_a_full_queue_that_keeps_the_oldest_replaces_its_last_and_marks_it(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(item("Simulation.Tick", 1, queue=4, discard_oldest=False))
    cell.tick(20)
    values = await raw.hear(1, 4)
    assert raw.told(1) == [0, 1, 2, 20]
    assert statuses(values) == [0, 0, 0, OVERFLOW]


@pytest.mark.parametrize("discard_oldest", [True, False])
async def test_a_queue_of_one_has_the_newest_value_and_no_mark(
    cell: InProcess, client: Client, discard_oldest: bool
):
    raw = RawClient(client)
    await raw.monitored(item("Simulation.Tick", 1, queue=1, discard_oldest=discard_oldest))
    cell.tick(20)
    values = await raw.hear(1, 1)
    assert raw.told(1) == [20]
    assert statuses(values) == [0]


async def test_a_queue_that_is_just_full_has_lost_nothing(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(item("Simulation.Tick", 1, queue=21))
    cell.tick(20)
    values = await raw.hear(1, 21)
    assert raw.told(1) == list(range(21))
    assert set(statuses(values)) == {0}


@pytest.mark.parametrize("node", ["Tool1.Pose", "Robot1.JointPosition", "Tool1.Partner"])
async def test_values_of_any_kind_can_overflow(cell: InProcess, client: Client, node: str):
    raw = RawClient(client)
    oldest = item(node, 1, queue=3, filter_=EVERY_SAMPLE)
    newest = item(node, 2, queue=3, filter_=EVERY_SAMPLE, discard_oldest=False)
    await raw.monitored(oldest, newest)
    cell.tick(20)
    await raw.hear(2, 3)
    assert statuses(raw.values[1]) == [OVERFLOW, 0, 0]
    assert statuses(raw.values[2]) == [0, 0, OVERFLOW]
    end = raw.values[1][-1].SourceTimestamp
    assert raw.values[2][-1].SourceTimestamp == end
    assert raw.values[2][0].SourceTimestamp < raw.values[1][0].SourceTimestamp


async def test_a_client_that_comes_after_the_ring_went_round_is_told_of_the_gap(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    let_the_loop_be_silent(monkeypatch)
    raw = RawClient(client)
    keeps_all = item("Simulation.Tick", 1, queue=16_384)
    keeps_first = item("Simulation.Tick", 2, 100.0, queue=16_384, discard_oldest=False)
    newest_only = item("Simulation.Tick", 3, queue=1)
    await raw.monitored(keeps_all, keeps_first, newest_only)
    await raw.listen(lambda: len(raw.values) == 3)
    cell.tick(17_000)
    values = await raw.hear(1, 16_000)
    oldest = cell.link.ring.oldest - cell.link.ring.written + 1 + 17_000
    assert raw.told(1) == [0, *range(oldest, 17_001)]
    assert statuses(values)[:3] == [0, OVERFLOW, 0]
    assert sum(statuses(values)) == OVERFLOW
    await raw.hear(2, 100)
    assert np.diff(raw.told(2)[1:]).tolist() == [100] * (len(raw.told(2)) - 2)
    assert statuses(raw.values[2])[:3] == [0, OVERFLOW, 0]
    assert raw.told(3) == [0, 17_000]
    assert set(statuses(raw.values[3])) == {0}


async def test_a_deadband_counts_from_the_last_reported_value(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(
        item("Simulation.Time", 1, filter_=absolute(0.0095)),
        item("Simulation.Tick", 2, filter_=absolute(3.0)),
        item("Simulation.Tick", 3, filter_=absolute(0.0)),
    )
    for _ in range(10):
        cell.tick(5)
        await raw.next_message()
    await raw.hear(3, 51)
    assert raw.told(1) == pytest.approx([0.00, 0.01, 0.02, 0.03, 0.04, 0.05])
    assert raw.told(2) == list(range(0, 51, 4))  # a difference of 3 is within the deadband
    assert raw.told(3) == list(range(51))


async def test_a_deadband_on_an_array_looks_at_each_element(cell: InProcess, client: Client):
    raw = RawClient(client)
    command = cell.column("Robot1.JointTarget.2")
    await raw.monitored(item("Robot1.JointTarget", 1, filter_=absolute(0.1)))
    await raw.hear(1, 1)
    start = raw.told(1)[0]
    for offset in (0.05, 0.11, 0.2, 0.22):
        cell.link.commands.put([(command, start[1] + offset)])
        cell.tick(1)
    await raw.hear(1, 3)
    assert [round(told[1] - start[1], 6) for told in raw.told(1)] == [0.0, 0.11, 0.22]
    assert all(told[0] == start[0] for told in raw.told(1))


async def test_with_a_deadband_a_new_time_alone_is_not_reported(cell: InProcess, client: Client):
    raw = RawClient(client)
    trigger = ua.DataChangeTrigger.StatusValueTimestamp
    filter_ = ua.DataChangeFilter(trigger, ua.DeadbandType.Absolute, 5.5)
    await raw.monitored(item("Simulation.Tick", 1, filter_=filter_))
    cell.tick(20)
    await raw.hear(1, 4)
    assert raw.told(1) == [0, 6, 12, 18]


async def test_the_trigger_status_reports_no_values(cell: InProcess, client: Client):
    raw = RawClient(client)
    filter_ = ua.DataChangeFilter(ua.DataChangeTrigger.Status, 0, 0.0)
    await raw.monitored(item("Simulation.Tick", 1, filter_=filter_), item("Simulation.Tick", 2))
    cell.tick(20)
    await raw.hear(2, 21)
    assert raw.told(1) == [0]


async def test_a_deadband_on_a_slow_value(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(
        item("Simulation.Overruns", 1, filter_=absolute(5.0)), item("Simulation.Overruns", 2)
    )
    start = cell.link.vitals["overruns"]
    await raw.listen(lambda: len(raw.values) == 2)
    for overruns in (3, 6, 9):
        cell.link.vitals["overruns"] = start + overruns
        await asyncio.sleep(0)
        await raw.hear(2, len(raw.values[2]) + 1)
    cell.link.vitals["overruns"] = start
    assert [told - start for told in raw.told(2)] == [0, 3, 6, 9]
    assert [told - start for told in raw.told(1)] == [0, 6]

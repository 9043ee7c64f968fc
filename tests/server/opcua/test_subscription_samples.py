"""Every sample reaches the client: all ticks, in order, bit by bit what the ring holds."""

from datetime import timedelta

import numpy as np
import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import let_the_loop_be_silent, variables
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, columns_of, item, statuses
from twincell.server.opcua.wire.wire_time import to_datetime

pytestmark = pytest.mark.asyncio(loop_scope="session")


def moving(cell: InProcess) -> None:
    """Robots on their way: many values that change with every tick."""
    cell.link.commands.put([(cell.column("Robot1.JointTarget.1"), 0.3)])
    cell.link.commands.put([(cell.column("Robot1Flange.Closed"), 1.0)])


async def test_every_sample_of_every_variable_is_what_the_ring_holds(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    let_the_loop_be_silent(monkeypatch)
    raw = RawClient(client)
    every = variables(cell)
    items = [item(v.name, k, 1.0, 1000, EVERY_SAMPLE) for k, v in enumerate(every)]
    first = cell.link.ring.written - 1
    await raw.monitored(*items, interval_ms=5.0)
    moving(cell)
    for _ in range(4):
        cell.tick(10)
        await raw.next_message()
    await raw.listen(lambda: all(len(raw.values[k]) >= 41 for k in range(len(every))))

    rows = cell.link.ring.read(first, cell.link.ring.written)
    assert len(rows.values) == 41
    times = [to_datetime(int(stamp)) for stamp in rows.stamp]
    assert set(np.diff(times)) == {timedelta(milliseconds=1)}
    for k, variable in enumerate(every):
        got = raw.values[k]
        assert [value.SourceTimestamp for value in got] == times, variable.name
        assert set(statuses(got)) == {0}, variable.name
        held = np.ascontiguousarray(rows.values[:, list(variable.columns)])
        assert columns_of(variable, got).tobytes() == held.tobytes(), variable.name


async def test_samples_go_on_through_many_messages_without_a_gap(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(item("Simulation.Tick", 1, 1.0, 1000, EVERY_SAMPLE), interval_ms=5.0)
    for k in range(60):
        cell.tick(1 + k % 7)
        await raw.next_message()
    await raw.listen(lambda: raw.told(1)[-1] == cell.newest_tick)
    assert raw.told(1) == list(range(cell.newest_tick + 1))
    numbers = [m.NotificationMessage.SequenceNumber for m in raw.messages]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_by_default_only_changes_are_reported(cell: InProcess, client: Client):
    raw = RawClient(client)
    tick, still = item("Simulation.Tick", 1), item("Holder1.Pose.X", 2)
    structure, text = item("Holder1.Pose", 3), item("Tool1.Partner", 4)
    await raw.monitored(tick, still, structure, text, interval_ms=5.0)
    cell.tick(50)
    await raw.hear(1, 51)
    assert raw.told(1) == list(range(51))
    assert [len(raw.values[k]) for k in (2, 3, 4)] == [1, 1, 1]


async def test_a_value_that_goes_and_comes_back_is_reported_at_each_change(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(item("Robot1Flange.Closed", 1), interval_ms=5.0)
    command = cell.column("Robot1Flange.Closed")
    for value in (1.0, 0.0, 1.0):
        cell.link.commands.put([(command, value)])
        cell.tick(3)
    values = await raw.hear(1, 4)
    assert raw.told(1) == [False, True, False, True]
    times = [value.SourceTimestamp for value in values]
    assert np.diff(times)[1:].tolist() == [timedelta(milliseconds=3)] * 2


@pytest.mark.parametrize(
    ("asked_ms", "revised_ms"),
    [(0.0, 1.0), (-1.0, 20.0), (1.0, 1.0), (5.0, 5.0), (7.3, 7.0), (0.3, 1.0), (float("nan"), 1.0)],
)
async def test_a_sampling_interval_becomes_whole_ticks_and_is_kept(
    cell: InProcess, client: Client, asked_ms: float, revised_ms: float
):
    raw = RawClient(client)
    subscription = await raw.subscribe(20.0)
    wanted = item("Simulation.Tick", 1, asked_ms, 1000, EVERY_SAMPLE)
    (result,) = await raw.monitor(subscription, wanted)
    assert result.RevisedSamplingInterval == revised_ms
    cell.tick(61)
    period = int(revised_ms)
    await raw.hear(1, 1 + 60 // period)
    # the first sample is the row at hand; from then on every one at the period's ticks
    assert raw.told(1)[0] == 0
    assert set(np.diff(raw.told(1)[1:])) == {period}
    steps = set(np.diff([value.SourceTimestamp for value in raw.values[1]][1:]))
    assert steps == {timedelta(milliseconds=period)}


async def test_the_first_sample_comes_at_once_whatever_the_interval(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(item("Simulation.Tick", 1, 3_600_000.0), interval_ms=5.0)
    await raw.hear(1, 1)
    assert raw.told(1) == [0]


async def test_a_part_of_an_array_can_be_monitored(cell: InProcess, client: Client):
    raw = RawClient(client)
    one = item("Robot1.JointPosition", 1, filter_=EVERY_SAMPLE, index_range="1")
    three = item("Robot1.JointPosition", 2, filter_=EVERY_SAMPLE, index_range="2:4")
    whole = item("Robot1.JointPosition", 3, filter_=EVERY_SAMPLE)
    flag = item("Robot1.AtLimit", 4, filter_=EVERY_SAMPLE, index_range="0")
    words = item("Bulk.Flags", 5, filter_=EVERY_SAMPLE)
    word = item("Bulk.Flags", 6, filter_=EVERY_SAMPLE, index_range="1")
    await raw.monitored(one, three, whole, flag, words, word, interval_ms=5.0)
    moving(cell)
    cell.tick(20)
    await raw.hear(3, 21)
    wholes = raw.told(3)
    assert raw.told(1) == [whole[1:2] for whole in wholes]
    assert raw.told(2) == [whole[2:5] for whole in wholes]
    assert raw.told(4) == [[False]] * 21
    assert raw.told(6) == [words[1:2] for words in raw.told(5)]


@pytest.mark.parametrize("times", [t for t in ua.TimestampsToReturn if t.name != "Invalid"])
async def test_a_client_gets_the_times_it_asks_for(
    cell: InProcess, client: Client, times: ua.TimestampsToReturn
):
    raw = RawClient(client)
    subscription = await raw.subscribe()
    items = [
        item("Simulation.Tick", 1),
        item("Tool1.Partner", 2),
        item("Simulation.State", 3),
        item("Holder1.Pose", 4, attribute=ua.AttributeIds.BrowseName),
    ]
    await raw.monitor(subscription, *items, times=times)
    await raw.listen(lambda: len(raw.values) == 4)
    with_source = times in (ua.TimestampsToReturn.Source, ua.TimestampsToReturn.Both)
    with_server = times in (ua.TimestampsToReturn.Server, ua.TimestampsToReturn.Both)
    for handle in (1, 2):
        (value,) = raw.values[handle]
        stamp = to_datetime(cell.newest_stamp)
        assert value.SourceTimestamp == (stamp if with_source else None)
    for handle in (1, 2, 3, 4):
        (value,) = raw.values[handle]
        assert (value.ServerTimestamp is not None) == with_server

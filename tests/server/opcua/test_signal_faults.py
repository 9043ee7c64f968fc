"""Faults of values on their way: the same in Read and in subscriptions, and in exact rows."""

from typing import Any

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import read, read_value
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.injecting import active, clear, inject
from tests.server.opcua.inside import comes_true
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item, statuses
from twincell.server.opcua.fault.chance import chance
from twincell.server.opcua.fault.protocol_fault import SignalFault
from twincell.server.opcua.fault.protocol_faults import MOST_OVER

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK, TIME = "Simulation.Tick", "Simulation.Time"
BAD = ua.StatusCodes.BadSensorFailure


async def every_tick(client: Client, *signals: str, **terms: Any) -> RawClient:
    """A client that gets every sample, and has got the newest one."""
    raw = RawClient(client)
    items = [item(name, k, 1.0, 10_000, EVERY_SAMPLE) for k, name in enumerate(signals)]
    await raw.monitored(*items, **terms)
    for k in range(len(signals)):
        await raw.hear(k, 1)
    return raw


# ---------------------------------------------------------------- bad


async def test_a_bad_signal_keeps_its_last_value_and_the_time_of_that(
    cell: InProcess, client: Client
) -> None:
    cell.tick(10)
    (before,) = await read(client, TICK)
    await inject(client, "bad", TICK)
    cell.tick(5)
    (bad,) = await read(client, TICK)
    assert (bad.StatusCode.value, bad.Value.Value) == (BAD, 10)
    assert bad.SourceTimestamp == before.SourceTimestamp
    await clear(client)
    assert await read_value(client, TICK) == 15


async def test_a_subscription_tells_once_that_a_signal_is_bad_and_goes_on_after_it(
    cell: InProcess, client: Client
) -> None:
    raw = await every_tick(client, TICK)
    cell.tick(3)
    await inject(client, "bad", TICK)
    cell.tick(4)
    await raw.hear(0, 5)
    assert raw.told(0) == [0, 1, 2, 3, 3]
    assert statuses(raw.values[0]) == [0, 0, 0, 0, BAD]
    cell.tick(4)
    await clear(client)
    cell.tick(2)
    await raw.hear(0, 7)
    assert raw.told(0)[5:] == [12, 13]  # ticks 4 to 11 were bad
    assert statuses(raw.values[0])[5:] == [0, 0]


async def test_a_bad_signal_is_told_of_while_the_cell_stands_still(
    cell: InProcess, client: Client
) -> None:
    raw = await every_tick(client, TICK)
    await inject(client, "bad", TICK)
    await raw.hear(0, 2)
    await clear(client)
    await raw.hear(0, 3)
    assert statuses(raw.values[0]) == [0, BAD, 0]
    assert raw.told(0) == [0, 0, 0]


async def test_a_fault_between_two_messages_is_told_of_in_its_place(
    cell: InProcess, client: Client
) -> None:
    """However seldom a client publishes, it hears which ticks were bad."""
    raw = await every_tick(client, TICK)
    cell.tick(3)
    await inject(client, "bad", TICK)
    cell.tick(3)
    await clear(client)
    cell.tick(3)
    await raw.hear(0, 8)
    assert raw.told(0) == [0, 1, 2, 3, 3, 7, 8, 9]
    assert statuses(raw.values[0]) == [0, 0, 0, 0, BAD, 0, 0, 0]


async def test_an_item_created_on_a_bad_signal_begins_bad(cell: InProcess, client: Client) -> None:
    cell.tick(3)
    await inject(client, "bad", TICK)
    cell.tick(3)
    raw = await every_tick(client, TICK)
    assert (statuses(raw.values[0]), raw.told(0)) == ([BAD], [3])
    await clear(client)
    cell.tick(1)
    await raw.hear(0, 2)
    assert (statuses(raw.values[0]), raw.told(0)) == ([BAD, 0], [3, 7])


async def test_texts_and_structures_are_bad_with_their_last_value(
    cell: InProcess, client: Client
) -> None:
    cell.tick(2)
    await inject(client, "bad", "Tool1.*")
    raw = await every_tick(client, "Tool1.Partner", "Tool1.Pose", "Tool2.Partner")
    assert raw.told(0) == ["Holder1"]
    assert [statuses(raw.values[k]) for k in range(3)] == [[BAD], [BAD], [0]]
    assert cell.newest("Tool1.Pose.X") == raw.told(1)[0].CartesianCoordinates.X


async def test_a_structure_is_bad_with_any_of_its_numbers_and_bulk_is_not(
    cell: InProcess, client: Client
) -> None:
    await inject(client, "bad", "Tool1.Pose.X")
    names = ("Tool1.Pose.X", "Tool1.Pose", "Tool1.Pose.CartesianCoordinates", "Tool1.Pose.Y")
    values = await read(client, *names, "Tool1.Pose.Orientation", "Bulk.Poses")
    assert statuses(values) == [BAD, BAD, BAD, 0, 0, 0]
    await inject(client, "bad", "Bulk.*")
    values = await read(client, "Bulk.Poses", "Bulk.Flags", "Tool1.Force")
    assert statuses(values) == [BAD, BAD, 0]


async def test_the_loop_that_is_down_counts_more_than_a_fault(
    cell: InProcess, client: Client
) -> None:
    await inject(client, "bad", TICK)
    cell.beats = False
    cell.link.vitals["beat_ns"] = 0
    (value,) = await read(client, TICK)
    assert value.StatusCode.name == "BadNoCommunication"
    assert value.Value.Value is None


# ---------------------------------------------------------------- delay


async def test_a_delayed_signal_is_that_of_so_many_ticks_ago(
    cell: InProcess, client: Client
) -> None:
    cell.tick(10)
    await inject(client, "delay", TICK, 20)
    cell.tick(5)
    assert await read_value(client, TICK) == 10  # nothing has arrived since
    cell.tick(35)
    late, on_time = await read(client, TICK, TIME)
    assert (late.Value.Value, on_time.Value.Value) == (30, 0.05)
    assert (on_time.SourceTimestamp - late.SourceTimestamp).total_seconds() == 0.02
    await clear(client)
    assert await read_value(client, TICK) == 50


async def test_a_delayed_stream_is_late_but_complete(cell: InProcess, client: Client) -> None:
    raw = await every_tick(client, TICK, TIME)
    await inject(client, "delay", TICK, 30)
    cell.tick(50)
    await raw.hear(1, 51)
    await raw.hear(0, 21)
    assert raw.told(0) == list(range(21))
    await clear(client)
    await raw.hear(0, 51)
    assert raw.told(0) == list(range(51))


# ---------------------------------------------------------------- jitter


async def test_jitter_is_irregular_and_keeps_the_stream_complete(
    cell: InProcess, client: Client
) -> None:
    raw = await every_tick(client, TICK)
    await inject(client, "jitter", TICK, 20)
    behind = []
    for _ in range(60):
        cell.tick(7)
        behind.append(cell.newest_tick - await read_value(client, TICK))
    assert min(behind) >= 0
    assert max(behind) <= 20
    assert len(set(behind)) > 5
    await clear(client)
    await raw.hear(0, 421)
    assert raw.told(0) == list(range(421))


# ---------------------------------------------------------------- drop


async def test_dropped_samples_are_left_out_the_same_ones_for_everybody(
    cell: InProcess, client: Client
) -> None:
    first, second = await every_tick(client, TICK), await every_tick(await cell.client(), TICK)
    cell.tick(2)
    await inject(client, "drop", TICK, 0.3)
    for _ in range(10):
        cell.tick(10)
        await first.next_message()
    await clear(client)
    cell.tick(1)
    for raw in (first, second):
        await raw.listen(lambda raw=raw: raw.told(0)[-1] == 103)
    assert first.told(0) == second.told(0)
    lost = set(range(104)) - set(first.told(0))
    assert 15 <= len(lost) <= 45  # 30 of 100 expected, within three standard deviations
    assert lost <= set(range(3, 103))
    assert set(statuses(first.values[0])) == {0}  # nothing tells that samples are lost


async def test_a_signal_of_which_all_is_dropped_stands_still(
    cell: InProcess, client: Client
) -> None:
    cell.tick(5)
    await inject(client, "drop", TICK, 1.0)
    cell.tick(40)
    (value,) = await read(client, TICK)
    assert (value.Value.Value, value.StatusCode.value) == (5, 0)
    raw = await every_tick(client, TICK)
    assert raw.told(0) == [5]


async def test_reading_a_signal_with_drops_gives_the_last_one_that_came(
    cell: InProcess, client: Client
) -> None:
    await inject(client, "drop", TICK, 0.7)
    (fault,) = cell.server.faults.acting
    for tick in range(1, 30):
        cell.tick(1)
        came = [k for k in range(1, tick + 1) if chance(fault.seed, k - 1) >= 0.7]
        assert await read_value(client, TICK) == max(came, default=0)


async def test_which_rows_are_lost_is_found_out_once_for_all_signals_of_a_request(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of chances are drawn for it, while everybody else waits."""
    await inject(client, "drop", "Tool1.*", 0.5)
    await inject(client, "drop", "Tool1.Force.*", 0.5)
    cell.tick(50)
    looked_at: list[SignalFault] = []
    loses = SignalFault.loses
    monkeypatch.setattr(
        SignalFault, "loses", lambda fault, rows: looked_at.append(fault) or loses(fault, rows)
    )
    names = [f"Tool1.{what}.{axis}" for what in ("Pose", "Force") for axis in "XYZ"]
    together = await read(client, *names)
    assert len(looked_at) == 1 + 2  # one fault of poses, two of forces
    apart = [(await read(client, name))[0] for name in names]
    assert [one.SourceTimestamp for one in together] == [one.SourceTimestamp for one in apart]


async def test_a_change_that_was_dropped_is_told_with_the_next_sample(
    cell: InProcess, client: Client
) -> None:
    raw = RawClient(client)
    await raw.monitored(item("Robot1Flange.IsClosed", 0))
    await raw.hear(0, 1)
    await inject(client, "drop", "Robot1Flange.*", 1.0)
    cell.link.commands.put([(cell.column("Robot1Flange.Closed"), 1.0)])
    cell.tick(20)
    await clear(client)
    cell.tick(1)
    await raw.hear(0, 2)
    assert raw.told(0) == [False, True]


# ---------------------------------------------------------------- several, and their ends


async def test_other_signals_and_their_streams_notice_nothing(
    cell: InProcess, client: Client
) -> None:
    sound = await every_tick(await cell.client("sound"), TIME, "Tool1.Pose.X")
    ill = await every_tick(client, TICK)
    await inject(client, "delay", TICK, 10)
    await inject(client, "drop", TICK, 0.5)
    await inject(client, "bad", "Tool2.*")
    for _ in range(20):
        cell.tick(10)
        await sound.next_message()
    await sound.hear(0, 201)
    await sound.hear(1, 201)
    assert sound.told(0) == pytest.approx([k * 0.001 for k in range(201)])
    assert set(statuses(sound.values[0])) == {0}
    await ill.listen(lambda: ill.told(0)[-1] > 180)
    assert 60 < len(ill.told(0)) < 140


async def test_faults_of_one_signal_add_up(cell: InProcess, client: Client) -> None:
    await inject(client, "delay", TICK, 10)
    await inject(client, "delay", "Simulation.*", 15)
    cell.tick(100)
    assert await read_value(client, TICK) == 75
    assert await read_value(client, TIME) == 0.085
    await inject(client, "bad", "Simulation.T?ck")
    (value,) = await read(client, TICK)
    assert value.StatusCode.value == BAD


async def test_a_fault_ends_by_itself(cell: InProcess, client: Client) -> None:
    await inject(client, "bad", TICK, seconds=0.2)
    await inject(client, "delay", TIME, 100, seconds=600)
    assert await active(client) == [f"bad {TICK}", f"delay {TIME} = 100 ms"]
    await comes_true(lambda: len(cell.server.faults.acting) == 1)
    assert await active(client) == [f"delay {TIME} = 100 ms"]
    assert await read_value(client, TICK) == 0


async def test_an_amount_of_nothing_clears_one_fault(cell: InProcess, client: Client) -> None:
    await inject(client, "bad", TICK)
    await inject(client, "bad", TIME)
    await inject(client, "bad", TICK, 0.0)
    assert await active(client) == [f"bad {TIME}"]


async def test_a_fault_injected_again_replaces_the_one_before(
    cell: InProcess, client: Client
) -> None:
    for amount in (10, 20):
        await inject(client, "delay", TICK, amount)
    assert await active(client) == [f"delay {TICK} = 20 ms"]
    cell.tick(100)
    assert await read_value(client, TICK) == 80


async def test_what_is_over_is_forgotten_when_the_ring_has_come_around(
    cell: InProcess, client: Client
) -> None:
    await inject(client, "bad", TICK)
    *_, fault = cell.server.faults.of_signals[TICK]
    cell.tick(1)
    await clear(client)
    while cell.link.ring.oldest <= fault.first:
        assert fault in cell.server.faults.of_signals[TICK]
        cell.tick(1000)
    await comes_true(lambda: TICK not in cell.server.faults.of_signals)
    assert await read_value(client, TICK) == cell.newest_tick


async def test_an_item_that_only_samples_has_the_faults_too(
    cell: InProcess, client: Client
) -> None:
    raw = RawClient(client)
    sampling = ua.MonitoringMode.Sampling
    subscription, numbers = await raw.monitored(
        item(TICK, 0, 1.0, 100, EVERY_SAMPLE, mode=sampling), item("Robot1Flange.IsClosed", 1)
    )
    await raw.hear(1, 1)
    links = ua.SetTriggeringParameters(subscription.SubscriptionId, numbers[1], [numbers[0]], [])
    await raw.ask(ua.SetTriggeringRequest(), links)
    cell.tick(2)
    await inject(client, "bad", TICK)
    cell.tick(2)
    await clear(client)
    cell.link.commands.put([(cell.column("Robot1Flange.Closed"), 1.0)])
    cell.tick(1)
    await raw.hear(0, 5)
    assert raw.told(0) == [0, 1, 2, 2, 5]
    assert statuses(raw.values[0]) == [0, 0, 0, BAD, 0]


async def test_thousands_of_items_are_moved_in_steps_and_miss_nothing(
    cell: InProcess, client: Client
) -> None:
    sound = await every_tick(await cell.client("sound"), TIME)
    ill = RawClient(client)
    await ill.monitored(*(item(TICK, k, 1.0, 100, EVERY_SAMPLE) for k in range(1_000)))
    await ill.listen(lambda: all(len(ill.values[k]) == 1 for k in range(1_000)))
    cell.tick(3)
    await inject(client, "bad", TICK)
    cell.tick(3)
    await clear(client)
    cell.tick(3)
    await ill.listen(lambda: all(len(ill.values[k]) == 8 for k in range(1_000)))
    assert all(ill.told(k) == [0, 1, 2, 3, 3, 7, 8, 9] for k in range(1_000))
    await sound.hear(0, 10)
    assert set(statuses(sound.values[0])) == {0}


async def test_faults_that_come_and_go_by_the_hundred_are_not_all_remembered(
    cell: InProcess, client: Client
) -> None:
    for _ in range(MOST_OVER + 20):
        await inject(client, "bad", TICK)
        cell.tick(1)
        await clear(client)
    assert len(cell.server.faults.of_signals[TICK]) == MOST_OVER
    cell.tick(1)
    assert await read_value(client, TICK) == cell.newest_tick

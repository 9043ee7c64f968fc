"""Forced signals: a chosen value for all clients, and a chosen command for the cell."""

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call_status, change, read, read_value, write
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.injecting import active, clear
from tests.server.opcua.inside import comes_true
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item, statuses
from twincell.server.opcua.fault.protocol_faults import MOST_FAULTS
from twincell.server.realtime.shared.vitals import LoopState
from twincell.sim.signals import Kind

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORCED = ua.StatusCodes.GoodLocalOverride
FORCE_Z = "Tool1.Force.Z"


async def force(client: Client, name: str, value: float, seconds: float = 0.0) -> str:
    arguments = (name, float(value), float(seconds))
    return await call_status(client, "Simulation.ForceSignal", *arguments)


async def release(client: Client, name: str) -> str:
    return await call_status(client, "Simulation.ReleaseSignal", name)


async def test_everybody_reads_a_forced_value_with_a_status_of_its_own_until_it_is_released(
    cell: InProcess, client: Client
) -> None:
    other = await cell.client()
    cell.tick(10)
    true = await read_value(client, FORCE_Z)
    assert await force(client, FORCE_Z, 12.5) == "Good"
    cell.tick(1)
    for who in (client, other):
        seen, time = await read(who, FORCE_Z, "Simulation.Time")
        assert (seen.StatusCode.value, seen.Value.Value) == (FORCED, 12.5)
        assert seen.SourceTimestamp == time.SourceTimestamp  # it is a value of now
    assert await active(client) == [f"force {FORCE_Z} = 12.5 N"]
    assert await release(client, FORCE_Z) == "Good"
    cell.tick(1)
    (seen,) = await read(client, FORCE_Z)
    assert (seen.StatusCode.value, seen.Value.Value) == (0, pytest.approx(true))
    assert await active(client) == []
    assert await release(client, FORCE_Z) == "BadNotFound"


async def test_zero_is_a_value_like_any_other_and_the_cell_itself_is_not_touched(
    cell: InProcess, client: Client
) -> None:
    cell.tick(10)
    assert await force(client, FORCE_Z, 0.0) == "Good"
    cell.tick(5)
    assert await read_value(client, FORCE_Z) == 0.0
    assert cell.newest(FORCE_Z) != 0.0
    await clear(client)
    cell.tick(1)
    assert await read_value(client, FORCE_Z) != 0.0


async def test_a_vector_shows_a_forced_number_among_those_of_the_cell(
    cell: InProcess, client: Client
) -> None:
    assert await force(client, "Tool1.Pose.X", 7.0) == "Good"
    cell.tick(1)
    names = ("Tool1.Pose", "Tool1.Pose.CartesianCoordinates", "Tool1.Pose.Y", "Bulk.Poses")
    pose, place, y, bulk = await read(client, *names)
    assert statuses([pose, place, y, bulk]) == [FORCED, FORCED, 0, FORCED]
    assert pose.Value.Value.CartesianCoordinates.X == place.Value.Value.X == 7.0
    assert place.Value.Value.Y == y.Value.Value == cell.newest("Tool1.Pose.Y")
    assert 7.0 in bulk.Value.Value


async def test_a_subscription_gets_exactly_the_ticks_that_were_forced(
    cell: InProcess, client: Client
) -> None:
    raw = RawClient(client)
    await raw.monitored(item(FORCE_Z, 0, 1.0, 1000, EVERY_SAMPLE), item(FORCE_Z, 1, 1.0, 1000))
    await raw.hear(0, 1)
    cell.tick(2)
    assert await force(client, FORCE_Z, 3.0) == "Good"
    cell.tick(3)
    assert await force(client, FORCE_Z, 4.0) == "Good"
    cell.tick(1)
    assert await release(client, FORCE_Z) == "Good"
    cell.tick(2)
    await raw.hear(0, 9)
    assert statuses(raw.values[0]) == [0, 0, 0, FORCED, FORCED, FORCED, FORCED, 0, 0]
    assert raw.told(0)[3:7] == [3.0, 3.0, 3.0, 4.0]
    # who wants changes only hears of each once
    changes = [(one.StatusCode.value, one.Value.Value) for one in raw.values[1]]
    assert [one for one in changes if one[0] == FORCED] == [(FORCED, 3.0), (FORCED, 4.0)]
    assert changes[-1][0] == 0


async def test_a_force_ends_by_itself(cell: InProcess, client: Client) -> None:
    assert await force(client, FORCE_Z, 1.0, seconds=0.05) == "Good"
    assert await active(client) == [f"force {FORCE_Z} = 1 N"]

    await comes_true(lambda: not cell.server.faults.acting)
    assert await active(client) == []


async def test_a_forced_command_is_what_the_cell_gets_whoever_writes_it(
    cell: InProcess, client: Client
) -> None:
    name = "Robot1Flange.Closed"
    other = await cell.client()
    cell.tick(1)
    assert await force(client, name, 1.0) == "Good"
    cell.tick(1)
    assert cell.newest(name) == 1.0
    assert await active(client) == [f"force {name} = true"]
    await write(other, change(name, False))  # it is told Good, as ever
    cell.tick(2)
    assert cell.newest(name) == 1.0
    (seen,) = await read(client, name)
    assert (seen.StatusCode.value, seen.Value.Value) == (0, True)  # it is so

    assert await force(client, name, 0.0) == "Good"
    cell.tick(1)
    await write(other, change(name, True))
    assert await release(client, name) == "Good"
    cell.tick(1)
    assert cell.newest(name) == 1.0  # what was written meanwhile


async def test_a_released_command_is_again_what_it_was_before(
    cell: InProcess, client: Client
) -> None:
    name = "Robot1Flange.Closed"
    assert await force(client, name, 1.0) == "Good"
    cell.tick(1)
    await clear(client)
    cell.tick(1)
    assert cell.newest(name) == 0.0


async def test_what_was_written_before_a_reset_does_not_come_back_after_a_force(
    cell: InProcess, client: Client
) -> None:
    name = "Robot1Flange.Closed"
    await write(client, change(name, True))
    cell.tick(1)
    assert await call_status(client, "Simulation.Reset") == "Good"
    assert await force(client, name, 1.0) == "Good"
    cell.tick(1)
    assert await release(client, name) == "Good"
    cell.tick(1)
    assert cell.newest(name) == 0.0


async def test_a_released_command_is_what_it_was_once_there_is_room_for_it(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "Robot1Flange.Closed"
    assert await force(client, name, 1.0) == "Good"
    cell.tick(1)
    with monkeypatch.context() as full:
        full.setattr(cell.link.commands, "put", lambda _: False)
        assert await release(client, name) == "Good"
    cell.tick(1)
    await comes_true(lambda: cell.link.commands.waiting > 0)
    cell.tick(1)
    assert cell.newest(name) == 0.0


async def test_that_the_cell_has_stopped_counts_more_than_a_force(
    cell: InProcess, client: Client
) -> None:
    assert await force(client, FORCE_Z, 3.0) == "Good"
    cell.tick(1)
    cell.link.vitals["state"] = LoopState.FAULT
    (seen,) = await read(client, FORCE_Z)
    assert (seen.StatusCode.name, seen.Value.Value) == ("UncertainLastUsableValue", 3.0)


async def test_a_forced_command_outlives_a_reset(cell: InProcess, client: Client) -> None:
    name = "Robot1Flange.Closed"
    assert await force(client, name, 1.0) == "Good"
    cell.tick(3)
    assert await call_status(client, "Simulation.Reset") == "Good"

    def is_held() -> bool:
        cell.tick(1)
        return cell.newest(name) == 1.0

    await comes_true(is_held)


async def test_what_cannot_be_forced_is_refused(cell: InProcess, client: Client) -> None:
    assert await force(client, "Tool1.Force.W", 1.0) == "BadNotFound"
    assert await force(client, "Tool1.Partner", 1.0) == "BadInvalidArgument"
    assert await force(client, "Robot1Flange.Closed", 0.5) == "BadInvalidArgument"
    assert await force(client, FORCE_Z, 1.0, seconds=-1.0) == "BadInvalidArgument"
    assert await active(client) == []
    refused = ("force", FORCE_Z, 1.0, 0.0)
    status = await call_status(client, "Simulation.InjectProtocolFault", *refused)
    assert status == "BadInvalidArgument"


async def test_what_was_written_just_before_a_force_comes_back_when_it_is_released(
    cell: InProcess, client: Client
) -> None:
    name = "Robot1Flange.Closed"
    cell.tick(1)
    await write(client, change(name, True))  # no tick has latched it yet
    assert await force(client, name, 0.0) == "Good"
    cell.tick(2)  # one change of a command a tick
    assert cell.newest(name) == 0.0
    assert await release(client, name) == "Good"
    cell.tick(1)
    assert cell.newest(name) == 1.0


async def test_what_was_written_and_latched_while_the_cell_stood_still_comes_back_too(
    cell: InProcess, client: Client
) -> None:
    name = "Robot1Flange.Closed"
    cell.tick(1)
    await write(client, change(name, True))
    cell.latch()
    cell.server.faults.look()
    assert await force(client, name, 0.0) == "Good"
    assert await release(client, name) == "Good"
    cell.tick(4)  # one change of a command a tick
    assert cell.newest(name) == 1.0


async def test_a_command_that_is_forced_anew_before_a_tick_is_what_it_was_at_first(
    cell: InProcess, client: Client
) -> None:
    name = "Robot1Flange.Closed"
    assert await force(client, name, 1.0) == "Good"
    cell.tick(1)
    for _ in range(2):
        assert await release(client, name) == "Good"
        assert await force(client, name, 1.0) == "Good"
    assert await release(client, name) == "Good"
    cell.tick(8)  # one change of a command a tick
    assert cell.newest(name) == 0.0


async def test_a_refused_write_changes_nothing_of_a_forced_command(
    cell: InProcess, client: Client
) -> None:
    name = "Robot1Flange.Closed"
    observer = await cell.client(user="observer")
    assert await force(client, name, 1.0) == "Good"
    cell.tick(1)
    assert await write(observer, change(name, True)) == ["BadUserAccessDenied"]
    assert await release(client, name) == "Good"
    cell.tick(1)
    assert cell.newest(name) == 0.0


@pytest.mark.parametrize("user", [None, "observer", "operator"])
async def test_only_engineers_force_and_release(
    cell: InProcess, client: Client, user: str | None
) -> None:
    other = await cell.client(user=user)
    assert await force(other, FORCE_Z, 1.0) == "BadUserAccessDenied"
    assert await force(client, FORCE_Z, 1.0) == "Good"
    assert await release(other, FORCE_Z) == "BadUserAccessDenied"
    assert await active(client) == [f"force {FORCE_Z} = 1 N"]


async def test_when_there_are_too_many_faults_a_command_is_not_forced_either(
    cell: InProcess, client: Client
) -> None:
    names = [one.name for one in cell.signals if one.kind is Kind.DOUBLE][:MOST_FAULTS]
    for name in names:
        assert await force(client, name, 1.0) == "Good"
    cell.tick(1)
    before = cell.newest("Robot1Flange.Closed")
    assert await force(client, "Robot1Flange.Closed", 1.0 - before) == "BadResourceUnavailable"
    assert await force(client, names[0], 2.0) == "Good"  # one that is forced may be forced anew
    cell.tick(1)
    assert cell.newest("Robot1Flange.Closed") == before

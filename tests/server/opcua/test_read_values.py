"""Reading values of rows: from the newest one, all from the same, with its time and its status."""

from datetime import UTC, datetime

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import read, read_status, read_value
from tests.server.opcua.in_process import InProcess
from twincell.server.opcua.wire.wire_time import to_datetime
from twincell.server.realtime.shared.vitals import LoopState

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_value_is_that_of_the_newest_row(cell: InProcess, client: Client) -> None:
    cell.tick(41)
    assert await read_value(client, "Simulation.Tick") == 41
    assert await read_value(client, "Simulation.Time") == 0.041
    assert await read_value(client, "Tool1.Force.Z") == cell.newest("Tool1.Force.Z")


async def test_every_kind_of_value_has_its_type(cell: InProcess, client: Client) -> None:
    names = ("Tool1.Pose.X", "Robot1.Moving", "Holder1.Holding", "Tool1.Partner", "Simulation.Tick")
    types = [value.Value.VariantType.name for value in await read(client, *names)]
    assert types == ["Double", "Boolean", "Int32", "String", "Int64"]
    assert await read_value(client, "Tool1.Partner") == "Holder1"
    assert await read_value(client, "Robot1.Moving") is False


async def test_a_pose_is_read_as_one_structure(cell: InProcess, client: Client) -> None:
    frame = await read_value(client, "Tool1.Pose")
    assert isinstance(frame, ua.ThreeDFrame)
    place = frame.CartesianCoordinates
    for axis in "XYZ":
        assert getattr(place, axis) == cell.newest(f"Tool1.Pose.{axis}")


async def test_an_array_has_an_element_a_joint(cell: InProcess, client: Client) -> None:
    positions = await read_value(client, "Robot1.JointPosition")
    assert positions == [cell.newest(f"Robot1.JointPosition.{k}") for k in range(1, 7)]


async def test_bulk_flags_are_all_booleans_as_bits(cell: InProcess, client: Client) -> None:
    names = await read_value(client, "Bulk.Flags.Layout")
    words = await read_value(client, "Bulk.Flags")
    bits = [bool(words[k // 32] >> k % 32 & 1) for k in range(len(names))]
    assert bits == [cell.newest(name) > 0.5 for name in names]


async def test_all_values_of_a_request_come_from_the_same_row(
    cell: InProcess, client: Client
) -> None:
    cell.runs = True
    names = ["Simulation.Tick", "Simulation.Time", "Tool1.Pose", "Bulk.Poses"] * 50
    for _ in range(10):
        values = await read(client, *names)
        assert len({value.SourceTimestamp for value in values}) == 1
        assert len({value.Value.Value for value in values[::4]}) == 1


async def test_the_source_time_is_the_row_s_stamp(cell: InProcess, client: Client) -> None:
    (value,) = await read(client, "Tool1.Pose.X")
    assert value.SourceTimestamp == to_datetime(cell.newest_stamp)


@pytest.mark.parametrize(
    ("stamps", "has_source", "has_server"),
    [
        ("Source", True, False),
        ("Server", False, True),
        ("Both", True, True),
        ("Neither",) + (False,) * 2,
    ],
)
async def test_only_the_times_asked_for_are_returned(
    client: Client, stamps: str, has_source: bool, has_server: bool
) -> None:
    asked = ua.TimestampsToReturn[stamps]
    for name in ("Tool1.Pose.X", "Simulation.State", "Tool1.Eta"):
        (value,) = await read(client, name, stamps=asked)
        if name != "Tool1.Eta":
            assert (value.SourceTimestamp is not None) == has_source
        assert (value.ServerTimestamp is not None) == has_server
        if has_server:
            assert abs((datetime.now(UTC) - value.ServerTimestamp).total_seconds()) < 10


async def test_values_are_bad_when_the_loop_has_ended(cell: InProcess, client: Client) -> None:
    cell.link.vitals["state"] = LoopState.DOWN
    (value,) = await read(client, "Tool1.Pose.X")
    assert value.StatusCode.name == "BadNoCommunication"
    assert value.Value.Value is None
    assert await read_value(client, "Simulation.State") == "Down"


async def test_values_are_bad_when_the_loop_gives_no_sign_of_life(
    cell: InProcess, client: Client
) -> None:
    cell.beats = False
    cell.link.vitals["beat_ns"] -= 1_100_000_000
    assert await read_status(client, "Tool1.Pose.X") == "BadNoCommunication"
    cell.beats = True
    cell.link.vitals["beat_ns"] += 1_100_000_000
    assert await read_status(client, "Tool1.Pose.X") == "Good"


async def test_values_are_the_last_usable_ones_after_a_fault(
    cell: InProcess, client: Client
) -> None:
    cell.link.vitals["state"] = LoopState.FAULT
    (value,) = await read(client, "Tool1.Pose.X")
    assert value.StatusCode.name == "UncertainLastUsableValue"
    assert value.Value.Value == cell.newest("Tool1.Pose.X")


async def test_a_paused_cell_has_good_values(cell: InProcess, client: Client) -> None:
    cell.link.vitals["state"] = LoopState.PAUSED
    assert await read_status(client, "Tool1.Pose.X") == "Good"


async def test_constants_do_not_depend_on_the_loop(cell: InProcess, client: Client) -> None:
    cell.link.vitals["state"] = LoopState.DOWN
    assert await read_value(client, "Tool1.Eta") == 50.0


async def test_values_wait_for_the_first_row() -> None:
    async with InProcess("static_object", begin=False) as cell:
        client = await cell.client()
        assert await read_status(client, "Tool1.Force.Z") == "BadWaitingForInitialData"
        cell.begin()
        assert await read_value(client, "Tool1.Force.Z") == pytest.approx(9.81, abs=1e-9)

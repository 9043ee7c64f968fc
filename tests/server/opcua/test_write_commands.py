"""Writing commands: latched by the next tick, those of one request together."""

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import change, read_value, write
from tests.server.opcua.in_process import InProcess
from twincell.server.realtime.shared.vitals import LoopState

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLOSED = "Robot1Flange.Closed"
TARGETS = [f"Robot1.JointTarget.{k}" for k in range(1, 7)]


async def test_a_command_takes_effect_at_the_next_tick(cell: InProcess, client: Client) -> None:
    assert await write(client, change(CLOSED, True)) == ["Good"]
    assert await read_value(client, CLOSED) is False
    cell.tick()
    assert await read_value(client, CLOSED) is True
    assert await read_value(client, "Robot1Flange.IsClosed") is True


async def test_the_values_of_one_request_take_effect_together(
    cell: InProcess, client: Client
) -> None:
    names = [CLOSED, "Robot2Flange.Closed", "Robot1.JointTarget.1", "Robot1.JointSetPoint"]
    changes = [
        change(CLOSED, True),
        change("Robot2Flange.Closed", True),
        change("Robot1.JointTarget.1", 0.001),
        change("Robot1.JointSetPoint", 7, ua.VariantType.Int32),
    ]
    assert await write(client, *changes) == ["Good"] * 4
    cell.tick()
    assert [cell.newest(name) for name in names] == [1.0, 1.0, 0.001, 7.0]


async def test_two_requests_within_a_tick_make_a_pulse_of_one_tick(
    cell: InProcess, client: Client
) -> None:
    await write(client, change(CLOSED, True))
    await write(client, change(CLOSED, False))
    cell.tick()
    assert cell.newest(CLOSED) == 1.0
    cell.tick()
    assert cell.newest(CLOSED) == 0.0


async def test_of_two_values_in_one_request_the_last_one_counts(
    cell: InProcess, client: Client
) -> None:
    changes = [change(CLOSED, True), change(CLOSED, False), change(CLOSED, True)]
    assert await write(client, *changes) == ["Good"] * 3
    cell.tick(2)
    assert cell.newest(CLOSED) == 1.0


async def test_good_values_are_taken_though_others_are_bad(cell: InProcess, client: Client) -> None:
    changes = [change("Nobody", 1.0), change(CLOSED, True), change("Tool1.Pose.X", 1.0)]
    assert await write(client, *changes) == ["BadNodeIdUnknown", "Good", "BadNotWritable"]
    cell.tick()
    assert cell.newest(CLOSED) == 1.0


async def test_a_client_that_sends_times_is_not_refused(cell: InProcess, client: Client) -> None:
    await client.get_node(cell.id(CLOSED)).write_value(True)  # asyncua sends the time of its own
    cell.tick()
    assert cell.newest(CLOSED) == 1.0


@pytest.mark.parametrize("type_", [ua.VariantType.Double, ua.VariantType.Float])
async def test_numbers_may_be_float_or_double(
    cell: InProcess, client: Client, type_: ua.VariantType
) -> None:
    numbers = [0.5, 0.25, 0.125, 0.0, 1.0, -2.0]  # exact as Float too
    assert await write(client, change(TARGETS[0], 0.75, type_)) == ["Good"]
    cell.tick()
    assert cell.newest(TARGETS[0]) == 0.75
    assert await write(client, change("Robot1.JointTarget", numbers, type_)) == ["Good"]
    cell.tick()
    assert [cell.newest(name) for name in TARGETS] == numbers


async def test_a_pose_is_written_as_one_structure(cell: InProcess, client: Client) -> None:
    place, angles = (
        ua.ThreeDCartesianCoordinates(0.1, 0.2, 0.3),
        ua.ThreeDOrientation(1.0, 2.0, 3.0),
    )
    assert await write(client, change("Robot1.TcpTarget", ua.ThreeDFrame(place, angles))) == [
        "Good"
    ]
    cell.tick()
    names = [f"Robot1.TcpTarget.{c}" for c in "XYZABC"]
    assert [cell.newest(name) for name in names] == [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("text", "value", "changed"),
    [
        ("1:2", [9.0, 8.0], {1: 9.0, 2: 8.0}),
        ("5", [7.0], {5: 7.0}),
        ("0", 6.0, {0: 6.0}),  # one element as a scalar
    ],
)
async def test_some_elements_of_an_array_are_written(
    cell: InProcess,
    client: Client,
    text: str,
    value: float | list[float],
    changed: dict[int, float],
) -> None:
    before = [cell.newest(name) for name in TARGETS]
    assert await write(client, change("Robot1.JointTarget", value, index_range=text)) == ["Good"]
    cell.tick()
    expected = [changed.get(k, old) for k, old in enumerate(before)]
    assert [cell.newest(name) for name in TARGETS] == expected


async def test_all_switches_are_written_as_bits(cell: InProcess, client: Client) -> None:
    names = await read_value(client, "Bulk.Commands.Layout")
    word = 1 << names.index(CLOSED) | 1 << names.index("Robot2.Stop")
    for index_range in (None, "0"):
        changes = change("Bulk.Commands", [word], ua.VariantType.UInt32, index_range)
        assert await write(client, changes) == ["Good"]
        cell.tick()
        assert [n for n in names if cell.newest(n)] == [CLOSED, "Robot2.Stop"]
        await write(client, change("Bulk.Commands", [0], ua.VariantType.UInt32))
        cell.tick()
        assert not [n for n in names if cell.newest(n)]


async def test_all_numbers_are_written_as_one_array(cell: InProcess, client: Client) -> None:
    names = await read_value(client, "Bulk.CommandValues.Layout")
    numbers = await read_value(client, "Bulk.CommandValues")
    numbers[names.index("Robot2.JointTarget.3")] = 0.5
    numbers[names.index("Robot2.TcpSetPoint")] = 3.0
    assert await write(client, change("Bulk.CommandValues", numbers)) == ["Good"]
    cell.tick()
    assert [cell.newest(name) for name in names] == numbers


async def test_a_full_queue_takes_nothing(cell: InProcess, client: Client) -> None:
    queue = cell.link.commands
    while queue.put([(0, 0.0)] * 1024):
        pass
    while queue.put([(0, 0.0)]):
        pass
    changes = [change(CLOSED, True), change("Nobody", 1.0)]
    assert await write(client, *changes) == ["BadResourceUnavailable", "BadNodeIdUnknown"]
    queue.clear()
    cell.tick()
    assert cell.newest(CLOSED) == 0.0
    assert await read_value(client, "Cell.Control") == "nobody"


async def test_nothing_is_written_while_the_loop_is_down(cell: InProcess, client: Client) -> None:
    cell.link.vitals["state"] = LoopState.DOWN
    assert await write(client, change(CLOSED, True)) == ["BadNoCommunication"]
    assert cell.link.commands.waiting == 0


async def test_nothing_is_written_after_a_fault(cell: InProcess, client: Client) -> None:
    cell.link.vitals["state"] = LoopState.FAULT
    assert await write(client, change(CLOSED, True)) == ["BadInvalidState"]
    assert cell.link.commands.waiting == 0


async def test_commands_for_a_paused_cell_wait_for_its_next_tick(
    cell: InProcess, client: Client
) -> None:
    cell.link.vitals["state"] = LoopState.PAUSED
    assert await write(client, change(CLOSED, True)) == ["Good"]
    cell.tick()
    assert cell.newest(CLOSED) == 1.0

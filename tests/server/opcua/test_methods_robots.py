"""The methods of a robot: planned from where it holds, begun with the next tick."""

import asyncio
import math

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call, call_status, change, read_value, write
from tests.server.opcua.in_process import InProcess
from twincell.server.realtime.shared.vitals import LoopState

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOME = [math.radians(angle) for angle in (0, -33, 19, 0, 104, 0)]
NEARBY = [0.1, *HOME[1:]]
ABOVE_TOOL = [1.0, 0.0, 1.1]
UPRIGHT = [1.0, 0.0, 0.0, 0.0]
STOP = "Robot1.StopMove"


def positions(cell: InProcess) -> list[float]:
    return [cell.newest(f"Robot1.JointReference.{k}") for k in range(1, 7)]


def place(cell: InProcess) -> list[float]:
    return [cell.newest(f"Robot1.TcpPose.{axis}") for axis in "XYZ"]


def run_to_rest(cell: InProcess) -> int:
    """Run until the robot holds; how many ticks it moved."""
    first = cell.newest_tick
    cell.tick()
    assert cell.newest("Robot1.Moving") == 1.0
    while cell.newest("Robot1.Moving"):
        cell.tick()
        assert cell.newest_tick < first + 20_000
    return cell.newest_tick - first


async def test_move_joint(cell: InProcess, client: Client) -> None:
    assert await call_status(client, "Robot1.MoveJoint", NEARBY, 1.0) == "Good"
    run_to_rest(cell)
    assert positions(cell) == pytest.approx(NEARBY, abs=1e-9)
    assert cell.newest("Robot1.MoveCount") == 1.0


async def test_half_the_speed_takes_longer(cell: InProcess, client: Client) -> None:
    far = [1.0, *HOME[1:]]
    await call(client, "Robot1.MoveJoint", far, 1.0)
    fast = run_to_rest(cell)
    await call(client, "Robot1.MoveJoint", HOME, 0.25)
    assert run_to_rest(cell) > 1.5 * fast


async def test_move_joint_to_pose(cell: InProcess, client: Client) -> None:
    arguments = (ABOVE_TOOL, UPRIGHT, 0.5)
    assert await call_status(client, "Robot1.MoveJointToPose", *arguments) == "Good"
    run_to_rest(cell)
    cell.tick(500)  # a servo drive arrives a little later than its target
    assert place(cell) == pytest.approx(ABOVE_TOOL, abs=1e-3)


async def test_move_linear(cell: InProcess, client: Client) -> None:
    arguments = (ABOVE_TOOL, UPRIGHT, 0.5, 1.0)
    assert await call_status(client, "Robot1.MoveLinear", *arguments) == "Good"
    run_to_rest(cell)
    cell.tick(500)
    assert place(cell) == pytest.approx(ABOVE_TOOL, abs=1e-3)


async def test_move_via(cell: InProcess, client: Client) -> None:
    corner = [0.9, 0.0, 1.2, *UPRIGHT, 0.05]
    end = [0.9, 0.2, 1.2, *UPRIGHT, 0.0]
    assert await call_status(client, "Robot1.MoveVia", corner + end, 0.5, 1.0) == "Good"
    run_to_rest(cell)
    cell.tick(500)
    assert place(cell) == pytest.approx(end[:3], abs=1e-3)


async def test_numbers_may_be_floats(cell: InProcess, client: Client) -> None:
    target = ua.Variant([0.25, *HOME[1:]], ua.VariantType.Float)
    speed = ua.Variant(1.0, ua.VariantType.Float)
    assert await call_status(client, "Robot1.MoveJoint", target, speed) == "Good"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("MoveJoint", (HOME, 0.0)),  # no speed
        ("MoveJoint", (HOME, 1.5)),  # more than all of it
        ("MoveJoint", ([9.0, *HOME[1:]], 1.0)),  # beyond a limit
        ("MoveJointToPose", ([9.0, 0.0, 1.0], UPRIGHT, 1.0)),  # out of reach
        ("MoveJointToPose", (ABOVE_TOOL, [1.0, 1.0, 0.0, 0.0], 1.0)),  # no unit quaternion
        ("MoveLinear", (ABOVE_TOOL, UPRIGHT, -1.0, 1.0)),
        ("MoveLinear", (ABOVE_TOOL, UPRIGHT, 1.0, 0.0)),
        ("MoveVia", ([1.0, 0.0, 9.0, *UPRIGHT, 0.0], 1.0, 1.0)),
    ],
)
async def test_a_move_that_cannot_be_planned_is_out_of_range(
    cell: InProcess,
    client: Client,
    method: str,
    arguments: tuple[object, ...],
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert await call_status(client, f"Robot1.{method}", *arguments) == "BadOutOfRange"
    assert "Robot1: the move was refused: " in caplog.text
    cell.tick()
    assert cell.newest("Robot1.Moving") == 0.0
    assert await read_value(client, "Cell.Control") == "nobody"


@pytest.mark.parametrize("count", [0, 7, 9, 129 * 8])
async def test_points_of_a_path_have_eight_numbers_each(
    cell: InProcess, client: Client, count: int
) -> None:
    points = ua.Variant([0.0] * count, ua.VariantType.Double)
    result = await call(client, "Robot1.MoveVia", points, 1.0, 1.0)
    assert result.StatusCode.name == "BadInvalidArgument"
    assert [one.name for one in result.InputArgumentResults] == ["BadOutOfRange", "Good", "Good"]


async def test_a_moving_robot_takes_no_move(cell: InProcess, client: Client) -> None:
    assert await call_status(client, "Robot1.MoveJoint", NEARBY, 1.0) == "Good"
    # refused by the loop before the first tick, by the row after it
    assert await call_status(client, "Robot1.MoveJoint", HOME, 1.0) == "BadInvalidState"
    cell.tick()
    assert await call_status(client, "Robot1.MoveJoint", HOME, 1.0) == "BadInvalidState"
    run_to_rest(cell)
    assert positions(cell) == pytest.approx(NEARBY, abs=1e-9)


async def test_a_stopped_robot_takes_no_move(cell: InProcess, client: Client) -> None:
    await write(client, change("Robot1.Stop", True))
    cell.tick()
    assert await call_status(client, "Robot1.MoveJoint", NEARBY, 1.0) == "BadInvalidState"


async def test_each_robot_moves_by_itself(cell: InProcess, client: Client) -> None:
    assert await call_status(client, "Robot1.MoveJoint", NEARBY, 1.0) == "Good"
    assert await call_status(client, "Robot2.MoveJoint", NEARBY, 1.0) == "Good"
    cell.tick()
    assert [cell.newest(f"Robot{k}.Moving") for k in (1, 2)] == [1.0, 1.0]


async def test_a_paused_robot_begins_with_the_next_step(cell: InProcess, client: Client) -> None:
    await call(client, "Simulation.Pause")
    assert await call_status(client, "Robot1.MoveJoint", NEARBY, 1.0) == "Good"
    await call(client, "Simulation.Step", ua.Variant(2, ua.VariantType.UInt32))
    assert await read_value(client, "Robot1.Moving") is True


async def test_no_robot_moves_while_the_loop_is_down_or_the_cell_has_stopped(
    cell: InProcess, client: Client
) -> None:
    for state, expected in (("DOWN", "BadNoCommunication"), ("FAULT", "BadInvalidState")):
        cell.link.vitals["state"] = LoopState[state]
        assert await call_status(client, "Robot1.MoveJoint", NEARBY, 1.0) == expected
        assert await call_status(client, STOP) == expected


async def test_values_are_read_while_a_move_is_planned(cell: InProcess, client: Client) -> None:
    # out of reach from everywhere: the search tries all postures
    arguments = ([2.5, 0.0, 1.0], UPRIGHT, 1.0)
    planning = asyncio.create_task(call_status(client, "Robot1.MoveJointToPose", *arguments))
    reads = 0
    while not planning.done():
        await read_value(client, "Simulation.Tick")
        reads += 1
    assert await planning == "BadOutOfRange"
    assert reads > 1


# ---------------------------------------------------------------- stop


async def test_stop_move_waits_until_the_robot_holds_and_frees_it(
    cell: InProcess, client: Client
) -> None:
    await call(client, "Robot1.MoveJoint", [2.0, *HOME[1:]], 1.0)
    cell.tick(300)
    assert cell.newest("Robot1.JointVelocity.1") > 0.1
    cell.runs = True
    assert await call_status(client, STOP) == "Good"
    cell.runs = False
    assert cell.newest("Robot1.Moving") == 0.0
    assert cell.newest("Robot1.JointReference.1") < 1.9
    cell.tick(2)
    assert cell.newest("Robot1.Stop") == 0.0
    assert await call_status(client, "Robot1.MoveJoint", HOME, 1.0) == "Good"


async def test_stop_move_leaves_a_stop_that_was_set_before(cell: InProcess, client: Client) -> None:
    await write(client, change("Robot1.Stop", True))
    cell.tick()
    assert await call_status(client, STOP) == "Good"
    cell.tick(2)
    assert cell.newest("Robot1.Stop") == 1.0


async def test_stop_move_needs_ticks(cell: InProcess, client: Client) -> None:
    await call(client, "Simulation.Pause")
    assert await call_status(client, STOP) == "BadInvalidState"
    assert cell.link.commands.waiting == 0


async def test_a_robot_is_freed_though_its_client_has_gone(cell: InProcess) -> None:
    client = await cell.client()
    calling = asyncio.create_task(call_status(client, STOP))
    while not cell.link.commands.waiting:
        await asyncio.sleep(0.001)
    client.disconnect_socket()
    cell.runs = True
    async with asyncio.timeout(10):
        while cell.newest("Robot1.Stop") == 0.0:
            await asyncio.sleep(0.001)
        while cell.newest("Robot1.Stop") == 1.0:
            await asyncio.sleep(0.001)
    calling.cancel()


async def test_a_stop_that_a_reset_takes_away_ends(cell: InProcess, client: Client) -> None:
    calling = asyncio.create_task(call_status(client, STOP))
    while not cell.link.commands.waiting:
        await asyncio.sleep(0.001)
    await call(client, "Simulation.Reset")
    cell.runs = True
    async with asyncio.timeout(60):
        assert await calling == "BadTimeout"


# ---------------------------------------------------------------- control


async def test_a_move_takes_control(cell: InProcess, client: Client) -> None:
    cell.link.vitals["timeline_on"] = 1
    assert await call_status(client, "Robot1.MoveJoint", NEARBY, 1.0) == "Good"
    assert await read_value(client, "Cell.Control") == "session test Session1"
    cell.tick()
    assert cell.link.vitals["timeline_on"] == 0


async def test_a_stop_takes_control(cell: InProcess, client: Client) -> None:
    cell.link.vitals["timeline_on"] = 1
    cell.runs = True
    assert await call_status(client, STOP) == "Good"
    assert await read_value(client, "Cell.Control") == "session test Session1"


async def test_a_refused_move_takes_no_control(cell: InProcess, client: Client) -> None:
    cell.link.vitals["timeline_on"] = 1
    assert await call_status(client, "Robot1.MoveJoint", HOME, 9.0) == "BadOutOfRange"
    assert await read_value(client, "Cell.Control") == "timeline"


async def test_the_demo_moves_no_robot_while_a_client_commands(
    cell: InProcess, client: Client
) -> None:
    demo = await cell.client("demo", user="twincell demo")
    assert await call_status(demo, "Robot1.MoveJoint", NEARBY, 1.0) == "Good"
    assert await read_value(client, "Cell.Control") == "demo"
    await write(client, change("Robot2Flange.Closed", True))
    assert await call_status(demo, "Robot2.MoveJoint", NEARBY, 1.0) == "BadUserAccessDenied"
    assert await call_status(demo, STOP) == "BadUserAccessDenied"

"""What the demo does is what the cell file's timeline says."""

import math

import pytest
from asyncua import ua

from twincell.server.demo.script import script_of
from twincell.sim.cell import Cell


def script(name: str):
    cell = Cell.load(f"config/cells/{name}.toml")
    return script_of(cell.spec, cell.compiled)


def test_values_of_an_entry_are_written_together_as_the_type_of_their_signal():
    first, last = script("tool_change_single").scenes
    assert (first.at_s, last.at_s) == (4.0, 10.0)
    assert first.values == {"Robot1Flange.Closed": ua.Variant(True, ua.VariantType.Boolean)}
    assert first.calls == ()


def test_the_story_lasts_until_movers_have_followed_their_waypoints():
    assert script("tool_change_single").end_s == 14.0


def test_scenes_are_in_the_order_of_time():
    times = [scene.at_s for scene in script("tool_change_multi").scenes]
    assert times == sorted(times)
    assert script("tool_change_multi").end_s == times[-1]


def test_moves_are_calls_in_metres_and_radians():
    calls = [call for scene in script("tool_change_multi").scenes for call in scene.calls]
    line, via, joint, pose = (
        next(call for call in calls if call.method == method and call.robot == robot)
        for method, robot in (
            ("MoveLinear", "Robot1"),
            ("MoveVia", "Robot1"),
            ("MoveJoint", "Robot1"),
            ("MoveJointToPose", "Robot2"),
        )
    )
    position, turn, speed, tcp_turn = (argument.Value for argument in line.arguments)
    assert (position, turn) == ([1.0, 0.0, 1.1], [1.0, 0.0, 0.0, 0.0])
    assert (speed, tcp_turn) == (0.5, pytest.approx(math.radians(90.0)))

    points, speed, tcp_turn = (argument.Value for argument in via.arguments)
    assert len(points) == 3 * 8
    half = math.sqrt(0.5)
    assert points[8:16] == pytest.approx([0.7, 0.45, 1.1, half, 0.0, 0.0, half, 0.1])

    target, share = (argument.Value for argument in joint.arguments)
    assert target == pytest.approx([math.radians(a) for a in (0, -33, 19, 0, 104, 0)])
    assert share == 0.5

    assert [len(argument.Value) for argument in pose.arguments[:2]] == [3, 4]


def test_a_cell_without_a_timeline_has_no_story():
    assert script("static_object").scenes == ()

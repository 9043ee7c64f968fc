"""The scene that browsers draw is where the row says things are."""

from pathlib import Path

import numpy as np
import pytest

from twincell.server.web.data.scene import Scene, scene_of
from twincell.sim.cell import Cell
from twincell.sim.pose import Pose, matrix_of, turned_about
from twincell.sim.signals import SignalTable
from twincell.sim.spec import load_cell

CELLS = Path(__file__).parents[3] / "config" / "cells"


def poses(scene: Scene, row: np.ndarray) -> list[Pose]:
    """Where the nodes are in the world: what the browser does with a frame."""
    frame = row[scene.columns]
    found: list[Pose] = []
    for node in scene.nodes:
        place = Pose(np.array(node.position), matrix_of(np.array(node.quaternion)))
        if node.pose is not None:
            x, y, z, *turn = frame[node.pose : node.pose + 7]
            place = Pose(np.array([x, y, z]), matrix_of(np.array(turn)))
        elif node.joint:
            axis, value = np.array(node.joint.axis), frame[node.joint.slot]
            axis = axis / np.linalg.norm(axis)
            turn, slide = node.joint.turn * value, node.joint.slide * value
            moved = Pose(axis * slide, turned_about(axis, turn))
            place = place @ moved
        found.append(found[node.parent] @ place if node.parent >= 0 else place)
    return found


@pytest.mark.parametrize(
    "name", ["tool_change_multi", "tool_changer_atc", "object_transition_offset"]
)
def test_every_thing_is_drawn_where_its_signals_say(name):
    cell = Cell.load(CELLS / f"{name}.toml")
    cell.run(1500)  # robots are on their way
    scene = scene_of(cell.spec, cell.signals)
    placed = poses(scene, cell.row)
    assert "tool" in {thing.kind for thing in scene.things}
    for thing in scene.things:
        own = Pose(np.array(thing.position), matrix_of(np.array(thing.quaternion)))
        pose = placed[thing.node] @ own
        quantity = "TcpPose" if thing.kind == "robot" else "Pose"
        wanted = [cell[f"{thing.name}.{quantity}.{axis}"] for axis in "XYZ"]
        np.testing.assert_allclose(pose.p, wanted, atol=1e-9)  # rounding of some products


def test_a_screw_is_drawn_where_its_turn_has_brought_it(tmp_path):
    (tmp_path / "drill.toml").write_text(
        """
        name = "Drill"
        [link.post]
        [link.quill]
        mass_kg = 2
        inertia_kg_m2 = [0.01, 0.01, 0.01]
        [joint.drill]
        type = "screw"
        parent = "post"
        child = "quill"
        position_m = [0.5, 0, 1]
        orientation_deg = [20, 0, 30]
        axis = [0, 0, -2]
        pitch_m = 0.3
        speed_deg_s = 720
        torque_nm = 10
        """
    )
    file = tmp_path / "cell.toml"
    robot = 'model = "drill.toml"\ndrive = "ideal"\nstart_deg = [500]\ntcp_position_m = [0.1, 0, 0]'
    file.write_text(f'name = "x"\n[robot.R]\n{robot}\n')
    cell = Cell.load(file)
    cell.run(1)
    scene = scene_of(cell.spec, cell.signals)
    (thing,) = scene.things
    pose = poses(scene, cell.row)[thing.node] @ Pose(np.array(thing.position))
    wanted = [cell[f"R.TcpPose.{axis}"] for axis in "XYZ"]
    np.testing.assert_allclose(pose.p, wanted, atol=1e-12)
    assert np.linalg.norm(pose.p - [0.5, 0, 1]) > 0.4  # more than a turn from where it was at 0


def test_partners_are_numbered_as_the_browser_counts_them():
    cell = Cell.load(CELLS / "tool_change_multi.toml")
    cell.run(5000)
    scene = scene_of(cell.spec, cell.signals)
    holders = [thing.name for thing in scene.things if thing.kind in ("holder", "flange")]
    (tool,) = (thing for thing in scene.things if thing.name == "Tool1")
    number = int(cell.row[scene.columns][tool.partner])
    assert holders[number - 1] == cell.text("Tool1.Partner") == "Robot1Flange"


def test_robots_without_a_drawing_are_capsules_from_joint_to_joint(tmp_path):
    robots = Path(__file__).parents[3] / "config" / "robots"
    file = tmp_path / "scara.toml"
    file.write_text(f'name = "A SCARA"\n[robot.Scara]\nmodel = "{robots / "scara.toml"}"\n')
    cell = Cell.load(file)
    shapes = scene_of(cell.spec, cell.signals).shapes
    assert {shape.kind for shape in shapes} == {"capsule"}
    assert len(shapes) >= 3


def test_signals_that_a_recording_does_not_have_leave_their_things_at_rest():
    cell = Cell.load(CELLS / "tool_change_multi.toml")
    kept = [signal for signal in cell.signals if signal.name.startswith("Robot1.")]
    scene = scene_of(cell.spec, type(cell.signals)(kept))
    moved = [node.name for node in scene.nodes if node.joint or node.pose is not None]
    assert moved
    assert all(name.startswith("Robot1.") for name in moved)


def test_surfaces_and_where_they_touch_are_drawn():
    cell = Cell.load(CELLS / "tool_falls.toml")
    cell.run(2900)  # it lies on the table
    scene = scene_of(cell.spec, cell.signals)
    frame = cell.row[scene.columns]
    (bottom,) = (thing for thing in scene.things if thing.name == "ToolBottom")
    assert bottom.kind == "surface"
    assert frame[bottom.push + 2] == cell["ToolBottom.ContactForce.Z"] > 0.0
    assert {"TableTop", "ToolBottom"} <= {shape.thing for shape in scene.shapes}
    (contact,) = scene.contacts
    for slot, quantity in ((contact.point, "Point"), (contact.force, "ContactForce")):
        wanted = [cell[f"ToolOnTable.{quantity}.{axis}"] for axis in "XYZ"]
        np.testing.assert_array_equal(frame[slot : slot + 3], wanted)


FORMS = {
    "sphere = { radius_m = 0.1 }": ("sphere", (0.1,)),
    "rectangle = { length_m = 0.3, width_m = 0.2 }": ("box", (0.3, 0.2, 0.01)),
    "disc = { radius_m = 0.1 }": ("cylinder", (0.1, 0.01)),
    "cylinder = { radius_m = 0.1, length_m = 0.2 }": ("cylinder", (0.1, 0.2)),
    "capsule = { radius_m = 0.1, length_m = 0.2 }": ("capsule", (0.1, 0.2)),
    "box = { size_m = [0.1, 0.2, 0.3] }": ("box", (0.1, 0.2, 0.3)),
}


@pytest.mark.parametrize(("text", "form"), FORMS.items())
def test_every_form_of_a_cell_file_is_drawn_as_it_is(text, form, tmp_path):
    file = tmp_path / "forms.toml"
    file.write_text(
        f"""name = "Forms"
[frame.Rack]
[collision_object.Holder]
on = "Rack"
{text}
[frame.Floor]
[surface.Top]
on = "Floor"
material = "steel"
{text}
[body.Part]
mass_kg = 1
inertia_kg_m2 = [0.1, 0.1, 0.1]
"""
    )
    spec = load_cell(file)
    scene = scene_of(spec, SignalTable([]))
    by_name = {thing.name: thing for thing in scene.things}
    reach = by_name["Holder"].reach
    assert (reach.kind, reach.sizes) == form
    (top,) = (shape for shape in scene.shapes if shape.thing == "Top")
    assert (top.kind, top.sizes) == form

"""Meshes of a URDF: found where they may be, read as triangles, and nothing else of the machine."""

from pathlib import Path

import numpy as np
import pytest

from twincell.server.web.data.meshes import meshes_of, triangles
from twincell.server.web.data.scene import scene_of
from twincell.sim.cell import Cell
from twincell.sim.spec.robot_files import load_model

STL = """solid one
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 0.4 0 0
  vertex 0 0.3 0.2
 endloop
endfacet
endsolid one
"""
OBJ = "mtllib ../secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"
URDF = """<robot name="one">
 <material name="green"><color rgba="0 1 0 1"/></material>
 <link name="base"/>
 <link name="arm">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual>
   <origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>
   <geometry><mesh filename="{mesh}" scale="2 2 2"/></geometry>
   <material name="green"/>
  </visual>
 </link>
 <joint name="axis" type="revolute">
  <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" velocity="1" effort="100"/>
 </joint>
</robot>
"""


def robot(folder: Path, mesh: str = "meshes/arm.stl") -> Path:
    """A robot of one axis, whose arm is a mesh."""
    (folder / "robot" / "meshes").mkdir(parents=True, exist_ok=True)
    (folder / "robot" / "meshes" / "arm.stl").write_text(STL)
    (folder / "robot" / "meshes" / "arm.obj").write_text(OBJ)
    (folder / "robot" / "meshes" / "arm.dae").write_text("<COLLADA/>")
    file = folder / "robot" / "one.urdf"
    file.write_text(URDF.format(mesh=mesh))
    return file


@pytest.mark.parametrize(
    "name", ["meshes/arm.stl", "package://one/meshes/arm.stl", "package://robot/meshes/arm.stl"]
)
def test_a_mesh_is_found_and_drawn_where_the_urdf_says(name, tmp_path):
    robot(tmp_path, name)
    file = tmp_path / "cell.toml"
    file.write_text('name = "One"\n[robot.One]\nmodel = "robot/one.urdf"\n')
    cell = Cell.load(file)
    scene = scene_of(cell.spec, cell.signals)
    (shape,) = scene.shapes  # and no capsule
    assert (shape.kind, shape.thing, shape.colour) == ("mesh", "One", "#00FF00")
    assert (shape.sizes, shape.position) == ((2.0, 2.0, 2.0), (0.0, 0.0, 0.5))
    assert shape.quaternion == pytest.approx((0.5**0.5, 0.0, 0.0, 0.5**0.5))
    assert scene.meshes[shape.mesh] == tmp_path / "robot" / "meshes" / "arm.stl"
    assert str(tmp_path) not in str(scene.as_json())
    data = triangles(scene.meshes[0])
    assert data is not None
    corners = np.frombuffer(data, "<f4").reshape(-1, 3)
    np.testing.assert_allclose(corners, [[0, 0, 0], [0.4, 0, 0], [0, 0.3, 0.2]], rtol=1e-6)


def test_a_cell_folder_may_have_meshes_beside_its_robots(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "arm.stl").write_text(STL)
    model = load_model(robot(tmp_path, "../shared/arm.stl"))
    (found,) = meshes_of(model, tmp_path)
    assert found.file == tmp_path / "shared" / "arm.stl"
    assert not list(meshes_of(model, tmp_path / "robot"))


@pytest.mark.parametrize(
    "name",
    [
        "../../secret.stl",
        "{root}/secret.stl",
        "file://{root}/secret.stl",
        "package://one/../../secret.stl",
        "link.stl",
        "meshes/none.stl",
        "meshes/arm.dae",
        "/etc/passwd",
        "http://example.com/arm.stl",
    ],
)
def test_nothing_beyond_the_folders_of_the_cell_is_shown(name, tmp_path):
    cell = tmp_path / "cell"
    cell.mkdir()
    (tmp_path / "secret.stl").write_text(STL)
    file = robot(cell, name.format(root=tmp_path))
    (cell / "robot" / "link.stl").symlink_to(tmp_path / "secret.stl")
    assert not list(meshes_of(load_model(file), cell))


def test_an_obj_is_read_without_what_it_names(tmp_path):
    (tmp_path / "secret.mtl").write_text("newmtl a\n")
    robot(tmp_path)
    data = triangles(tmp_path / "robot" / "meshes" / "arm.obj")
    assert data is not None
    assert len(data) == 2 * 9 * 4


@pytest.mark.parametrize("content", [b"", b"solid nothing\nendsolid\n", b"\x00" * 84, b"{]" * 50])
def test_a_file_that_is_no_mesh_is_left_out(content, tmp_path):
    file = tmp_path / "arm.stl"
    file.write_bytes(content)
    assert triangles(file) is None


def test_the_files_of_a_recording_are_gone_and_its_robots_are_drawn_without_them(tmp_path):
    model = load_model(robot(tmp_path))
    Path(model.file).unlink()
    assert not list(meshes_of(model, tmp_path))


def test_a_visual_that_makes_no_sense_does_not_hide_the_rest_of_the_robot(tmp_path):
    file = robot(tmp_path)
    wrong = '<visual><geometry><box size="one two"/></geometry></visual></link>\n <joint'
    file.write_text(file.read_text().replace("</link>\n <joint", wrong))
    (found,) = meshes_of(load_model(file), tmp_path)
    assert found.file.name == "arm.stl"

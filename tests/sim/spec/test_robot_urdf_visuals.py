"""What links look like, read from URDF: a wrong look never keeps a robot from running."""

import pytest

from twincell.sim.spec.robot_model import LinkShape, MeshReference
from twincell.sim.spec.robot_urdf_visuals import Visuals
from twincell.sim.spec.robot_urdf_xml import parse_urdf

ROBOT = """<robot name="r">
  <material name="red"><color rgba="1 0 0.5 1"/></material>
  <link name="a">
    <visual><origin xyz="0 0 1" rpy="0 0.5 0"/><geometry><box size="1 2 3"/></geometry>
      <material name="red"/></visual>
    <visual><geometry><cylinder radius="0.1" length="2"/></geometry>
      <material name="own"><color rgba="0 1 0 1"/></material></visual>
    <visual><geometry><sphere radius="0.3"/></geometry></visual>
  </link>
  <link name="b">
    <visual><geometry><mesh filename="b.stl"/></geometry></visual>
    <visual><geometry><box size="1 2"/></geometry></visual>
    <visual><geometry><sphere radius="-1"/></geometry></visual>
    <visual><geometry><sphere radius="big"/></geometry></visual>
    <visual><geometry><cylinder radius="nan" length="1"/></geometry></visual>
    <visual><origin xyz="0 0"/><geometry><sphere radius="1"/></geometry></visual>
    <visual/>
  </link>
</robot>"""


def visuals_of(link, robot=ROBOT):
    """The shapes and meshes of one link."""
    root = parse_urdf(robot.encode(), "r.urdf")
    return Visuals(root).of(root.find(f"link[@name='{link}']"))


def test_boxes_cylinders_and_spheres_are_drawn_in_their_colours():
    here = (0.0, 0.0, 0.0)
    shapes, meshes = visuals_of("a")
    assert shapes == (
        LinkShape("box", (1.0, 2.0, 3.0), (0.0, 0.0, 1.0), (0.0, 0.5, 0.0), "#FF0080"),
        LinkShape("cylinder", (0.1, 2.0), here, here, "#00FF00"),
        LinkShape("sphere", (0.3,), here, here, None),
    )
    assert meshes == ()


def test_what_makes_no_sense_is_left_out():
    shapes, meshes = visuals_of("b")
    assert shapes == ()
    assert [mesh.filename for mesh in meshes] == ["b.stl"]


@pytest.mark.parametrize(
    ("scale", "read"),
    [
        ("", (1.0, 1.0, 1.0)),
        ('scale=""', (1.0, 1.0, 1.0)),
        ('scale="0.001"', (0.001, 0.001, 0.001)),
        ('scale="1 2 -3"', (1.0, 2.0, -3.0)),  # mirrored
        ('scale="1, 2, 3"', (1.0, 2.0, 3.0)),
    ],
)
def test_a_mesh_has_a_scale_for_each_direction(scale, read):
    mesh = f'<mesh filename="b.stl" {scale}/>'
    _, (found,) = visuals_of("b", ROBOT.replace('<mesh filename="b.stl"/>', mesh))
    assert found == MeshReference("b.stl", read, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), None)


@pytest.mark.parametrize(
    "mesh", ["<mesh/>", '<mesh filename="b.stl" scale="1 2"/>', '<mesh filename="b" scale="big"/>']
)
def test_a_mesh_without_a_name_or_a_sensible_scale_is_left_out(mesh):
    assert visuals_of("b", ROBOT.replace('<mesh filename="b.stl"/>', mesh)) == ((), ())

"""What links look like, read from URDF: a wrong look never keeps a robot from running."""

from twincell.sim.spec.robot_model import LinkShape
from twincell.sim.spec.robot_urdf_shapes import read_shapes

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


def test_boxes_cylinders_and_spheres_are_drawn_in_their_colours():
    here = (0.0, 0.0, 0.0)
    assert read_shapes(ROBOT.encode())["a"] == (
        LinkShape("box", (1.0, 2.0, 3.0), (0.0, 0.0, 1.0), (0.0, 0.5, 0.0), "#FF0080"),
        LinkShape("cylinder", (0.1, 2.0), here, here, "#00FF00"),
        LinkShape("sphere", (0.3,), here, here, None),
    )


def test_meshes_and_what_makes_no_sense_are_left_out():
    assert read_shapes(ROBOT.encode())["b"] == ()

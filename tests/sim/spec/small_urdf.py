"""A small robot as URDF, to be changed in one place by tests."""

GOOD = """\
<robot name="small">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0 0 0.1"/>
      <mass value="2"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="rod">
    <inertial>
      <mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/>
    <child link="rod"/>
    <limit lower="0" upper="0.5" effort="100" velocity="1"/>
  </joint>
</robot>
"""


def changed(old, new):
    """The good robot with one change, and the line where it is."""
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new), GOOD[: GOOD.index(old)].count("\n") + 1

"""URDF files: what is right is read."""

import math
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from small_urdf import GOOD, changed

from twincell.sim.spec.robot_files import load_model

MODEL_FILE = "robot.urdf"
ARM6 = Path(__file__).parents[3] / "config" / "robots" / "arm6.urdf"


def test_the_shipped_arm_is_read_as_pinocchio_reads_it():
    model, oracle = load_model(ARM6), pinocchio.buildModelFromUrdf(str(ARM6))
    assert [axis.name for axis in model.axes] == list(oracle.names)[1:]
    for k, axis in enumerate(model.axes):
        theirs = oracle.inertias[k + 1]
        ours = model.links[axis.child].inertial
        # both read the same decimal figures: they differ by rounding only
        assert ours.mass == pytest.approx(theirs.mass, rel=1e-15)
        assert ours.center == pytest.approx(tuple(theirs.lever), abs=1e-15)
        xx, yy, zz, xy, xz, yz = ours.inertia
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        np.testing.assert_allclose(matrix, theirs.inertia, atol=1e-15)
        assert axis.lower == oracle.lowerPositionLimit[k]
        assert axis.upper == oracle.upperPositionLimit[k]
        assert axis.velocity == oracle.velocityLimit[k]
        assert axis.effort == oracle.effortLimit[k]
        assert axis.damping == oracle.damping[k]
        assert axis.friction == oracle.friction[k]
        placement = oracle.jointPlacements[k + 1]
        assert axis.position == pytest.approx(tuple(placement.translation), abs=1e-15)
        np.testing.assert_allclose(rotation(axis.angles), placement.rotation, atol=1e-15)
        direction = pinocchio.JointModel.shortname(oracle.joints[k + 1])[-1]
        assert axis.axis == tuple(float(letter == direction) for letter in "XYZ")


def rotation(angles):
    """R_z R_y R_x, as docs/engine/notation.md says."""
    return pinocchio.rpy.rpyToMatrix(np.array(angles))


def test_a_good_robot_is_read(read):
    model = read(GOOD)
    assert model.root == "base"
    assert model.ends == ("rod",)
    assert model.links["base"].inertial is None
    assert model.links["arm"].inertial.center == (0.0, 0.0, 0.1)
    hinge, slide = model.axes
    assert (hinge.type, slide.type) == ("revolute", "prismatic")
    assert (hinge.damping, hinge.friction) == (0.1, 0.2)
    assert (slide.lower, slide.upper) == (0.0, 0.5)
    assert slide.axis == (1.0, 0.0, 0.0)  # what URDF means when it is left out


def test_a_continuous_joint_is_a_hinge_without_stops(read):
    text, _ = changed('name="hinge" type="revolute"', 'name="hinge" type="continuous"')
    (hinge, _) = read(text).axes
    assert (hinge.type, hinge.lower, hinge.upper) == ("revolute", -math.inf, math.inf)


def test_a_turned_inertia_is_seen_in_the_axes_of_the_link(read):
    text, _ = changed(
        '<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/>'
    )
    xx, yy, zz, xy, xz, yz = read(text).links["arm"].inertial.inertia
    # a quarter turn about z exchanges x and y; cos 90° is 6e-17
    assert (xx, yy, zz) == pytest.approx((0.02, 0.01, 0.015), abs=1e-16)
    assert (xy, xz, yz) == pytest.approx((0, 0, 0), abs=1e-16)


def test_a_turned_inertia_is_that_of_pinocchio(read, tmp_path):
    text, _ = changed('<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.1" rpy="0.3 -0.5 1.1"/>')
    xx, yy, zz, xy, xz, yz = read(text).links["arm"].inertial.inertia
    theirs = pinocchio.buildModelFromXML(text).inertias[1].inertia
    ours = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    np.testing.assert_allclose(ours, theirs, atol=1e-16)


@pytest.mark.parametrize("pitch", [0.4, math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9])
def test_angles_turn_as_the_file_says_even_where_they_are_not_unique(read, pitch):
    text, _ = changed('rpy="0 0 0"', f'rpy="0.7 {pitch!r} -2.9"')
    hinge = read(text).axes[0]
    # the same rotation, whatever its angles: a few roundings of numbers below 1
    np.testing.assert_allclose(
        rotation(hinge.angles), rotation((0.7, pitch, -2.9)), rtol=0, atol=1e-15
    )


def test_the_order_of_the_file_does_not_matter(read):
    head, *joints = GOOD.removesuffix("</robot>\n").split("  <joint")
    model = read(head + "  <joint" + joints[1] + "  <joint" + joints[0] + "</robot>\n")
    assert list(model.joints) == ["hinge", "slide"]


def test_branches_follow_each_other_in_the_order_of_the_file(read):
    def joint(name, parent, child, kind="fixed"):
        return (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            "</joint>"
        )

    frames = "".join(f'<link name="{name}"/>' for name in "pqr")
    more = frames + joint("r", "p", "r") + joint("q", "base", "q") + joint("p", "rod", "p")
    model = read(GOOD.replace("</robot>", more + "</robot>"))
    assert list(model.joints) == ["hinge", "slide", "p", "r", "q"]
    assert model.ends == ("q", "r")


def test_a_mass_may_sit_on_a_link_that_is_fixed_to_the_moved_one(read):
    text = GOOD.replace('<link name="arm">', '<link name="arm"/>\n<link name="load">')
    fixed = '<joint name="f" type="fixed"><parent link="arm"/><child link="load"/></joint></robot>'
    assert read(text.replace("</robot>", fixed)).links["arm"].inertial is None


def test_what_is_only_drawn_is_not_looked_at(read):
    drawn = """
    <visual><geometry><mesh filename="package://none/none.stl"/></geometry></visual>
    <visual><geometry><box size="one two"/></geometry><material/></visual>"""
    text = GOOD.replace('<link name="rod">', f'<link name="rod">{drawn}')
    other = '<transmission name="t"/><gazebo/><!-- said --><?said?><material name="m"/></robot>'
    assert len(read(text.replace("</robot>", other)).axes) == 2


def test_a_file_that_xacro_wrote_is_read(read):
    text, _ = changed("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    read(text)

"""URDF files: what is wrong is told with its line, and nothing breaks the reader."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_urdf import GOOD, changed

from twincell.sim.spec import SpecError
from twincell.sim.spec.robot_files import load_model

MODEL_FILE = "robot.urdf"


@pytest.mark.parametrize(
    ("old", "new", "key", "words", "hint"),
    [
        ('<robot name="small">', "<robot>", "robot", "has no name", "write <robot name="),
        # links
        ('<mass value="2"/>', '<mass value="0"/>', "link.arm.inertial.mass.value",
         "greater than 0, not 0", "only a frame needs no <inertial>"),
        ('<mass value="2"/>', '<mass value="-2"/>', "link.arm.inertial.mass.value",
         "greater than 0, not -2", "in kg"),
        ('<mass value="2"/>', '<mass value="nan"/>', "link.arm.inertial.mass.value",
         'must be a number greater than 0, not the text "nan"', "in kg"),
        ('<mass value="2"/>', '<mass value="${m}"/>', "link.arm.inertial.mass.value",
         "must be a number", "run xacro first"),
        ('<mass value="2"/>', '<mass/>', "link.arm.inertial.mass.value", "is missing", "in kg"),
        ('ixx="0.01" iyy="0.02"', 'ixx="-0.01" iyy="0.02"', "link.arm.inertial.inertia",
         "must be greater than 0, not -0.01", "check ixx"),
        ('ixx="0.01" iyy="0.02"', 'ixx="0.01" iyy="0.05"', "link.arm.inertial.inertia",
         "greater than the sum of the other two", "about the centre of mass"),
        ('iyy="0.02" izz="0.015" ixy="0"', 'iyy="0.02" izz="0.015" ixy="0.5"',
         "link.arm.inertial.inertia", "products xy, xz, yz are too large", "check ixx"),
        ('ixx="0.01" iyy="0.02"', 'iyy="0.02"', "link.arm.inertial.inertia.ixx",
         "is missing", "kg m²"),
        ('ixx="0.01" iyy="0.02"', 'ixx="0,01" iyy="0.02"', "link.arm.inertial.inertia.ixx",
         'not the text "0,01"', "kg m²"),
        ('<link name="base"/>', '<link/>', "link", "has no name", "<link name="),
        ('<link name="base"/>', '<link name="the base"/>', 'link."the base"',
         "cannot be a name", "letters, digits, _ and -"),
        # joints
        ('type="prismatic"', 'type="planar"', "joint.slide.type",
         "planar joints are not supported", "fixed, revolute, continuous, prismatic"),
        ('type="prismatic"', 'type="floating"', "joint.slide.type", "not supported", "use fixed"),
        ('type="prismatic"', 'type="spherical"', "joint.slide.type", "not supported", "use fixed"),
        ('type="prismatic"', '', "joint.slide.type", "is missing", "use fixed"),
        ('<parent link="base"/>', '<parent/>', "joint.hinge.parent", "is missing", "<parent link"),
        ('<child link="rod"/>', '<child link="rood"/>', "joint.slide.child",
         "there is no link called rood", "did you mean rod?"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>', "joint.hinge.axis",
         "has no length", "give a direction"),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 1"/>', "joint.hinge.axis.xyz",
         'must be three numbers, not the text "0 1"', "spaces between"),
        ('xyz="0 0 1" rpy', 'xyz="0 0 inf" rpy', "joint.hinge.origin.xyz",
         "must be three numbers", "spaces between"),
        ('rpy="0 0 0"', 'rpy="0 0 ${pi}"', "joint.hinge.origin.rpy", "three numbers", "run xacro"),
        ('<axis xyz="0 0 1"/>', '<mimic joint="slide"/>', "joint.hinge.mimic",
         "mimic joints are not supported", "make the joint fixed"),
        ('lower="-1" upper="1"', 'lower="1" upper="1"', "joint.hinge.limit",
         "lower, 1, is not below upper, 1", "without stops is continuous"),
        ('lower="-1" upper="1" ', '', "joint.hinge.limit", "lower and upper are missing", "both"),
        ('effort="10"', 'effort="1e13"', "joint.hinge.limit.effort", "too large", "within 1e+12"),
        ('<origin xyz="0 0 1"', '<origin xyz="0 0 1e11"', "joint.hinge.origin.xyz", "too large",
         "within 1"),
        ('effort="10" velocity="2"', 'effort="0" velocity="2"', "joint.hinge.limit.effort",
         "greater than 0, not 0", "in Nm"),
        ('effort="100" velocity="1"', 'effort="100" velocity="-1"', "joint.slide.limit.velocity",
         "greater than 0, not -1", "in m/s"),
        ('effort="100" velocity="1"', 'effort="100"', "joint.slide.limit.velocity",
         "is missing", "in m/s"),
        ('<limit lower="0" upper="0.5" effort="100" velocity="1"/>', '', "joint.slide.limit",
         "is missing", "<limit lower="),
        ('damping="0.1"', 'damping="-0.1"', "joint.hinge.dynamics.damping",
         "at least 0, not -0.1", ""),
        ('friction="0.2"', 'friction="-1"', "joint.hinge.dynamics.friction", "at least 0", ""),
        ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><axis xyz="1 0 0"/>', "joint.hinge.axis",
         "<axis> stands twice", "keep one"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(mistakes, old, new, key, words, hint):
    text, line = changed(old, new)
    (problem,) = mistakes(text)
    # what is not there has the line of the tag it belongs to
    expected = {"joint.slide.limit": 24}.get(key, line)
    assert (problem.line, problem.key) == (expected, key)
    assert words in problem.text
    assert hint in problem.hint


def test_a_continuous_joint_needs_limits_of_its_drive(mistakes):
    text, _ = changed('name="hinge" type="revolute"', 'name="hinge" type="continuous"')
    text = text.replace('<limit lower="-1" upper="1" effort="10" velocity="2"/>', "")
    (problem,) = mistakes(text)
    assert problem.key == "joint.hinge.limit"
    assert problem.hint == 'give <limit effort="..." velocity="..."/>'


def test_a_moved_link_without_a_mass_is_told(mistakes):
    text = GOOD.replace('<link name="rod">', '<link name="rod"/><link name="spare">')
    text = text.replace(
        "</robot>",
        """\
<joint name="f" type="fixed"><parent link="base"/><child link="spare"/></joint></robot>""",
    )
    (problem,) = mistakes(text)
    assert (problem.line, problem.key) == (10, "link.rod")
    assert "neither it nor a link fixed to it has a mass" in problem.text
    assert problem.hint == "give it a mass and an inertia"


@pytest.mark.parametrize(
    ("inside", "key"),
    [('<mass value="1"/>', "link.arm.inertial.inertia"),
     ('<inertia ixx="1" iyy="1" izz="1"/>', "link.arm.inertial.mass")],
)  # fmt: skip
def test_half_an_inertial_is_told(mistakes, inside, key):
    start, end = GOOD.index('<mass value="2"/>'), GOOD.index("</inertial>")
    (problem,) = mistakes(GOOD[:start] + inside + GOOD[end:])
    assert (problem.line, problem.key, problem.text) == (4, key, "is missing")


FIXED = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>\n</robot>'


@pytest.mark.parametrize(
    ("parent", "child", "key", "words", "hint"),
    [
        ("base", "rod", "joint.more.child", "rod hangs already on joint.slide in line 24",
         "closed loops are not supported"),
        ("rod", "base", "joint.more.parent", "in a circle", "must be the root"),
        ("rod", "base", "joint.more.parent", "arm on base on rod on arm", "hangs on no joint"),
        ("base", "base", "joint.more.parent", "base cannot carry itself", "choose another link"),
    ],
)  # fmt: skip
def test_links_are_a_tree(mistakes, parent, child, key, words, hint):
    text = GOOD.replace("</robot>", FIXED.format("more", parent, child))
    (problem,) = mistakes(text)
    assert problem.line == 29
    assert words in problem.text
    assert hint in problem.hint


def test_a_second_root_is_told(mistakes):
    (problem,) = mistakes(GOOD.replace("</robot>", '<link name="lonely"/></robot>'))
    assert (problem.line, problem.key) == (29, "link.lonely")
    assert problem.text == "is not joined to base: the robot has 2 roots"


@pytest.mark.parametrize(
    ("more", "key", "first"),
    [('<link name="arm"/>\n</robot>', "link.arm", 3),
     (FIXED.format("hinge", "rod", "arm"), "joint.hinge", 16)],
)  # fmt: skip
def test_a_name_is_given_once(mistakes, more, key, first):
    (problem,) = mistakes(GOOD.replace("</robot>", more))
    assert (problem.line, problem.key) == (29, key)
    assert f"is taken by {key} in line {first}" in problem.text


def test_a_robot_that_cannot_move_is_refused(mistakes):
    (problem,) = mistakes('<robot name="x"><link name="a"/></robot>')
    assert problem.text == "the robot has no joint that moves"
    assert "no links" in mistakes('<robot name="x"/>')[1].text


@pytest.mark.parametrize(
    ("text", "line", "words", "hint"),
    [
        ("", 1, "not valid XML", "compare with"),
        ("name = 'x'\n", 1, "not valid XML: Start tag expected", "compare with"),
        ("<robot>\n<link>\n</robot>", 3, "not valid XML", "compare with"),
        ("\n<mujoco/>", 2, "begins with <mujoco>, not with <robot>", "<robot name="),
        ('<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n<xacro:arm/></robot>',
         2, "this is xacro", "run xacro first"),
        ("<robot>\n<xacro:arm/></robot>", 2, "xacro", "run xacro first"),
        ('<!DOCTYPE robot [<!ENTITY m "2">]>\n<robot/>', None, "has a DOCTYPE", "remove it"),
        ('<!DOCTYPE robot SYSTEM "robot.dtd">\n<robot/>', None, "has a DOCTYPE", "remove it"),
    ],
)  # fmt: skip
def test_what_is_no_robot_is_refused(mistakes, text, line, words, hint):
    (problem,) = mistakes(text)
    assert problem.line == line
    assert words in problem.text
    assert hint in problem.hint


def test_entities_do_not_grow_without_end(mistakes):
    laughs = "".join(f'<!ENTITY l{k + 1} "{f"&l{k};" * 10}">' for k in range(12))
    bomb = f'<!DOCTYPE robot [<!ENTITY l0 "ha">{laughs}]><robot name="&l12;">&l12;</robot>'
    (problem,) = mistakes(bomb)
    assert "DOCTYPE" in problem.text or "not valid XML" in problem.text


def test_tags_do_not_lead_down_without_end(mistakes):
    (problem,) = mistakes("<robot>" + "<link>" * 100_000 + "</link>" * 100_000 + "</robot>")
    assert (problem.line, problem.text.partition(":")[0]) == (1, "not valid XML")


def test_a_file_from_outside_is_not_read(mistakes, tmp_path):
    (tmp_path / "secret").write_text("42")
    entity = f'<!DOCTYPE robot [<!ENTITY s SYSTEM "{tmp_path}/secret">]><robot>&s;</robot>'
    assert "42" not in str(mistakes(entity))


def test_a_huge_file_is_refused(mistakes):
    (problem,) = mistakes("<robot>" + " " * 10_000_001 + "</robot>")
    assert problem.text.startswith("larger than 10 MB")


def test_a_file_larger_than_memory_is_not_read_to_its_end(tmp_path):
    huge = tmp_path / MODEL_FILE
    huge.touch()
    os.truncate(huge, 10**12)  # a hole: it takes no room on the disk
    with pytest.raises(SpecError, match="larger than 10 MB"):
        load_model(huge)


def test_all_mistakes_are_told_at_once(mistakes):
    text = GOOD.replace('value="2"', 'value="two"').replace('upper="1"', 'upper="-2"')
    text = text.replace('<child link="rod"/>', '<child link="rd"/>')
    assert [(problem.line, problem.key) for problem in mistakes(text)] == [
        (6, "link.arm.inertial.mass.value"),
        (21, "joint.hinge.limit"),
        (26, "joint.slide.child"),
    ]


# ---------------------------------------------------------------- whatever happens

SPICE = st.sampled_from(
    ["", " ", "0", "-1", "nan", "1e400", "1_0", "<", "/>", '"', "base", "arm", "rod", "fixed",
     "<link/>", "<!--", "&amp;", "&x;", "é", "\0", "<inertial/>", "<limit/>", "link", "${x}"]
)  # fmt: skip


@st.composite
def damaged(draw):
    """The good robot with a few words removed, repeated, exchanged or spiced."""
    text = GOOD
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 3, 10, 60])))
        piece = draw(st.one_of(SPICE, st.just(text[start:end] * 2)))
        text = text[:start] + piece + text[end:]
    return text


@st.composite
def revalued(draw):
    """The good robot with some values replaced, so that it is still XML."""
    values = ["", "0", "-1", "nan", "1e400", "1_0", "x", "base", "arm", "rod", "0 0", "0 0 0"]
    pieces = GOOD.split('"')
    for _ in range(draw(st.integers(1, 4))):
        k = 2 * draw(st.integers(0, len(pieces) // 2 - 1)) + 1
        pieces[k] = draw(st.sampled_from(values))
    return '"'.join(pieces)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.one_of(damaged(), revalued()))
def test_a_damaged_file_is_read_or_refused_but_never_breaks_the_reader(read, text):
    try:
        model = read(text)
    except SpecError as error:
        assert all(problem.text for problem in error.problems)
    else:
        assert len(model.joints) == len(model.links) - 1

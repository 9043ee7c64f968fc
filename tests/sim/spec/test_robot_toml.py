"""Model files in TOML: the same robot as in URDF, told in the words of cell files."""

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twincell.sim.spec import SpecError
from twincell.sim.spec.robot_files import load_model

ROBOTS = Path(__file__).parents[3] / "config" / "robots"

MODEL_FILE = "robot.toml"

GOOD = """\
name = "Small"

[link.base]
[link.arm]
mass_kg = 2
inertia_kg_m2 = [0.01, 0.02, 0.015]
center_of_mass_m = [0, 0, 0.1]
[link.rod]
mass_kg = 1
inertia_kg_m2 = [0.01, 0.01, 0.01, 0.001, 0.002, 0.003]

[joint.slide]
type = "prismatic"
parent = "arm"
child = "rod"
axis = [1, 0, 0]
lower_m = 0
upper_m = 0.5
speed_m_s = 1
force_n = 100
damping_ns_m = 3
friction_n = 4
gear_mass_kg = 5

[joint.hinge]
type = "revolute"
parent = "base"
child = "arm"
position_m = [0, 0, 1]
orientation_deg = [0, 0, 90]
lower_deg = -90
speed_deg_s = 180
torque_nm = 10
damping_nms_rad = 0.1
friction_nm = 0.2
gear_inertia_kg_m2 = 0.3
"""


def changed(old, new):
    """The good robot with one change, and the line where it is."""
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new), GOOD[: GOOD.index(old)].count("\n") + 1


# ---------------------------------------------------------------- what is right


def test_a_good_robot_is_read_in_si_units(read):
    model = read(GOOD)
    assert (model.root, model.ends) == ("base", ("rod",))
    assert model.links["base"].inertial is None
    assert model.links["rod"].inertial.inertia == (0.01, 0.01, 0.01, 0.001, 0.002, 0.003)
    hinge, slide = model.axes
    assert hinge.angles == (0.0, 0.0, math.pi / 2)
    assert (hinge.lower, hinge.upper) == (-math.pi / 2, math.inf)
    assert (hinge.velocity, hinge.effort) == (math.pi, 10.0)
    assert (hinge.damping, hinge.friction, hinge.gear) == (0.1, 0.2, 0.3)
    assert (slide.lower, slide.upper, slide.velocity, slide.effort) == (0.0, 0.5, 1.0, 100.0)
    assert (slide.damping, slide.friction, slide.gear) == (3.0, 4.0, 5.0)


def test_the_shipped_gantry_has_three_slides_and_a_wrist():
    model = load_model(ROBOTS / "gantry.toml")
    assert [axis.type for axis in model.axes] == ["prismatic"] * 3 + ["revolute"]
    assert [axis.upper - axis.lower for axis in model.axes[:3]] == [2.0, 1.5, 0.8]
    assert model.ends == ("flange",)


def test_the_shipped_scara_reaches_as_far_as_it_says():
    model = load_model(ROBOTS / "scara.toml")
    assert [axis.type[0] for axis in model.axes] == ["r", "r", "p", "r"]
    assert sum(joint.position[0] for joint in model.joints.values()) == pytest.approx(0.6)


@pytest.mark.parametrize("file", ["gantry.toml", "scara.toml", "arm6.urdf"])
def test_the_drives_of_a_shipped_robot_carry_its_weight(file):
    model = load_model(ROBOTS / file)
    above = {joint.child: joint for joint in model.joints.values()}
    for axis in model.axes:
        carried = 0.0
        for link in model.links.values():
            joint = above.get(link.name)
            while joint and joint is not axis:
                joint = above.get(joint.parent)
            if joint and link.inertial:
                carried += link.inertial.mass
        if axis.type == "prismatic" and axis.axis[2]:
            assert axis.effort > 2 * 9.81 * carried  # twice: it must accelerate as well
        assert carried > 0


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("old", "new", "key", "words", "hint"),
    [
        ("mass_kg = 2", "mass = 2", "link.arm.mass", "unknown key", "did you mean mass_kg?"),
        ("mass_kg = 2", "mass_kg = -2", "link.arm.mass_kg", "greater than 0, not -2", "a frame"),
        ("mass_kg = 2", 'mass_kg = "2"', "link.arm.mass_kg", "a number", "without quotes"),
        ("mass_kg = 2", "mass_kg = 1e-300", "link.arm.mass_kg", "is too small", "at least"),
        ("[0.01, 0.02, 0.015]", "[0.01, 0.02, 0.05]", "link.arm.inertia_kg_m2",
         "greater than the sum of the other two", "check units"),
        ("[0.01, 0.02, 0.015]", "[0.01, 0.02]", "link.arm.inertia_kg_m2",
         "three numbers or six numbers", "about the centre of mass"),
        ("[link.base]", '[link."the base"]', 'link."the base"',
         "cannot be a name", "letters, digits, _ and -"),
        ('type = "revolute"', 'type = "continuous"', "joint.hinge.type",
         'must be "fixed", "prismatic", "revolute" or "screw"', ""),
        ("torque_nm = 10", "torque_nm = 0", "joint.hinge.torque_nm",
         "greater than 0, not 0", "of its drive"),
        ("torque_nm = 10", "force_n = 10", "joint.hinge.force_n", "unknown key", "mean torque_nm?"),
        ("friction_nm = 0.2", "friction_nm = -1", "joint.hinge.friction_nm", "at least 0", "dry"),
        ("lower_m = 0", "lower_m = 0.5", "joint.slide.lower_m",
         "0.5 is not below upper_m, 0.5", "smaller number"),
        ("axis = [1, 0, 0]", "axis = [0, 0, 0]", "joint.slide.axis", "has no length", "direction"),
        ('child = "rod"', 'child = "rood"', "joint.slide.child",
         "there is no link called rood", "did you mean rod?"),
        ('child = "rod"', 'child = "arm"', "joint.slide.parent", "arm cannot carry itself", "cho"),
        ('child = "rod"', 'child = "a b"', "joint.slide.child", "must be a name", "letters"),
        ('name = "Small"', 'name = ""', "name", "a text, not empty", "what to call the robot"),
        ('name = "Small"', 'name = "Small"\nlink = 3', "", "not valid TOML", ""),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(mistakes, old, new, key, words, hint):
    text, line = changed(old, new)
    found = [problem for problem in mistakes(text) if words in problem.text]
    (problem,) = found
    assert problem.key == key
    assert problem.line == line or key == "" or "parent" in key
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("gone", "key", "words", "hint"),
    [
        ("speed_m_s = 1\n", "joint.slide.speed_m_s", "is missing", "greatest speed"),
        ("torque_nm = 10\n", "joint.hinge.torque_nm", "is missing", "of its drive"),
        ("inertia_kg_m2 = [0.01, 0.02, 0.015]\n", "link.arm.inertia_kg_m2",
         "is missing: the link has a mass", "xx, yy, zz"),
        ('name = "Small"\n', "name", "is missing", "what to call the robot"),
    ],
)  # fmt: skip
def test_a_missing_key_is_told(mistakes, gone, key, words, hint):
    text, _ = changed(gone, "")
    (problem,) = mistakes(text)
    assert problem.key == key
    assert words in problem.text
    assert hint in problem.hint


def test_an_inertia_needs_a_mass(mistakes):
    text, _ = changed("mass_kg = 2\n", "")
    assert [(problem.key, problem.text) for problem in mistakes(text)] == [
        ("link.arm.inertia_kg_m2", "the link has no mass"),
        ("link.arm.center_of_mass_m", "the link has no mass"),
    ]


@pytest.mark.parametrize("section", ["link", "joint"])
def test_a_section_of_the_wrong_kind_is_told(mistakes, section):
    (problem,) = [p for p in mistakes(f'name = "x"\n[[{section}]]\n') if p.key == section]
    assert problem.line == 2
    assert problem.text.startswith("must be a table")


def test_no_message_speaks_the_language_of_the_library(mistakes):
    text = GOOD.replace("0.01", '"x"').replace("[1, 0, 0]", "3").replace('"arm"', "1")
    told = " ".join(f"{problem.text} {problem.hint}" for problem in mistakes(text))
    assert not [word for word in ("Input should", "pydantic", "tuple", "dict") if word in told]


@st.composite
def revalued(draw):
    """The good robot with some values replaced, so that it is still TOML."""
    values = ["1", "-1", "0", "nan", "true", '"x"', '"arm"', "[]", "{}", "[0, 0, 0]", "1e308",
              "9" * 400, "[{}]", "1979-05-27", '"fixed"', '"prismatic"']  # fmt: skip
    lines = GOOD.split("\n")
    for _ in range(draw(st.integers(1, 5))):
        k = draw(st.integers(0, len(lines) - 1))
        key, equals, _ = lines[k].partition(" = ")
        if equals:
            lines[k] = f"{key} = {draw(st.sampled_from(values))}"
    return "\n".join(lines)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(revalued())
def test_a_damaged_file_is_read_or_refused_but_never_breaks_the_reader(read, text):
    try:
        model = read(text)
    except SpecError as error:
        assert all(problem.text for problem in error.problems)
    else:
        assert len(model.joints) == len(model.links) - 1

"""What a cell says about a robot fits the robot's model."""

from pathlib import Path

import pytest

from twincell.sim.spec import SpecError, load_text

ROBOTS = Path(__file__).parents[3] / "config" / "robots"

TWO_ENDS = """\
name = "Two ends"
[link.base]
[link.body]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[link.left]
[link.right]
[link.plate]
[joint.turn]
type = "revolute"
parent = "base"
child = "body"
lower_deg = 10
speed_deg_s = 90
torque_nm = 5
[joint.left]
type = "fixed"
parent = "body"
child = "left"
[joint.right]
type = "fixed"
parent = "body"
child = "right"
[joint.plate]
type = "fixed"
parent = "base"
child = "plate"
"""


@pytest.fixture(autouse=True)
def models(tmp_path, monkeypatch):
    """Names of model files are seen from the working directory."""
    for file in ROBOTS.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "two_ends.toml").write_text(TWO_ENDS)
    monkeypatch.chdir(tmp_path)


def robot(model, more=""):
    return f'name = "x"\n[robot.R]\nmodel = "{model}"\n{more}'


def expect(text, line, key, words, hint):
    """The text has exactly this mistake."""
    with pytest.raises(SpecError) as caught:
        load_text(text)
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (line, key)
    assert words in problem.text
    assert hint in problem.hint


# ---------------------------------------------------------------- lists


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("arm6.urdf", "start_deg = [0, 10, 20, 30, 40, 50]"),
        ("arm6.urdf", "start_deg = [170, -110, 80, 200, -125, 350]"),
        ("gantry.toml", "start_m = [2, 1.5, 0.8]\nstart_deg = [270]"),
        ("scara.toml", "servo.stiffness_nm_rad = [1, 2, 3]\nservo.damping_ns_m = [0]"),
        ("scara.toml", "gear_inertia_kg_m2 = [0, 0, 0]\ngear_mass_kg = [1]"),
    ],
)
def test_lists_with_one_number_a_joint_are_good(model, more):
    load_text(robot(model, more))


@pytest.mark.parametrize(
    ("model", "more", "key", "words", "hint"),
    [
        ("arm6.urdf", "start_deg = [1, 2, 3]", "start_deg", "has 3 numbers, but R has 6 hinges",
         "one number each for joint_1, joint_2"),
        ("arm6.urdf", "start_m = [1]", "start_m", "R has no slides", "remove it"),
        ("gantry.toml", "start_deg = [1, 2]", "start_deg", "has 2 numbers, but R has 1 hinge", "w"),
        ("gantry.toml", "gear_mass_kg = [1]", "gear_mass_kg", "has 1 number, but R has 3 slides",
         "for x, y, z"),
        ("arm6.urdf", "gear_inertia_kg_m2 = [1]", "gear_inertia_kg_m2", "6 hinges", "joint_6"),
        ("arm6.urdf", "servo.stiffness_nm_rad = [1]", "servo.stiffness_nm_rad", "6 hinges", "jo"),
        ("arm6.urdf", "servo.damping_nms_rad = [1]", "servo.damping_nms_rad", "6 hinges", "joi"),
        ("arm6.urdf", "servo.stiffness_n_m = [1]", "servo.stiffness_n_m", "no slides", "remove"),
        ("arm6.urdf", "servo.damping_ns_m = [1]", "servo.damping_ns_m", "no slides", "remove"),
        ("arm6.urdf", "start_deg = []", "start_deg", "must be a list of numbers", "angle of each"),
        ("arm6.urdf", "gear_mass_kg = [-1]", "gear_mass_kg", "a list of numbers of at least 0", ""),
        ("arm6.urdf", 'drive = "serv"', "drive", '"servo" or "ideal"', "did you mean servo?"),
        ("arm6.urdf", "ramp_s = 1e-200", "ramp_s", "too small", "at least"),
        ("arm6.urdf", "watchdog_s = 0.015", "watchdog_s", "less than 2 set point periods", "0.02"),
    ],
)  # fmt: skip
def test_a_list_with_another_number_is_told(model, more, key, words, hint):
    expect(robot(model, more), 4, f"robot.R.{key}", words, hint)


# ---------------------------------------------------------------- starts


@pytest.mark.parametrize(
    ("model", "more", "key", "words", "hint"),
    [
        ("arm6.urdf", "start_deg = [0, 120, 0, 0, 0, 0]", "start_deg",
         "joint_2 starts at 120 deg, above its limit of 110.0022", "between -110.0022 and"),
        ("gantry.toml", "start_m = [0, -0.1, 0]", "start_m",
         "y starts at -0.1 m, below its limit of 0", "between 0 and 1.5"),
    ],
)  # fmt: skip
def test_joints_start_within_their_limits(model, more, key, words, hint):
    expect(robot(model, more), 4, f"robot.R.{key}", words, hint)


def test_a_joint_that_cannot_be_at_0_needs_a_start():
    text = robot("two_ends.toml", 'tip = "left"')
    words = "turn starts at 0 deg, below its limit of 10"
    expect(text, 2, "robot.R.start_deg", words, "stay above 10")
    load_text(text + "\nstart_deg = [10]")


# ---------------------------------------------------------------- the tip


def test_several_ends_need_a_tip():
    text = robot("two_ends.toml", "start_deg = [20]\n")
    words = "has several ends: left, right, plate"
    expect(text, 2, "robot.R", words, 'tip = "')
    load_text(text + 'tip = "right"')
    load_text(text + 'tip = "body"')


def test_the_tip_is_a_link():
    text = robot("arm6.urdf", 'tip = "flansch"')
    expect(text, 4, "robot.R.tip", "no link called flansch", "did you mean flange?")


@pytest.mark.parametrize("tip", ["plate", "base"])
def test_the_tip_moves(tip):
    text = robot("two_ends.toml", f'tip = "{tip}"\nstart_deg = [20]')
    expect(text, 4, "robot.R.tip", f"{tip} does not move", "that the robot moves")


# ---------------------------------------------------------------- names and places


def test_a_robot_alone_makes_a_cell():
    load_text(robot("arm6.urdf"))


def test_a_robot_shares_its_name_with_nobody():
    text = robot("arm6.urdf", "[mover.R]\n")
    expect(text, 4, "mover.R", "the name R is taken by robot.R in line 2", "another name")


@pytest.mark.parametrize("place", ["R", "R.link_3", "R.base_link", "R.flange"])
def test_things_are_mounted_on_a_robot_and_on_its_links(place):
    load_text(
        robot("arm6.urdf")
        + f"""
[frame.F]
on = "{place}"
[collision_object.C]
on = "{place}"
sphere.radius_m = 0.1
[visual.V]
on = "{place}"
sphere.radius_m = 0.1
[body.B]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[joint.J]
type = "revolute"
parent = "{place}"
child = "B"
[robot.Second]
model = "scara.toml"
on = "{place}"
"""
    )


@pytest.mark.parametrize(
    ("place", "words", "hint"),
    [
        ("R.link_33", "R has no link called link_33", "did you mean link_3?"),
        ("R.zzz", "R has no link called zzz", "known: base_link, link_1"),
        ("Q.link_3", "there is no robot called Q", "known: R"),
        ("Rack.link_3", "Rack is a frame, not a robot", "only robots have links: write Rack"),
        ("Q", "there is no frame, body, mover or robot called Q", "known:"),
        ("R.link_3.x", "must be a name", "Robot1.link_3"),
    ],
)
def test_a_place_that_is_not_there_is_told(place, words, hint):
    text = robot("arm6.urdf", f'[frame.Rack]\n[frame.F]\non = "{place}"\n')
    expect(text, 6, "frame.F.on", words, hint)


def test_a_robot_in_the_world_stands_on_nothing():
    text = robot("arm6.urdf", 'on = "World"\n')
    expect(text, 4, "robot.R.on", "called World", "leave `on` out: the robot then stands")


@pytest.mark.parametrize(
    ("on", "more", "words"),
    [
        ("R", "", "R cannot carry itself"),
        ("R.link_2", "", "R.link_2 cannot carry itself"),
        ("R.base_link", "", "R.base_link cannot carry itself"),
        ("F", '[frame.F]\non = "R.link_2"\n', "in a circle"),
        ("Q", '[robot.Q]\nmodel = "scara.toml"\non = "R.flange"\n', "in a circle"),
    ],
)
def test_a_robot_does_not_stand_on_itself(on, more, words):
    text = robot("arm6.urdf", f'on = "{on}"\n{more}')
    with pytest.raises(SpecError) as caught:
        load_text(text)
    (problem,) = caught.value.problems
    assert words in problem.text
    assert problem.hint == "one of them must stand on something else, or in the world"


# ---------------------------------------------------------------- who may carry an ideal robot

BELOW = """
[mover.M]
[frame.F]
[frame.G]
on = "M"
[body.Free]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[body.Hung]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[joint.Hinge]
type = "revolute"
parent = "F"
child = "Hung"
[body.Bolted]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[joint.Bolt]
type = "fixed"
parent = "F"
child = "Bolted"
[frame.OnFree]
on = "Free"
[robot.Servo]
model = "scara.toml"
[robot.Ideal]
model = "scara.toml"
drive = "ideal"
[robot.R]
model = "arm6.urdf"
drive = "{drive}"
on = "{on}"
"""


def standing(on, drive):
    return 'name = "x"' + BELOW.format(on=on, drive=drive)


@pytest.mark.parametrize(
    "on", ["M", "F", "G", "Bolted", "Ideal", "Ideal.forearm", "Ideal.base", "Servo.base"]
)
def test_an_ideal_robot_stands_on_what_no_force_moves(on):
    load_text(standing(on, "ideal"))


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ("Free", "cannot stand on Free: Free is moved by forces"),
        ("OnFree", "cannot stand on OnFree: Free is moved by forces"),
        ("Hung", "cannot stand on Hung: Hung is moved by forces"),
        ("Servo", "cannot stand on Servo: Servo gives way under load"),
        ("Servo.forearm", "Servo.forearm gives way under load"),
    ],
)
def test_an_ideal_robot_does_not_stand_on_what_forces_move(on, words):
    line = standing(on, "ideal").count("\n")
    expect(standing(on, "ideal"), line, "robot.R.on", words, 'write drive = "servo"')
    load_text(standing(on, "servo"))


# ---------------------------------------------------------------- what can be caught

CAUGHT = """
[constrained_object.Part]
on = "{on}"
radius_m = 0.1
eta = 50
[frame.F]
on = "R.link_3"
[body.B]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[joint.J]
type = "{joint}"
parent = "R"
child = "B"
"""


def caught(on, drive, joint="fixed"):
    return robot("arm6.urdf", f'drive = "{drive}"') + CAUGHT.format(on=on, joint=joint)


@pytest.mark.parametrize("on", ["R", "R.link_1", "R.flange", "F", "B"])
def test_a_servo_robot_can_be_caught(on):
    load_text(caught(on, "servo"))


def test_what_hangs_on_an_ideal_robot_can_be_caught():
    load_text(caught("B", "ideal", joint="revolute"))


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ("R", "the motion of R is prescribed: nothing could move"),
        ("R.link_3", "the motion of R.link_3 is prescribed: nothing could move"),
        ("F", "F is on R.link_3, whose motion is prescribed: nothing could move"),
        ("B", "B is fixed to R by joint.J: nothing could move"),
    ],
)
def test_an_ideal_robot_cannot_be_caught(on, words):
    key = "constrained_object.Part.on"
    expect(caught(on, "ideal"), 6, key, words, 'or write drive = "servo"')


def test_the_root_of_a_robot_in_the_world_cannot_be_caught():
    words = "R.base_link is fixed in the world: nothing could move"
    key = "constrained_object.Part.on"
    expect(caught("R.base_link", "servo"), 6, key, words, "a body that is free")

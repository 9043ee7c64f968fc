"""Moves and commands of robots in the timeline."""

from pathlib import Path

import pytest

from twincell.sim.spec import SpecError, load_text

ROBOTS = Path(__file__).parents[3] / "config" / "robots"

CELL = """\
name = "x"
[mover.M]
[robot.Arm]
model = "arm6.urdf"
[robot.Scara]
model = "scara.toml"
[[timeline]]
at_s = 1
"""
LINE = CELL.count("\n") + 1


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Names of model files are seen from the working directory."""
    monkeypatch.chdir(ROBOTS)


def expect(more, key, words, hint, line=LINE):
    """The cell with these lines in its timeline has exactly this mistake."""
    with pytest.raises(SpecError) as caught:
        load_text(CELL + more)
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (line, f"timeline[0].{key}" if key else "timeline[0]")
    assert words in problem.text
    assert hint in problem.hint


# ---------------------------------------------------------------- moves


@pytest.mark.parametrize(
    "more",
    [
        "move_joint.Arm.joints_deg = [0, 10, 20, 30, 40, 50]",
        "move_joint.Arm = { position_m = [1, 0, 1], orientation_deg = [0, 90, 0], speed = 0.5 }",
        "move_joint.Scara = { joints_deg = [0, 0, 0], joints_m = [0.1] }",
        "move_linear.Arm = { position_m = [1, 0, 1], speed_m_s = 0.1 }",
        "move_via.Arm.points = [{ position_m = [1, 0, 1] }, { position_m = [1, 1, 1] }]",
        "move_linear.Arm.position_m = [1, 0, 1]\nmove_linear.Scara.position_m = [1, 0, 1]",
    ],
)
def test_a_robot_can_be_moved(more):
    load_text(CELL + more)


@pytest.mark.parametrize(
    ("more", "key", "words", "hint"),
    [
        ("move_linear.Amr.position_m = [1, 0, 1]", "move_linear.Amr",
         "there is no robot called Amr", "did you mean Arm?"),
        ("move_linear.M.position_m = [1, 0, 1]", "move_linear.M",
         "M is a mover, not a robot", "known: Arm, Scara"),
        ("move_joint.Arm = {}", "move_joint.Arm", "has no target", "give joints_deg"),
        ("move_joint.Arm.speed = 0.5", "move_joint.Arm", "has no target", "or position_m"),
        ("move_joint.Arm = { position_m = [1, 0, 1], joints_deg = [0, 0, 0, 0, 0, 0] }",
         "move_joint.Arm.position_m", "has joint positions already", "keep position_m or joi"),
        ("move_joint.Arm = { orientation_deg = [1, 0, 1], joints_deg = [0, 0, 0, 0, 0, 0] }",
         "move_joint.Arm.orientation_deg", "needs a position", "give position_m too"),
        ("move_joint.Arm.joints_deg = [0, 0, 0]", "move_joint.Arm.joints_deg",
         "has 3 numbers, but Arm has 6 hinges", "joint_1, joint_2"),
        ("move_joint.Scara.joints_deg = [0, 0, 0]", "move_joint.Scara.joints_m",
         "is missing: a move gives all joints a position", "stroke"),
        ("move_joint.Arm = { joints_deg = [0, 0, 0, 0, 0, 0], joints_m = [1] }",
         "move_joint.Arm.joints_m", "Arm has no slides", "remove it"),
        ("move_joint.Scara = { joints_deg = [0, 0, 0], joints_m = [0.3] }",
         "move_joint.Scara.joints_m", "stroke would go to 0.3 m, above its limit of 0.2",
         "between 0 and 0.2"),
        ("move_joint.Scara = { joints_deg = [0, -160, 0], joints_m = [0.1] }",
         "move_joint.Scara.joints_deg", "elbow would go to -160 deg, below its limit of -150", "b"),
        ("move_linear.Arm = {}", "move_linear.Arm.position_m", "is missing", "where to"),
        ("move_linear.Arm = { position_m = [1, 0, 1], speed = 2 }", "move_linear.Arm.speed",
         "greater than 0 and at most 1, not 2", "share of"),
        ("move_via.Arm.points = []", "move_via.Arm.points", "a list of tables, not empty", "poses"),
        ("move_via.Arm.points = [{ position_m = 1 }]", "move_via.Arm.points[0].position_m",
         "three numbers", "where, in the world"),
        ('move_linear."A 1".position_m = [1, 0, 1]', 'move_linear."A 1"',
         "cannot be a name", "letters, digits and _"),
        ("move_linear = {}", "", "nothing is set and nothing moves", "give set, move_joint"),
        ("", "", "nothing is set and nothing moves", "give set, move_joint"),
    ],
)  # fmt: skip
def test_a_move_with_a_mistake_is_told(more, key, words, hint):
    expect(more, key, words, hint, line=LINE if key else LINE - 2)


def test_a_robot_gets_one_move_at_a_time():
    first = "move_linear.Arm.position_m = [1, 0, 1]\n"
    second = "move_joint.Arm.position_m = [1, 0, 1]\n"
    words = "Arm gets a move at 1 s already"
    expect(
        first + second,
        "move_linear.Arm",
        words,
        f"in timeline[0].move_joint.Arm in line {LINE + 1}",
    )
    later = "[[timeline]]\nat_s = {}\n" + first
    load_text(CELL + first + later.format("1.5"))
    with pytest.raises(SpecError, match="already"):
        load_text(CELL + first + later.format("1.0000000001"))


# ---------------------------------------------------------------- commands


@pytest.mark.parametrize(
    "setting",
    ['"Arm.Stop" = true', '"Arm.JointSetPoint" = 1', '"Arm.TcpSetPoint" = -2147483648',
     '"Arm.JointTarget.1" = 1', '"Arm.JointTarget.6" = -0.5', '"Scara.JointTarget.4" = 0.1',
     '"Arm.TcpTarget.X" = 0.5', '"Arm.TcpTarget.C" = 0.5'],
)  # fmt: skip
def test_a_robot_has_commands(setting):
    load_text(CELL + f"set = {{ {setting} }}")


@pytest.mark.parametrize(
    ("signal", "value", "words", "hint"),
    [
        ("Arm.Stop", "3", "Arm.Stop is true or false, not 3", 'write "Arm.Stop" = true'),
        ("Arm.JointSetPoint", "1.5", "is a whole number of 32 bits, not 1.5", '= 1'),
        ("Arm.JointSetPoint", "2147483648", "a whole number of 32 bits, not 2147483648", '= 1'),
        ("Arm.JointSetPoint", "true", "a whole number of 32 bits, not true", '= 1'),
        ("Arm.TcpSetPoint", "nan", "a whole number of 32 bits, not nan", '= 1'),
        ("Arm.TcpSetPoint", "inf", "a whole number of 32 bits, not inf", '= 1'),
        ("Arm.TcpTarget.X", "nan", "Arm.TcpTarget.X is a number, not nan", '= 0.5'),
        ("Arm.TcpTarget.X", "inf", "Arm.TcpTarget.X is a number, not inf", '= 0.5'),
        ("Arm.TcpTarget.X", "false", "Arm.TcpTarget.X is a number, not false", '= 0.5'),
        ("Arm.TcpTarget.X", "1" + "0" * 400, "is a number, not a number too large", '= 0.5'),
        ("Arm.JointTarget.7", "1", "there is no command Arm.JointTarget.7",
         "Arm has 6 axes: Arm.JointTarget.1 to Arm.JointTarget.6"),
        ("Arm.JointTarget.0", "1", "there is no command", "Arm has 6 axes"),
        ("Arm.Stopp", "true", "there is no command Arm.Stopp", "did you mean Arm.Stop?"),
        ("Amr.Stop", "true", "there is no command Amr.Stop", "did you mean Arm.Stop?"),
        ("Arm.Pose.X", "1", "is not a command", "known: Arm.Stop"),
    ],
)  # fmt: skip
def test_a_command_with_a_mistake_is_told(signal, value, words, hint):
    expect(f'set = {{ "{signal}" = {value} }}', f'set."{signal}"', words, hint)

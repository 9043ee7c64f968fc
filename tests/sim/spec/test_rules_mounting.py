"""What carries what: trees without circles, and nothing to be caught that could not move."""

import pytest

from twincell.sim.spec import SpecError, load_text

HEAD = 'name = "x"\n[mover.Robot]\n'


def body(name, more=""):
    return f"[body.{name}]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\n{more}"


def joint(name, parent, child, kind="fixed"):
    return f'[joint.{name}]\ntype = "{kind}"\nparent = "{parent}"\nchild = "{child}"\n'


def frame(name, on=None):
    return f"[frame.{name}]\n" + (f'on = "{on}"\n' if on else "")


def caught(on):
    return f'[constrained_object.Part]\non = "{on}"\nradius_m = 0.1\neta = 50\n'


def expect(more, line_text, key, words, hint):
    """The cell has exactly this mistake, in the last line that reads so."""
    text = HEAD + more
    with pytest.raises(SpecError) as error:
        load_text(text)
    (problem,) = error.value.problems
    rows = text.split("\n")
    assert problem.line == len(rows) - rows[::-1].index(line_text)
    assert problem.key == key
    assert words in problem.text
    assert hint in problem.hint


# ---------------------------------------------------------------- circles


def test_frames_do_not_carry_each_other():
    cell = frame("A", "B") + frame("B", "C") + frame("C", "A")
    expect(cell, 'on = "A"', "frame.C.on", "in a circle: A on B on C on A", "stand on something")


def test_a_frame_does_not_carry_itself():
    expect(frame("A", "A"), 'on = "A"', "frame.A.on", "A cannot carry itself", "in the world")


def test_a_frame_on_a_circle_is_not_a_second_mistake():
    cell = frame("A", "B") + frame("B", "A") + frame("C", "A")
    with pytest.raises(SpecError) as error:
        load_text(HEAD + cell)
    assert [problem.key for problem in error.value.problems] == ["frame.B.on"]


def test_bodies_do_not_carry_each_other():
    cell = body("A") + body("B") + joint("J", "A", "B") + joint("K", "B", "A", "revolute")
    expect(cell, 'parent = "B"', "joint.K.parent", "in a circle: B on A on B", "something else")


def test_a_body_does_not_hang_on_its_own_frame():
    cell = body("A") + frame("F", "A") + joint("J", "F", "A", "revolute")
    expect(cell, 'parent = "F"', "joint.J.parent", "in a circle", "something else")


def test_a_joint_does_not_join_a_body_to_itself():
    cell = body("A") + joint("J", "A", "A")
    expect(cell, 'parent = "A"', "joint.J.parent", "A cannot carry itself", "another body")


def test_a_body_hangs_on_one_joint_only():
    cell = body("A") + body("B") + joint("J", "A", "B") + joint("K", "Robot", "B")
    words = "B hangs already on joint.J in line 9"
    expect(cell, 'child = "B"', "joint.K.child", words, "hangs on one joint")


# ---------------------------------------------------------------- who decides where a body is


@pytest.mark.parametrize(
    "key", ["position_m", "orientation_deg", "velocity_m_s", "angular_velocity_deg_s"]
)
def test_a_body_on_a_joint_is_placed_by_it(key):
    given = f"{key} = [0, 0, 0]"
    cell = body("A", given + "\n") + joint("J", "Robot", "A", "revolute")
    words = "A hangs on joint.J in line 7, which places it"
    expect(cell, given, f"body.A.{key}", words, "set the start in joint.J")
    load_text(HEAD + body("A", given + "\n"))


# ---------------------------------------------------------------- what can be caught


@pytest.mark.parametrize(
    "cell",
    [
        body("A") + caught("A"),
        body("A") + frame("F", "A") + frame("G", "F") + caught("G"),
        body("A") + joint("J", "Robot", "A", "revolute") + caught("A"),
        frame("F") + body("A") + body("B") + joint("J", "F", "A", "prismatic")
        + joint("K", "A", "B") + caught("B"),
        body("A") + body("B") + joint("J", "A", "B") + caught("B"),
    ],
    ids=["free", "frames on a free body", "hinged", "fixed to a slide", "fixed to a free body"],
)  # fmt: skip
def test_what_can_move_can_be_caught(cell):
    load_text(HEAD + cell)


@pytest.mark.parametrize(
    ("cell", "on", "words"),
    [
        (frame("F"), "F", "F is fixed in the world: nothing could move"),
        (frame("F") + frame("G", "F"), "G", "G is fixed in the world: nothing could move"),
        ("", "Robot", "the motion of Robot is prescribed: nothing could move"),
        (frame("F", "Robot"), "F", "F is on Robot, whose motion is prescribed: nothing"),
        (frame("F") + body("A") + joint("J", "F", "A"), "A", "A is fixed to the world by joint.J"),
        (body("A") + body("B") + frame("F", "A") + joint("J", "Robot", "A") + joint("K", "F", "B"),
         "B", "B is fixed to Robot by joint.K and joint.J: nothing could move"),
    ],
)  # fmt: skip
def test_what_cannot_move_cannot_be_caught(cell, on, words):
    key = "constrained_object.Part.on"
    expect(cell + caught(on), f'on = "{on}"', key, words, "put it on a body that is free")


def test_what_hangs_on_a_wrong_entry_is_not_judged():
    cell = '[frame.F]\nposition_m = "here"\n' + caught("F")
    expect(cell, 'position_m = "here"', "frame.F.position_m", "three numbers", "without quotes")

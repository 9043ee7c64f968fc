"""The timeline sets what a controller may set, at ticks."""

import pytest

from twincell.sim.spec import SpecError, load_text

CELL = """\
name = "x"
{head}
[mover.Robot]
[collision_object.Flange]
on = "Robot"
mode = "control"
sphere.radius_m = 0.1
[collision_object.Holder]
on = "Robot"
sphere.radius_m = 0.1
[[timeline]]
at_s = 0
set = { "Flange.Closed" = false }
[[timeline]]
at_s = {at_s}
set = {set}
"""


def cell(set_='{ "Flange.Closed" = true }', at_s="1", head=""):
    return CELL.replace("{head}", head).replace("{at_s}", at_s).replace("{set}", set_)


def expect(text, line, key, words, hint):
    """The text has exactly this mistake."""
    with pytest.raises(SpecError) as caught:
        load_text(text)
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (line, key)
    assert words in problem.text
    assert hint in problem.hint


def test_a_control_object_can_be_closed():
    assert load_text(cell()).timeline[1].set == {"Flange.Closed": True}


@pytest.mark.parametrize(
    ("signal", "words", "hint"),
    [
        ("Flang.Closed", "there is no command Flang.Closed", "did you mean Flange.Closed?"),
        ("Flange.closd", "there is no command Flange.closd", "did you mean Flange.Closed?"),
        ("Xyz.Closed", "there is no command Xyz.Closed", "known: Flange.Closed"),
        ("", "there is no command", "known: Flange.Closed"),
        ("Holder.Closed", "not a command: Holder is passive", 'mode = "control" in collision_obj'),
        ("Flange.Force.X", "is not a command: a controller cannot set it", "known: Flange.Closed"),
        ("Robot.Pose.X", "is not a command: a controller cannot set it", "known: Flange.Closed"),
    ],
)
def test_a_signal_that_is_not_a_command_is_told(signal, words, hint):
    expect(cell(f'{{ "{signal}" = true }}'), 16, f'timeline[1].set."{signal}"', words, hint)


def test_without_control_objects_there_are_no_commands():
    text = 'name = "x"\n[mover.A]\n[[timeline]]\nat_s = 0\nset = { "A.Closed" = true }\n'
    expect(text, 5, 'timeline[0].set."A.Closed"', "not a command", "the cell has no commands")


@pytest.mark.parametrize(("value", "shown"), [("1", "1"), ("0.5", "0.5"), ("nan", "nan")])
def test_closed_is_true_or_false(value, shown):
    words = f"Flange.Closed is true or false, not {shown}"
    key = 'timeline[1].set."Flange.Closed"'
    expect(cell(f'{{ "Flange.Closed" = {value} }}'), 16, key, words, '"Flange.Closed" = true')


def test_a_number_of_any_size_can_be_told():
    huge = "0x" + "f" * 5000
    key = 'timeline[1].set."Flange.Closed"'
    expect(cell(f'{{ "Flange.Closed" = {huge} }}'), 16, key, "not a number too large", "= true")


def test_commands_come_at_ticks():
    words = "2.5005 s is not a whole number of steps of 1 ms"
    expect(cell(at_s="2.5005"), 15, "timeline[1].at_s", words, "write 2.5 or 2.501")


@pytest.mark.parametrize(
    ("at_s", "head"),
    [
        ("0.3", "step_s = 0.1"),  # 0.3 / 0.1 is not 3, but near enough
        ("3600.001", ""),
        ("1.0000000001", ""),
    ],
)
def test_rounding_is_forgiven(at_s, head):
    load_text(cell(at_s=at_s, head=head))


def test_ticks_are_not_judged_while_the_step_is_wrong():
    expect(cell(at_s="0.0005", head="step_s = 1"), 2, "step_s", "at most 0.1", "one tick")


def test_an_object_with_a_mistake_may_be_a_control_object():
    text = cell().replace('mode = "control"', 'mode = "controll"')
    expect(text, 6, "collision_object.Flange.mode", '"control"', "did you mean control?")


def test_a_signal_is_set_only_once_at_a_time():
    text = cell(at_s="0.0")
    expect(
        text,
        16,
        'timeline[1].set."Flange.Closed"',
        "Flange.Closed is set at 0 s already",
        "line 13",
    )

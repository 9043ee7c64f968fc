"""Names are unique and references lead somewhere."""

import pytest

from twincell.sim.spec import SpecError, load_text

CELL = """\
name = "x"
[frame.Rack]
[body.Tool]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[mover.Robot]
[joint.Slide]
type = "prismatic"
parent = "Rack"
child = "Tool"
"""
N_LINES = CELL.count("\n")


def expect(more, line, key, words, hint):
    """The cell with these lines added has exactly this mistake; lines count from the addition."""
    with pytest.raises(SpecError) as caught:
        load_text(CELL + more)
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (N_LINES + line, key)
    assert words in problem.text
    assert hint in problem.hint


def test_the_cell_without_additions_is_good():
    load_text(CELL)


@pytest.mark.parametrize(
    ("more", "key", "place"),
    [
        ("[frame.Tool]\n", "frame.Tool", "body.Tool in line 3"),
        ("[mover.Rack]\n", "mover.Rack", "frame.Rack in line 2"),
        ("[mover.Slide]\n", "mover.Slide", "joint.Slide in line 7"),
        ('[collision_object.Robot]\non = "Rack"\nsphere.radius_m = 1\n',
         "collision_object.Robot", "mover.Robot in line 6"),
        ('[constrained_object.Tool]\non = "Tool"\nradius_m = 1\neta = 9\n',
         "constrained_object.Tool", "body.Tool in line 3"),
        ('[visual.Tool]\non = "Tool"\nsphere.radius_m = 1\n', "visual.Tool", "body.Tool in line 3"),
    ],
)  # fmt: skip
def test_a_name_is_given_once(more, key, place):
    expect(more, 1, key, f"is taken by {place}", "choose another name")


def test_the_world_keeps_its_name():
    expect("[frame.World]\n", 1, "frame.World", "the world itself", "choose another name")
    for name in ("Cell", "Simulation", "Bulk"):
        expect(f"[mover.{name}]\n", 1, f"mover.{name}", f"{name} is the name of", "another name")


SHAPE = "sphere.radius_m = 1\n"
CAUGHT = "radius_m = 1\neta = 9\n"
BODY = "[body.Other]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\n"


@pytest.mark.parametrize(
    ("more", "line", "key"),
    [
        ('[frame.A]\non = "Rak"\n', 2, "frame.A.on"),
        (f'[collision_object.A]\non = "Rak"\n{SHAPE}', 2, "collision_object.A.on"),
        (f'[constrained_object.A]\non = "Rak"\n{CAUGHT}', 2, "constrained_object.A.on"),
        (f'[visual.A]\non = "Rak"\n{SHAPE}', 2, "visual.A.on"),
        (
            f'{BODY}[joint.A]\ntype = "fixed"\nparent = "Rak"\nchild = "Other"\n',
            6,
            "joint.A.parent",
        ),
    ],
)
def test_what_carries_something_exists(more, line, key):
    words = "there is no frame, body, mover or robot called Rak"
    expect(more, line, key, words, "did you mean Rack?")


def test_what_a_joint_carries_is_a_body():
    joint = '[joint.A]\ntype = "fixed"\nparent = "Rack"\nchild = "{}"\n'
    expect(joint.format("Tol"), 4, "joint.A.child", "there is no body called Tol", "mean Tool?")
    expect(joint.format("Robot"), 4, "joint.A.child", "Robot is a mover, not a body", "known: Tool")


def test_a_joint_carries_nothing_but_its_child():
    words = "Slide is a joint, not a frame, body, mover or robot"
    expect('[frame.A]\non = "Slide"\n', 2, "frame.A.on", words, "known: Rack, A, Tool, Robot")


def test_the_world_is_not_named_but_left_out():
    expect('[frame.A]\non = "World"\n', 2, "frame.A.on", "called World", "leave `on` out")
    visual = f'[visual.A]\non = "World"\n{SHAPE}'
    expect(visual, 2, "visual.A.on", "called World", "add a frame")


def test_an_entry_with_another_mistake_still_has_its_reference_checked():
    text = """
name = "x"
[mover.Robot]
[collision_object.Flange]
on = "Robott"
sphere.radius_m = -1.0
"""
    with pytest.raises(SpecError) as caught:
        load_text(text)
    keys = [problem.key for problem in caught.value.problems]
    assert keys == ["collision_object.Flange.on", "collision_object.Flange.sphere.radius_m"]

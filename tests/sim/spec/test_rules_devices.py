"""Devices refer to what they need, and to nobody else's."""

from tests.sim.spec.device_mistakes import mistakes
from twincell.sim.spec import load_text

CELL = """\
name = "x"
frame.Rack = {}
[mover.Hand]
[collision_object.Jaw]
on = "Hand"
mode = "control"
sphere.radius_m = 0.1
[collision_object.Holder]
on = "Rack"
sphere.radius_m = 0.1
[tool_stand.Stand]
holder = "Holder"
"""


def test_a_stand_has_a_holder():
    assert load_text(CELL).tool_stand["Stand"].holder == "Holder"


def test_a_stand_holds_by_itself():
    ((line, key, text, hint),) = mistakes(CELL.replace('"Holder"', '"Jaw"'))
    assert (line, key) == (12, "tool_stand.Stand.holder")
    assert text == "Jaw is a control object: a stand holds its tool by itself"
    assert hint == 'write mode = "passive" in collision_object.Jaw'


def test_a_stand_refers_to_a_collision_object():
    ((_, key, text, _),) = mistakes(CELL.replace('"Holder"', '"Hand"'))
    assert (key, text) == ("tool_stand.Stand.holder", "Hand is a mover, not a collision_object")
    ((_, _, text, hint),) = mistakes(CELL.replace('"Holder"', '"Holdr"'))
    assert text == "there is no collision_object called Holdr"
    assert hint == "did you mean Holder?"


def test_two_stands_do_not_share_a_holder():
    ((line, key, text, hint),) = mistakes(CELL + '[tool_stand.Other]\nholder = "Holder"\n')
    assert (line, key) == (14, "tool_stand.Other.holder")
    assert text == "Holder is the holder of another stand already"
    assert hint.startswith("give it a holder of its own; see tool_stand.Stand.holder")


def test_the_timeline_may_pull_levers():
    pulled = '[[timeline]]\nat_s = 0\nset = { "Stand.Fault.Empty" = true }\n'
    assert load_text(CELL + pulled).timeline[0].set == {"Stand.Fault.Empty": True}
    ((_, _, text, _),) = mistakes(CELL + pulled.replace("true", "2"))
    assert text == "Stand.Fault.Empty is true or false, not 2"
    ((_, _, text, hint),) = mistakes(CELL + pulled.replace("Empty", "Emty"))
    assert text == "there is no command Stand.Fault.Emty"
    assert hint == "did you mean Stand.Fault.Empty?"

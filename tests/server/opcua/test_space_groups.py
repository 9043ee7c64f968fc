"""Signals that belong together are found by their names alone."""

from twincell.server.opcua.space.layout import FRAME, VECTOR
from twincell.server.opcua.space.space_groups import find_groups
from twincell.sim.signals import Direction, Kind, Signal


def signals(*names, kind=Kind.DOUBLE, unit="", direction=Direction.FEEDBACK):
    return [
        Signal(name, column, kind, unit, direction, f"About {name}")
        for column, name in enumerate(names)
    ]


def found(*names, kind=Kind.DOUBLE):
    groups = find_groups(signals(*names, kind=kind))
    return [(group.name, group.layout.count, group.is_single) for group in groups]


def test_three_components_are_a_vector_and_six_a_frame():
    vector, frame = find_groups(
        signals("A.New.X", "A.New.Y", "A.New.Z", *(f"A.Place.{part}" for part in "XYZABC"))
    )
    assert (vector.name, vector.layout) == ("A.New", VECTOR)
    assert (frame.name, frame.layout) == ("A.Place", FRAME)
    assert frame.columns == (3, 4, 5, 6, 7, 8)


def test_a_quaternion_is_an_array_of_four():
    assert found(*(f"A.Turn.{part}" for part in "WXYZ")) == [("A.Turn", 4, False)]


def test_numbered_signals_are_an_array_also_if_there_is_only_one():
    assert found("A.Level.1", "A.Level.2", kind=Kind.INT32) == [("A.Level", 2, False)]
    assert found("A.Level.1", kind=Kind.BOOLEAN) == [("A.Level", 1, False)]


def test_what_forms_no_known_value_stays_single():
    assert found("A.Size.X", "A.Size.Z") == [("A.Size.X", 1, True), ("A.Size.Z", 1, True)]
    assert found("A.Level.2", "A.Level.3") == [("A.Level.2", 1, True), ("A.Level.3", 1, True)]
    assert found("A.Mass", "B.Mass") == [("A.Mass", 1, True), ("B.Mass", 1, True)]


def test_texts_and_flags_form_no_vector():
    assert all(single for *_, single in found("A.On.X", "A.On.Y", "A.On.Z", kind=Kind.BOOLEAN))
    assert all(single for *_, single in found("A.Who.1", "A.Who.2", kind=Kind.STRING))


def test_a_group_with_feedback_among_its_signals_is_no_command():
    commands = signals("A.Go.1", "A.Go.2", direction=Direction.COMMAND)
    assert find_groups(commands)[0].is_command
    assert not find_groups([commands[0], signals("A.Go.1", "A.Go.2")[1]])[0].is_command


def test_units_and_words_that_differ_are_left_out():
    first, second = signals("A.Go.1", "A.Go.2", unit="m")
    (group,) = find_groups([first, second])
    assert group.unit == "m"
    assert group.description == "About k"
    other = Signal("A.Go.2", 1, Kind.DOUBLE, "rad", Direction.FEEDBACK, "About A.Go.2")
    assert find_groups([first, other])[0].unit == ""

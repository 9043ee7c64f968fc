"""A wrong key or value is told in the words of the cell file."""

from pathlib import Path

import pytest

from twincell.sim.spec import SpecError, load_text

GOOD = (Path(__file__).parent / "good_cell.toml").read_text()


def mistakes(text):
    with pytest.raises(SpecError) as caught:
        load_text(text)
    return caught.value.problems


def expect(text, line, key, words, hint):
    """The text has exactly this mistake."""
    (problem,) = mistakes(text)
    assert (problem.line, problem.key) == (line, key)
    assert words in problem.text
    assert hint in problem.hint


def changed(old, new):
    """The good cell with one change, and the line where it is."""
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new), GOOD[: GOOD.index(old)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "key", "words", "hint"),
    [
        # keys
        ("mode = \"passive\"", "mod = \"passive\"", "collision_object.Holder1.mod",
         "unknown key", "did you mean mode?"),
        ("mode = \"passive\"", "Zzz = 1", "collision_object.Holder1.Zzz",
         "unknown key", "known: on, mode, closed, sphere, rectangle, disc"),
        ("gravity_m_s2 =", "gravity =", "gravity", "unknown key", "did you mean gravity_m_s2?"),
        ("amplitude_m = 0.1", "amplitude_m = 0.1, freq_hz = 2", "mover.Shaker.sine.freq_hz",
         "unknown key", "did you mean frequency_hz?"),
        ("axis =", "fixed =", "joint.Hinge.fixed", "unknown key", "known: type, parent"),
        ("[visual.ToolBox]", "[visual.\"Tool Box\"]", "visual.\"Tool Box\"",
         "cannot be a name", "letters, digits and _"),
        # types
        ("mass_kg = 1.0", "mass_kg = \"1.0\"", "body.ToolBody.mass_kg",
         "must be a number greater than 0, not the text \"1.0\"", "without quotes"),
        ("mass_kg = 1.0", "mass_kg = true", "body.ToolBody.mass_kg",
         "not true", "true and false are not numbers"),
        ("mass_kg = 1.0", "mass_kg = 1979-05-27", "body.ToolBody.mass_kg",
         "not the date or time 1979-05-27", "for example mass_kg = 1.0"),
        ("mass_kg = 1.0", "mass_kg = {}", "body.ToolBody.mass_kg", "not a table", "mass_kg = 1.0"),
        ("eta = 50", "eta = [50]", "constrained_object.Tool1.eta", "not [50]", "rate at which"),
        ("eta = 50", "eta = 50\ntransition = 1", "constrained_object.Tool1.transition",
         "must be true or false, not 1", "let the constraint force grow"),
        ("eta = 50", "eta = 50\ntransition = \"true\"", "constrained_object.Tool1.transition",
         "must be true or false", "without quotes"),
        ("on = \"Robot1\"", "on = 1", "collision_object.Robot1Flange.on",
         "must be a name, not 1", "in quotes"),
        ("on = \"Robot1\"", "on = \"Robot 1\"", "collision_object.Robot1Flange.on",
         "must be a name, not the text", "letters, digits and _"),
        ("name = \"First cell\"", "name = 5", "name", "must be a text", "what to call the cell"),
        ("name = \"First cell\"", "name = \"\"", "name", "a text, not empty", "what to call"),
        ("colour = \"#102030\"", "colour = \"red\"", "visual.ToolBox.colour",
         "a colour such as", "as #RRGGBB"),
        ("sphere = { radius_m = 0.2 }", "sphere = 0.1",
         "collision_object.Holder1.sphere", "must be a table, not 0.1", "catches what comes"),
        ("amplitude_m = 0.1 }", "amplitude_m = \"big\" }", "mover.Shaker.sine.amplitude_m",
         "a number of at least 0", "without quotes"),
        # vectors
        ("[1.0, 0.0, 0.78]", "[1.0, 0.0]", "frame.Rack.position_m",
         "must be three numbers, not [1, 0]", "where it is"),
        ("[0, 0, -9.81]", "[0, 0, 0, 0]", "gravity_m_s2", "not [0, 0, 0, 0]", "free fall"),
        ("[0, 0, -9.81]", "[0, 0, nan]", "gravity_m_s2", "not [0, 0, nan]", "nan and inf"),
        ("[0, 0, -9.81]", "[0, 0, \"-9.81\"]", "gravity_m_s2", "\"-9.81\"", "without quotes"),
        ("[0, 0, -9.81]", "-9.81", "gravity_m_s2", "three numbers, not -9.81", "free fall"),
        ("[0, 0, -9.81]", "[[0], [0], [0]]", "gravity_m_s2", "not a list of 3", "free fall"),
        ("[0.1, 0.1, 0.2]", "[0.1, 0.1, 0]", "visual.ToolBox.box.size_m",
         "three numbers greater than 0", "for example size_m = [1.0, 1.0, 1.0]"),
        ("[0.01, 0.01, 0.01]", "[0.01, 0.01]", "body.ToolBody.inertia_kg_m2",
         "three numbers or six numbers", "about the centre of mass"),
        ("[0.01, 0.01, 0.01]", "[0.01, \"a\", 0.01]", "body.ToolBody.inertia_kg_m2",
         "three numbers or six numbers", "without quotes"),
        # ranges
        ("mass_kg = 1.0", "mass_kg = -1", "body.ToolBody.mass_kg", "greater than 0, not -1", "1.0"),
        ("mass_kg = 1.0", "mass_kg = nan", "body.ToolBody.mass_kg", "not nan", "nan and inf"),
        ("mass_kg = 1.0", "mass_kg = inf", "body.ToolBody.mass_kg", "not inf", "nan and inf"),
        ("mass_kg = 1.0", "mass_kg = 1" + "0" * 400, "body.ToolBody.mass_kg",
         "a number too large", "mass_kg = 1.0"),
        ("gravity_m_s2 = [0, 0, -9.81]", "step_s = 0.5", "step_s",
         "greater than 0 and at most 0.1, not 0.5", "one tick"),
        ("gravity_m_s2 = [0, 0, -9.81]", "integrator = \"rk5\"", "integrator",
         "must be \"rk4\" or \"semi_implicit\"", "did you mean rk4?"),
        ("mode = \"passive\"", "mode = \"pasive\"", "collision_object.Holder1.mode",
         "must be \"passive\" or \"control\"", "did you mean passive?"),
        ("type = \"revolute\"", "type = \"revolut\"", "joint.Hinge.type",
         "must be \"fixed\"", "did you mean revolute?"),
        ("type = \"revolute\"", "type = 1", "joint.Hinge.type", "not 1", ""),
        ("type = \"revolute\"", "type = [1]", "joint.Hinge.type", "not [1]", ""),
        # the timeline
        ("{ \"Robot1Flange.Closed\" = true }", "{}", "timeline[0].set",
         "nothing is set and nothing moves", "give set, move_joint"),
        ("{ \"Robot1Flange.Closed\" = true }", "{ Robot1Flange.Closed = true }",
         "timeline[0].set.Robot1Flange", "not a table", "write it in quotes"),
        ("{ \"Robot1Flange.Closed\" = true }", "{ \"Robot1Flange.Closed\" = \"true\" }",
         "timeline[0].set.\"Robot1Flange.Closed\"", "true or false or a number", "without quotes"),
        ("at_s = 2.5", "at_s = -1", "timeline[0].at_s", "at least 0, not -1", "simulated time"),
    ],
)  # fmt: skip
def test_a_wrong_key_or_value_is_told(old, new, key, words, hint):
    text, line = changed(old, new)
    line += new.count("\n")  # a mistake in an added line
    expect(text, line, key, words, hint)


@pytest.mark.parametrize(
    ("gone", "line", "key", "hint"),
    [
        ('name = "First cell"\n', None, "name", "give a text, not empty: what to call the cell"),
        ("mass_kg = 1.0\n", 7, "body.ToolBody.mass_kg", "give a number greater than 0"),
        ("eta = 50\n", 43, "constrained_object.Tool1.eta", "rate at which"),
        ('type = "revolute"\n', 16, "joint.Hinge.type", '"revolute" or "screw"'),
        ("radius_m = 0.2", 35, "collision_object.Holder1.sphere.radius_m", "give a number"),
        ("at_s = 2, ", 27, "mover.Robot1.waypoints[1].at_s", "give a number of at least 0"),
        ("at_s = 2.5\n", 53, "timeline[0].at_s", "give a number of at least 0"),
    ],
)  # fmt: skip
def test_a_missing_key_is_told_at_its_table(gone, line, key, hint):
    text, _ = changed(gone, "")
    expect(text, line, key, "is missing", hint)


@pytest.mark.parametrize(
    ("section", "key", "words", "hint"),
    [
        ("[[body]]\nmass_kg = 1\n", "body", "must be a table for each body", "[body.Name]"),
        ("[body]\nmass_kg = 1\n", "body.mass_kg", "must be a table, not 1", "[body.Name]"),
        ("[timeline]\nat_s = 1\n", "timeline", "must be a list of tables", "two brackets"),
        ("timeline = [3]\n", "timeline[0]", "must be a table, not 3", "commands and moves that"),
        ("[mover.B]\nwaypoints = []\n", "mover.B.waypoints", "a list of tables, not empty", "pos"),
        ("[mover.B]\nwaypoints = [1]\n", "mover.B.waypoints[0]", "must be a table", "a pose"),
        ("[joint]\nJ = 1\n", "joint.J", "must be a table, not 1", "[joint.Name]"),
    ],
)
def test_a_section_of_the_wrong_kind_is_told(section, key, words, hint):
    text = 'name = "x"\n' + section + ("" if section.startswith("[mover") else "[mover.A]\n")
    expect(text, 3 if section.count("\n") == 2 and "." in key else 2, key, words, hint)


def test_a_misspelt_section_is_not_called_an_empty_cell():
    expect('name = "x"\n[bodies.A]\n', 2, "bodies", "unknown key", "did you mean body?")


def test_no_message_speaks_the_language_of_the_library():
    words = ("pydantic", "Input should", "validat", "dict", "tuple", "Field", "str_", "union")
    text = GOOD.replace("1.0", '"x"').replace("[0, 0, 1]", "3").replace("true", "[]")
    told = " ".join(f"{problem.text} {problem.hint}" for problem in mistakes(text))
    assert not [word for word in words if word in told]

"""Reading a cell file: what is right is read, what is wrong is told, all at once."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.sim.spec import CellSpec, SpecError, load_cell, load_text
from twincell.sim.spec.joint import RevoluteJoint

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


# ---------------------------------------------------------------- what is right


def test_a_good_cell_is_read():
    cell = load_text(GOOD)
    assert isinstance(cell, CellSpec)
    assert cell.name == "First cell"
    assert cell.gravity_m_s2 == (0.0, 0.0, -9.81)
    assert cell.step_s == 0.001
    assert isinstance(cell.joint["Hinge"], RevoluteJoint)
    assert cell.mover["Robot1"].waypoints[1].at_s == 2.0
    assert cell.timeline[0].set == {"Robot1Flange.Closed": True}


def test_a_cell_knows_the_lines_of_its_keys():
    cell = load_text(GOOD, file="my_cell.toml")
    assert cell.source.file == "my_cell.toml"
    assert cell.source.line_of("body.ToolBody") == 7
    assert cell.source.line_of("mover.Robot1.waypoints[1].at_s") == 27
    assert cell.source.line_of("constrained_object.Tool1.transition_s") == 43


def test_a_cell_made_without_a_file_has_a_source_too():
    assert CellSpec(name="made").source.line_of("name") is None
    assert CellSpec(name="made").source.file == "<cell>"


def test_a_file_is_read_as_its_text(tmp_path):
    file = tmp_path / "cell.toml"
    file.write_text(GOOD)
    assert load_cell(file).body == load_text(GOOD).body
    assert load_cell(str(file)).source.file == str(file)


def test_a_file_with_a_byte_order_mark_and_windows_line_ends_is_read(tmp_path):
    file = tmp_path / "cell.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_cell(file).source.line_of("body.ToolBody") == 7


# ---------------------------------------------------------------- files that cannot be read


def file_mistake(path):
    with pytest.raises(SpecError) as caught:
        load_cell(path)
    (problem,) = caught.value.problems
    assert caught.value.file == str(path)
    return problem


def test_a_missing_file_is_told_with_its_neighbour(tmp_path):
    (tmp_path / "first_cell.toml").write_text(GOOD)
    problem = file_mistake(tmp_path / "frist_cell.toml")
    assert problem.text == "there is no such file"
    assert problem.hint == "did you mean first_cell.toml?"
    assert file_mistake(tmp_path / "xyz.toml").hint == "check the path"


def test_a_missing_folder_is_told(tmp_path):
    assert "there is no folder" in file_mistake(tmp_path / "none" / "cell.toml").hint


def test_a_folder_is_told(tmp_path):
    (tmp_path / "one.toml").write_text(GOOD)
    problem = file_mistake(tmp_path)
    assert problem.text == "this is a folder"
    assert "one.toml" in problem.hint


def test_an_unreadable_file_is_told(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    problem = file_mistake(tmp_path / "cell.toml")
    assert problem.text == "cannot be read: Permission denied"
    assert "who may read it" in problem.hint


def test_a_path_that_cannot_be_is_told(tmp_path):
    assert "not a possible path" in file_mistake(tmp_path / "a\0b.toml").text


def test_a_file_in_another_encoding_is_told_with_its_line(tmp_path):
    file = tmp_path / "cell.toml"
    file.write_bytes('name = "x"\ndescription = "Prüfstand"\n'.encode("latin-1"))
    problem = file_mistake(file)
    assert problem.line == 2
    assert "UTF-8" in problem.text
    assert problem.hint == "save the file as UTF-8"


@pytest.mark.parametrize(
    ("text", "line", "words", "hint"),
    [
        ('name = "x"\nstep_s = .5', 2, "invalid value", "a digit before and after the point"),
        ('name = "x', 1, "unterminated string", "ends too early"),
        ('name = "x\n', 1, "illegal character", "close the quotes in the same line"),
        ("a = [\n1\n", 2, "unclosed array", "ends too early"),
        ("a = [\n1,\n", 2, "invalid value", "ends too early"),
        ("a = { x = 1\n", 1, "unclosed inline table", "close the bracket"),
        ("a = 1\na = 2", 2, "cannot overwrite", "stands twice"),
        ("name x", 1, "expected '='", "write key = value"),
        ("[frame.A\n", 1, "expected ']'", "close the brackets"),
        ("x = 1 y = 2", 1, "expected newline", "one key = value a line"),
        ("é = 1", 1, "invalid statement", "compare with a cell that loads"),
    ],
)
def test_broken_toml_is_told_with_its_line(text, line, words, hint):
    expect(text, line, "", f"not valid TOML: {words}", hint)


def test_a_table_that_stands_twice_is_named():
    expect("[body.A]\n[body.A]\n", 2, "body.A", "stands twice", "keep one")


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "9" * 5000])
def test_absurd_toml_is_refused(text):
    (problem,) = mistakes(text)
    assert "too" in problem.text


# ---------------------------------------------------------------- all at once


def test_a_dozen_mistakes_are_told_at_once_in_the_order_of_the_file():
    text = """\
nam = "A dozen mistakes"
step_s = "1 ms"
[frame.Rack]
position_m = [1, 2]
[body.Tool]
mass_kg = -1
inertia_kg_m2 = [1, 1, 3]
[body.Plate]
mass_kg = 1
inertia_kg_m2 = [1, 1, 3]
[mover.Robot]
waypoints = [
  { at_s = 1, position_m = [0, 0, 0] },
  { at_s = 1, position_m = [0, 0, 1] },
]
[collision_object.Holder]
on = "Rak"
sphere = { radius_m = 0.1, colour = "red" }
[collision_object.Flange]
on = "Robt"
[constrained_object.Part]
on = "Rack"
radius_m = 0.1
eta = 50
[[timeline]]
at_s = 1
set = { "Holder.Closed" = 1, "Part.Force.X" = 1 }
"""
    found = [(problem.line, problem.key) for problem in mistakes(text)]
    assert found == [
        (None, "name"),
        (1, "nam"),
        (2, "step_s"),
        (4, "frame.Rack.position_m"),
        (6, "body.Tool.mass_kg"),
        (10, "body.Plate.inertia_kg_m2"),
        (14, "mover.Robot.waypoints[1].at_s"),
        (17, "collision_object.Holder.on"),
        (18, "collision_object.Holder.sphere.colour"),
        (19, "collision_object.Flange"),
        (20, "collision_object.Flange.on"),
        (27, 'timeline[0].set."Holder.Closed"'),
        (27, 'timeline[0].set."Part.Force.X"'),
    ]


# ---------------------------------------------------------------- whatever happens

SPICE = st.sampled_from(
    ["1", "-1", "nan", "inf", "true", '"x"', "[]", "{}", "[[", "]]", "=", "\n", '"', "'''", ".",
     "World", "Rack", "ToolBody", "Robot1", "1e308", "1e-320", "0", "9" * 400, "0x" + "f" * 5000,
     "1979-05-27", "#", "\\", "é", "\0", '"a.b"', 'on = "Rack"\n', "[body.Rack]\n", "[frame]\n",
     'on = "Holder1"\n', 'parent = "Door"\n']
)  # fmt: skip


@st.composite
def damaged(draw):
    """The good cell with a few words removed, repeated, exchanged or spiced."""
    text = GOOD
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 3, 10, 60])))
        piece = draw(st.one_of(st.just(""), SPICE, st.just(text[start:end] * 2)))
        text = text[:start] + piece + text[end:]
    return text


@st.composite
def revalued(draw):
    """The good cell with some values replaced, so that it is still TOML."""
    values = ["1", "-1", "0", "nan", "true", '"x"', '"Rack"', '"Door"', '"Robot1"', "[]", "{}",
              "[0, 0, 0]", "[1, 2]", "1e308", "[1e308, 1e308, 1e308]", "1e-320", "9" * 400,
              "[{}]", "1979-05-27", "[5e-324, 5e-324, 5e-324]"]  # fmt: skip
    lines = GOOD.split("\n")
    for _ in range(draw(st.integers(1, 6))):
        i = draw(st.integers(0, len(lines) - 1))
        key, equals, _ = lines[i].partition(" = ")
        if equals and "{" not in key:
            lines[i] = f"{key} = {draw(st.sampled_from(values))}"
    return "\n".join(lines)


@settings(max_examples=100, deadline=None)
@given(st.one_of(damaged(), revalued()))
def test_a_damaged_file_is_read_or_refused_but_never_breaks_the_loader(text):
    try:
        load_text(text)
    except SpecError as error:
        assert str(error)
        assert all(problem.text for problem in error.problems)


def test_a_large_cell_is_read():
    many = "".join(
        f"[body.B{i}]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\n"
        f"[constrained_object.C{i}]\non = 'B{i}'\nradius_m = 1\neta = 9\n"
        for i in range(500)
    )
    assert len(load_text(f"name = 'many'\n{many}").body) == 500

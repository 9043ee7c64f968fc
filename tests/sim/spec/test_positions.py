"""The scanner finds every key that tomllib reads, in the line where it stands."""

import json
import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.sim.spec.positions import key_lines
from twincell.sim.spec.problems import key_of

EVERYTHING = '''\
name = "a # in a text" # and a comment
dotted.key.deep = 1
"quoted key" . 'single' = 2
  indented = """
several lines, ["brackets"], \\""" and = signs
two quotes at the end"""""
literal = \'\'\'
it's \\ here\'\'\'\'
date = 1979-05-27 07:32:00
number = -1.5e+3

[mover.Robot1]  # [not.a.table]
waypoints = [
  { at_s = 0, position_m = [0.5, 0, 1.2] },
  # { at_s = 1 }
  { at_s = 2, position_m = [1,
      0, 0.78] }, { at_s = 3, pose.x = 1 },
]
empty = []
nothing = {}

[ "a.b" . 'c d' ]
x = 1

[[timeline]]
at_s = 1
set = { "Flange.Closed" = true }

[[timeline]]
at_s = 2
[timeline.set]
"Flange.Closed" = false

[[timeline.more]]
x = 1
[[timeline.more]]
x = 2

[late.table]
x = 1
[late]
y = 2
'''


def paths(value, parts=()):
    """All paths of a value that tomllib has read."""
    if parts:
        yield parts
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, (*parts, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from paths(item, (*parts, place))


def expect_all_paths(text):
    assert set(key_lines(text)) == {key_of(path) for path in paths(tomllib.loads(text))}


def line_with(text, fragment):
    (line,) = [i for i, row in enumerate(text.split("\n"), 1) if fragment in row]
    return line


def test_every_kind_of_key_is_found():
    expect_all_paths(EVERYTHING)


def test_keys_have_the_line_where_they_stand():
    text = EVERYTHING
    lines = key_lines(text)
    assert lines["name"] == 1
    assert lines["dotted.key"] == 2
    assert lines["dotted.key.deep"] == 2
    assert lines['"quoted key".single'] == 3
    assert lines["indented"] == 4
    assert lines["literal"] == 7
    assert lines["date"] == line_with(text, "date =")
    assert lines["mover.Robot1"] == line_with(text, "[mover.Robot1]")
    assert lines["mover.Robot1.waypoints[0].position_m"] == line_with(text, "0.5")
    assert lines["mover.Robot1.waypoints[1].at_s"] == line_with(text, "at_s = 2,")
    assert lines["mover.Robot1.waypoints[1].position_m[2]"] == line_with(text, "0.78")
    assert lines["mover.Robot1.waypoints[2].pose.x"] == line_with(text, "pose.x")
    assert lines['"a.b"."c d".x'] == line_with(text, "'c d'") + 1
    assert lines["timeline"] == lines["timeline[0]"] == lines["timeline[0].at_s"] - 1
    assert lines['timeline[1].set."Flange.Closed"'] == line_with(text, "= false")
    assert lines["timeline[1].more[1].x"] == lines["timeline[1].more[0].x"] + 2


def test_a_table_declared_after_its_part_has_its_own_line():
    text = "[late.table]\nx = 1\n[late]\ny = 2\n"
    assert key_lines(text) == {"late.table": 1, "late.table.x": 2, "late": 3, "late.y": 4}


def test_windows_line_ends_count_once():
    text = 'a = 1\r\nb = """x\r\ny"""\r\nc = [\r\n1]\r\n'
    assert key_lines(text) == {"a": 1, "b": 2, "c": 4, "c[0]": 5}


def test_an_empty_text_has_no_keys():
    assert key_lines("") == {}
    assert key_lines("# nothing\n\n") == {}


# ---------------------------------------------------------------- any text at all

# characters that could lead the scanner astray
AWKWARD = st.text("ab\"'\\#[]{}=,.\n\t é", max_size=8)
KEYS = st.one_of(st.from_regex(r"[A-Za-z0-9_-]{1,4}", fullmatch=True), AWKWARD)
LEAVES = st.one_of(st.booleans(), st.integers(-9, 9), st.floats(-9, 9), AWKWARD)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
TABLES = st.dictionaries(KEYS, VALUES, max_size=5)


class Writer:
    """Writes data as TOML in one of its many spellings, and keeps the line of what it wrote."""

    def __init__(self, draw):
        self.draw = draw
        self.text = ""
        self.lines = {}

    def choose(self, *options):
        return self.draw(st.sampled_from(options))

    def put(self, text):
        self.text += text

    def note(self, parts):
        self.lines[key_of(parts)] = self.text.count("\n") + 1

    def key(self, name):
        if key_of([name]) == name and self.choose(True, False):
            self.put(name)
        elif not set("'\n\t") & set(name) and self.choose(True, False):
            self.put(f"'{name}'")
        else:
            self.put(json.dumps(name))

    def value(self, value, parts):
        if isinstance(value, dict):
            self.put("{ ")
            for i, (key, item) in enumerate(value.items()):
                self.put(", " if i else "")
                self.note((*parts, key))
                self.key(key)
                self.put(" = ")
                self.value(item, (*parts, key))
            self.put(" }")
        elif isinstance(value, list):
            self.put("[" + self.choose("", "\n", " # [\n"))
            for i, item in enumerate(value):
                self.note((*parts, i))
                self.value(item, (*parts, i))
                self.put(self.choose(", ", ",\n", " , # ]'\"\n "))
            self.put("]")
        elif isinstance(value, str):
            self.put(self.string(value))
        else:
            self.put(json.dumps(value))

    def string(self, value):
        spellings = [json.dumps(value)]
        if not set("'\n") & set(value):
            spellings.append(f"'{value}'")
        if "'''" not in value and not value.startswith("\n"):
            spellings.append(f"'''\n{value}'''")
        if '"""' not in value and "\\" not in value:
            spellings.append(f'"""\n{value}"""')
        return self.choose(*spellings)

    def table(self, table, parts):
        """Assignments first, then tables, as a header ends the table above."""
        later = []
        for key, item in table.items():
            is_list = isinstance(item, list) and item and all(isinstance(x, dict) for x in item)
            if (isinstance(item, dict) or is_list) and self.choose(True, False):
                later.append((key, item))
                continue
            self.put(self.choose("", "  "))
            self.note((*parts, key))
            self.key(key)
            self.put(self.choose("=", " = ", "\t= "))
            self.value(item, (*parts, key))
            self.put(self.choose("\n", " # [x] = '\n\n"))
        for key, item in later:
            if isinstance(item, dict):
                self.note((*parts, key))
                self.head("[", (*parts, key), "]")
                self.table(item, (*parts, key))
            else:
                self.note((*parts, key))
                for i, inner in enumerate(item):
                    self.note((*parts, key, i))
                    self.head("[[", (*parts, key), "]]")
                    self.table(inner, (*parts, key, i))

    def head(self, opening, parts, closing):
        self.put(opening)
        for i, name in enumerate(name for name in parts if isinstance(name, str)):
            self.put(self.choose(".", " . ") if i else "")
            self.key(name)
        self.put(closing + self.choose("\n", " # ]\n"))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_every_path_of_any_text_is_found_in_its_line(data):
    table = data.draw(TABLES)
    writer = Writer(data.draw)
    writer.table(table, ())
    expect_all_paths(writer.text)
    assert key_lines(writer.text) == writer.lines

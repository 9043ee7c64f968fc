"""A file that leads too deep is refused at once, with its line and its key, whoever reads it."""

import sys
import tomllib

import pytest

from twincell.server.kit.scenario_load import load_scenario
from twincell.sim.spec import SpecError, load_cell
from twincell.sim.spec.depth import DEEPEST, too_deep
from twincell.sim.spec.positions import key_lines
from twincell.sim.spec.robot_files import load_model

READERS = {"cell": load_cell, "robot": load_model, "scenario": load_scenario}

# one more than is allowed, as many as end Python's stack, and as many as took minutes
DEPTHS = (DEEPEST + 1, 1000, 20_000)


def deep_texts(depth):
    """The same depth in each spelling, its first name `a`; it stands in line 3."""
    names = ".".join(["a"] * depth)
    return {
        "dotted key": f"{names} = 1\n",
        "quoted key": "a" + '."b c"' * (depth - 1) + " = 1\n",
        "table": f"[{names}]\n",
        "list of tables": f"[[{names}]]\n",
        "lists": f"a = {'[' * depth}{']' * depth}\n",
        "lists that are not closed": f"a = {'[' * depth}\n",
        "inline tables": f"a = {'{ a = ' * depth}1{' }' * depth}\n",
        "lists of inline tables": f"a = {'[{ a = ' * depth}1{' }]' * depth}\n",
    }


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("spelling", deep_texts(1))
def test_a_deep_key_is_refused_with_its_line(tmp_path, reader, depth, spelling):
    file = tmp_path / "deep.toml"
    file.write_text(f'name = "x"\n\n{deep_texts(depth)[spelling]}')
    with pytest.raises(SpecError) as caught:
        READERS[reader](file)
    (problem,) = caught.value.problems
    assert problem.line == 3
    assert problem.text == f"is too deep: more than {DEEPEST} names and lists lead to it"
    assert problem.key.startswith("a")
    assert problem.key.endswith("...")
    assert len(problem.key) < 50
    assert problem.hint


def test_a_depth_grows_from_header_to_key_to_value():
    half = ".".join(["a"] * (DEEPEST // 2))
    text = f"[{half}]\nfine = 1\n{half} = {{ b = [1] }}\n"
    problem = too_deep(text)
    assert problem is not None
    assert problem.line == 3


ALLOWED = [
    ".".join(["a"] * DEEPEST) + " = 1.5\n",
    f"a = {'[' * (DEEPEST - 1)}{']' * (DEEPEST - 1)}\n",
    f"a = {'{ a = ' * (DEEPEST - 1)}1{' }' * (DEEPEST - 1)}\n",
    # many, but none of them deep
    "a = [" + "1.5, " * 1000 + "]\n",
    "a = [" + "[1], " * 1000 + "]\n",
    "a = { " + ", ".join(f"k{i}.b.c = [{i}.5]" for i in range(100)) + " }\n",
    "".join(f"[[a]]\nb.c.d = {i}.5\n[a.b.e]\nd = [[1], [2]]\n" for i in range(100)),
    "".join(f"[[a]] # [[[\nx = '''\n{'[' * 100}'''\n" for _ in range(100)),
]


@pytest.mark.parametrize("text", ALLOWED)
def test_what_is_not_deep_is_read(text):
    tomllib.loads(text)  # it is TOML
    assert too_deep(text) is None


@pytest.mark.parametrize("text", ['a = "\n', "a = '''\n" + "[" * 100, "]]]}}},,,", "[", "= ="])
def test_what_is_no_toml_is_left_to_its_reader(text):
    assert too_deep(text) is None


# ---------------------------------------------------------------- work grows as the text does


def work(function, text):
    """Calls of functions, in Python and in C: the same in each run, however busy the machine is."""
    n_call = 0

    def count(frame, event, argument):
        nonlocal n_call
        n_call += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        function(text)
    finally:
        sys.setprofile(None)
    return n_call


LONG = {
    "tables": lambda n: "".join(f"[frame.F{i}]\nposition_m = [{i}, 0, 0]\n" for i in range(n)),
    "lists of tables": lambda n: "".join(f"[[timeline]]\nat_s = {i}\n" for i in range(n)),
    "one list": lambda n: f"a = [{'[0, 1], ' * n}]\n",
    "keys of one table": lambda n: "".join(f"a.k{i} = 1\n" for i in range(n)),
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
@pytest.mark.parametrize("function", [too_deep, key_lines])
def test_ten_times_the_text_is_ten_times_the_work(function, text):
    assert work(function, text(20_000)) < 10.1 * work(function, text(2_000))


def test_quotes_that_nothing_closes_are_looked_at_once():
    assert work(too_deep, '\\"' * 100_000) == work(too_deep, '\\"' * 1000)


def test_four_times_the_depth_is_four_times_the_work():
    def deep(depth):
        return f"{'.'.join(['a'] * depth)} = 1\n"

    assert work(key_lines, deep(DEEPEST)) < 4.1 * work(key_lines, deep(DEEPEST // 4))

"""How mistakes are collected and told."""

import pickle

import pytest

from twincell.sim.spec.problems import (
    Problem,
    Problems,
    Source,
    SpecError,
    did_you_mean,
    key_of,
    number,
)

FILE = "config/cells/my_cell.toml"


def test_an_error_reads_as_file_line_key_problem_and_hint():
    problems = Problems(Source(FILE, {"constrained_object.tool1.eta": 14}))
    problems.add(
        "constrained_object.tool1.eta",
        "5000 is unstable with a step of 1 ms",
        hint="stay below 2785, or shorten step_s",
    )
    with pytest.raises(SpecError) as caught:
        problems.raise_if_any()
    assert str(caught.value) == (
        "config/cells/my_cell.toml:14: constrained_object.tool1.eta: "
        "5000 is unstable with a step of 1 ms\n"
        "  hint: stay below 2785, or shorten step_s"
    )
    assert caught.value.file == FILE


def test_problems_are_told_in_the_order_of_the_file():
    problems = Problems(Source(FILE, {"a": 9, "b": 2, "c": 5}))
    for key in "abc":
        problems.add(key, "is wrong")
    problems.add("", "the cell is empty")
    with pytest.raises(SpecError) as caught:
        problems.raise_if_any()
    assert str(caught.value).splitlines() == [
        f"{FILE}: the cell is empty",
        f"{FILE}:2: b: is wrong",
        f"{FILE}:5: c: is wrong",
        f"{FILE}:9: a: is wrong",
    ]


def test_without_problems_nothing_is_raised():
    problems = Problems(Source(FILE, {}))
    assert not problems
    problems.raise_if_any()


def test_the_same_mistake_is_told_once():
    problems = Problems(Source(FILE, {}))
    problems.add("a", "is wrong")
    problems.add("a", "is wrong")
    assert problems
    assert list(problems) == [Problem(None, "a", "is wrong")]


def test_a_key_that_is_not_in_the_file_has_the_line_of_what_encloses_it():
    source = Source(FILE, {"body": 1, "body.A": 3, "timeline[1]": 7, 'set."A.Closed"': 9})
    assert source.line_of("body.A") == 3
    assert source.line_of("body.A.mass_kg") == 3
    assert source.line_of("body.B.mass_kg") == 1
    assert source.line_of("timeline[1].set") == 7
    assert source.line_of('set."A.Closed"[2].x') == 9
    assert source.line_of("timeline[2]") is None
    assert source.line_of("") is None


def test_a_place_names_the_line_if_it_is_known():
    source = Source(FILE, {"body.A": 3})
    assert source.place("body.A") == "body.A in line 3"
    assert source.place("joint.J") == "joint.J"


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (["mover", "Robot1", "waypoints", 2, "position_m"], "mover.Robot1.waypoints[2].position_m"),
        (["timeline", 0, "set", "Flange.Closed"], 'timeline[0].set."Flange.Closed"'),
        (["body", ""], 'body.""'),
        (["body", 'a"b'], r'body."a\"b"'),
        ([], ""),
    ],
)
def test_a_key_is_written_as_in_the_file(parts, key):
    assert key_of(parts) == key


def test_a_wrong_name_gets_the_nearest_known_one():
    assert did_you_mean("mass", ["mass_kg", "position_m"]) == "did you mean mass_kg?"
    assert did_you_mean("ROBOT1", ["Robot1"]) == "did you mean Robot1?"


def test_a_name_like_no_other_gets_the_list():
    assert did_you_mean("colour", ["mass_kg", "position_m"]) == "known: mass_kg, position_m"
    assert did_you_mean("colour", []) == ""


def test_a_long_list_of_names_is_cut():
    assert did_you_mean("?", [f"Tool{i}" for i in range(1000)]).endswith("Tool23, ...")


def test_numbers_are_written_as_people_do():
    assert [number(x) for x in (5000.0, 0.1, 1e-5, -9.81)] == ["5000", "0.1", "1e-05", "-9.81"]


def test_an_error_survives_the_way_between_processes():
    error = SpecError(FILE, [Problem(3, "body.A", "is wrong", "mend it")])
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.problems == error.problems


def test_a_flood_of_mistakes_is_cut():
    error = SpecError(FILE, [Problem(k, f"body.A{k}", "is wrong", "") for k in range(250)])
    assert len(str(error).splitlines()) == 101
    assert str(error).endswith("... and 150 more mistakes")
    assert len(error.problems) == 250


def test_mistakes_of_another_file_follow_with_its_name():
    problems = Problems(Source(FILE, {"a": 9}))
    other = SpecError("arm.urdf", [Problem(7, "link.b", "is wrong"), Problem(3, "link.a", "too")])
    problems.include(other)
    problems.add("a", "is wrong")
    with pytest.raises(SpecError) as caught:
        problems.raise_if_any()
    assert str(caught.value).splitlines() == [
        f"{FILE}:9: a: is wrong",
        "arm.urdf:3: link.a: too",
        "arm.urdf:7: link.b: is wrong",
    ]

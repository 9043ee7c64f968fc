"""Scenario files: every mistake is named, with its line, its key and what to do."""

from pathlib import Path

import pytest

from twincell.server.cli.scenario_file import SHIPPED
from twincell.server.kit.scenario_load import load_scenario
from twincell.sim.spec.problems import SpecError

GOOD = """\
name = "Tried"
cell = "tool_change_multi"

[[step]]
name = "close"
set = { "Robot1Flange.Closed" = true }
expect = { "Tool1.Partner" = "Robot1Flange" }
within_s = 0.5
"""


def mistakes(folder: Path, text: str) -> str:
    file = folder / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as told:
        load_scenario(file)
    return str(told.value).replace(f"{folder}/", "")


def test_a_good_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(GOOD, encoding="utf-8")
    scenario = load_scenario(file)
    assert (scenario.name, len(scenario.step)) == ("Tried", 1)
    assert scenario.source.line_of("step[0].set") == 6


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.toml")), ids=lambda file: file.stem)
def test_shipped_scenarios_are_without_mistakes(file: Path) -> None:
    assert load_scenario(file).step


@pytest.mark.parametrize(
    ("good", "bad", "told"),
    [
        (
            "set =",
            "sett =",
            "toml:6: step[0].sett: unknown key\n  hint: did you mean set?",
        ),
        ('name = "close"\n', "", "step[0].name: is missing"),
        ("0.5", "-1", "step[0].within_s: must be a number greater than 0, not -1"),
        ("0.5", '"0.5"', "write numbers without quotes"),
        ('"tool_change_multi"', '"tool_change_mutli"', "no shipped cell is called"),
        ('"tool_change_multi"', '"there.toml"', "there.toml: there is no such file"),
        ('"Robot1Flange" }', "{ abve = 3 } }", "unknown key\n  hint: did you mean above?"),
        ('"Robot1Flange" }', "[1] }", "must be a value or a table of bounds, not [1]"),
        ('"Robot1Flange" }', "{ above = true } }", "above: must be a number, not true"),
        ('"Robot1Flange" }', "{ between = [2, 1] } }", "2 is above 1\n  hint: write [1, 2]"),
        ('"Robot1Flange" }', "{ above = 2, below = 1 } }", "nothing is above 2 and below 1"),
        ('"Robot1Flange" }', "{ } }", "has no bounds"),
        ('"Tool1.Partner" =', "Tool1.Partner =", "the name of a signal has a dot"),
        ('"Robot1Flange.Closed" =', "Robot1Flange.Closed =", "the name of a signal has a dot"),
        ('expect = { "Tool1.Partner" = "Robot1Flange" }\n', "", "nothing to expect within"),
        ("within_s = 0.5", "at_s = 2\n[[step]]\nname = 'b'\nat_s = 1", "1 s is before the step"),
        ("within_s = 0.5", "[[step]]\nname = 'b'", "step[1]: nothing happens in this step"),
        ("[[step]]", "[step]", "must be a list of tables"),
        ('name = "Tried"\n', "", "name: is missing"),
        ("within_s = 0.5", "within_s = ", "not valid TOML"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, good: str, bad: str, told: str) -> None:
    assert good in GOOD
    assert told in mistakes(tmp_path, GOOD.replace(good, bad, 1))


def test_all_mistakes_are_told_together(tmp_path: Path) -> None:
    text = mistakes(
        tmp_path,
        GOOD.replace("set =", "sett =").replace("0.5", "0") + "\n[[step]]\nnam = 'b'\nnever = {}\n",
    )
    for part in ("step[0].sett", "step[0].within_s", "step[1].name: is missing", "step[1].nam"):
        assert part in text


def test_no_step_at_all_is_a_mistake(tmp_path: Path) -> None:
    assert "step: is missing" in mistakes(tmp_path, 'name = "x"\ncell = "tool_change_multi"\n')

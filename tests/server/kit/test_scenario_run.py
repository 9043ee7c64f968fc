"""Scenarios against a real cell: what passes, what fails and is told, and how close it was."""

import re
from pathlib import Path

import pytest
from pytest import approx

from twincell.server.kit.cell_under_test import CellUnderTest
from twincell.server.kit.scenario_load import load_scenario
from twincell.server.kit.scenario_result import Outcome, ScenarioResult
from twincell.server.kit.scenario_run import run_scenario
from twincell.server.kit.scenario_signals import check_signals
from twincell.sim.spec.problems import Problems, SpecError

HEAD = 'name = "Tried"\ncell = "tool_change_multi"\n'
OVER_TOOL_1 = "move_linear.Robot1 = { position_m = [1.0, 0.0, 1.1], speed_m_s = 0.5 }\n"


def run(cell: CellUnderTest, folder: Path, text: str) -> ScenarioResult:
    file = folder / "scenario.toml"
    file.write_text(HEAD + text, encoding="utf-8")
    scenario = load_scenario(file)
    problems = Problems(scenario.source)
    check_signals(scenario, cell.connection.catalogue, problems)
    problems.raise_if_any()
    return run_scenario(scenario, file, cell)


def test_an_expectation_is_met_with_its_margins(robots: CellUnderTest, tmp_path: Path) -> None:
    result = run(
        robots,
        tmp_path,
        '[[step]]\nname = "go"\n' + OVER_TOOL_1 + 'expect = { "Robot1.Moving" = false,'
        ' "Robot1.TcpPose.Z" = { between = [1.0, 1.2] } }\nwithin_s = 3.0\nfor_s = 0.2\n',
    )
    assert result.outcome is Outcome.PASSED
    moving, height, *stays = result.checks
    assert moving.took_s is not None and 0.5 < moving.took_s < 3.0  # s: it really moved
    assert moving.time_margin_s == approx(3.0 - moving.took_s, abs=1e-9)
    assert height.value_margin == approx(0.1, abs=0.01)  # in the middle, but for the servos
    assert [check.what for check in stays] == ["for", "for"]
    assert all(trace.time_s[0] == 0.0 for trace in result.traces)


def test_a_missed_expectation_ends_the_scenario(robots: CellUnderTest, tmp_path: Path) -> None:
    result = run(
        robots,
        tmp_path,
        '[[step]]\nname = "close"\nset = { "Robot1Flange.Closed" = true }\n'
        'expect = { "Tool1.Partner" = "Robot1Flange", "Robot1Flange.IsClosed" = true }\n'
        'within_s = 0.2\n[[step]]\nname = "later"\nfor_s = 1.0\n',
    )
    assert [step.outcome for step in result.steps] == [Outcome.FAILED, Outcome.NOT_RUN]
    ((step, check),) = result.failures
    assert (step.name, check.signal, check.seen) == ("close", "Tool1.Partner", '"Holder1"')
    assert check.at_s == approx(0.2, abs=1e-9)
    assert result.simulated_s == approx(0.2, abs=1e-9)


def test_what_does_not_stay_fails_in_its_tick(robots: CellUnderTest, tmp_path: Path) -> None:
    result = run(
        robots,
        tmp_path,
        '[[step]]\nname = "go"\n'
        + OVER_TOOL_1
        + 'expect = { "Robot1.TcpPose.X" = { below = 0.8 } }\n'
        "within_s = 0.1\nfor_s = 2.0\n",
    )
    ((_, check),) = result.failures
    assert check.what == "for"
    assert check.value_margin is not None and check.value_margin <= 0.0
    assert 0.1 < check.at_s < 2.0


def test_what_must_never_happen_is_found_in_the_very_tick(
    robots: CellUnderTest, tmp_path: Path
) -> None:
    result = run(
        robots,
        tmp_path,
        'never = { "Robot1Flange.IsClosed" = true }\n'
        '[[step]]\nname = "wait"\nfor_s = 0.1\n'
        '[[step]]\nname = "pulse"\nset = { "Robot1Flange.Closed" = true }\n'
        '[[step]]\nname = "open"\nset = { "Robot1Flange.Closed" = false }\nfor_s = 0.1\n',
    )
    assert [step.outcome for step in result.steps[:3]] == [
        Outcome.PASSED,
        Outcome.FAILED,
        Outcome.NOT_RUN,
    ]
    assert result.failures[0][1].at_s == approx(0.101, abs=1e-9)  # the tick that latched it


def test_a_step_waits_for_its_time_and_its_signals(robots: CellUnderTest, tmp_path: Path) -> None:
    result = run(
        robots,
        tmp_path,
        '[[step]]\nname = "begin"\nat_s = 0.5\n'
        + OVER_TOOL_1
        + '[[step]]\nname = "on the way"\nwhen = { "Robot1.TcpPose.X" = { above = 0.8 } }\n'
        'when_within_s = 3.0\nset = { "Robot1Flange.Closed" = true }\n'
        'expect = { "Robot1Flange.IsClosed" = true }\n'
        '[[step]]\nname = "too late"\nat_s = 0.6\n',
    )
    begin, on_the_way, too_late = result.steps
    assert begin.begun_s == approx(0.5, abs=1e-9)
    assert on_the_way.checks[0].what == "when"
    assert on_the_way.checks[1].took_s == approx(0.001, abs=1e-9)  # with the next tick
    assert too_late.outcome is Outcome.FAILED
    assert "too late" in too_late.checks[0].seen


def test_a_step_that_is_planned_begins_in_its_tick_however_seldom_others_look(
    robots: CellUnderTest, tmp_path: Path
) -> None:
    result = run(
        robots,
        tmp_path,
        '[[step]]\nname = "go"\n'
        + OVER_TOOL_1
        + 'expect = { "Robot1.TcpPose.X" = { above = 0.8 } }\nwithin_s = 2.0\n'
        '[[step]]\nname = "soon"\nat_s = 0.857\nset = { "Robot1Flange.Closed" = true }\n',
    )
    assert result.outcome is Outcome.PASSED
    assert result.steps[1].begun_s == approx(0.857, abs=1e-9)


def test_a_refused_move_fails_its_step(robots: CellUnderTest, tmp_path: Path) -> None:
    result = run(
        robots,
        tmp_path,
        '[[step]]\nname = "away"\nmove_linear.Robot1 = { position_m = [9, 0, 0] }\n',
    )
    ((_, check),) = result.failures
    assert (check.what, check.wanted) == ("do", "is accepted")
    assert "Robot1.MoveLinear: was refused: BadOutOfRange" in check.seen
    assert "Robot1 cannot be there: out of reach" in check.seen  # in the words of the cell's log


def test_a_scenario_gives_the_same_result_every_time(robots: CellUnderTest, tmp_path: Path) -> None:
    text = (
        '[[step]]\nname = "go"\n' + OVER_TOOL_1 + 'expect = { "Robot1.Moving" = false }\n'
        'within_s = 3.0\nnever = { "Tool1.Force.Z" = { above = 20.0 } }\n'
    )
    first = run(robots, tmp_path, text)
    robots.reset()
    assert run(robots, tmp_path, text).checks == first.checks


def test_what_the_cell_does_not_have_is_told_all_at_once(
    robots: CellUnderTest, tmp_path: Path
) -> None:
    with pytest.raises(SpecError) as told:
        run(
            robots,
            tmp_path,
            'plot = ["Tool3.Force.Z"]\n'
            '[[step]]\nname = "wrong"\nset = { "Robot1Flange.Close" = true, "Robot2.Stop" = 1 }\n'
            'expect = { "Tool1.Partner" = 3, "Tool1.Force.Z" = 9.81, "Tool1.Constrained" ='
            " { above = 1 } }\nwithin_s = 1.0\n"
            "move_linear.Robot3 = { position_m = [1, 0, 1] }\n"
            'fault = { "Tool1.Fault.Lost" = 1 }\n'
            'call = [{ method = "Simulation.Spead" }]\n',
        )
    text = str(told.value)
    assert "scenario.toml:3: plot[0]: there is no signal Tool3.Force.Z" in text
    assert 'set."Robot1Flange.Close": there is no command Robot1Flange.Close' in text
    assert "hint: did you mean Robot1Flange.Closed?" in text
    assert "Robot2.Stop is a Boolean, not 1" in text
    assert "Tool1.Partner is a text, and cannot be 3" in text
    assert "hint: give bounds: { between = [9.7, 9.9] }" in text
    assert "Tool1.Constrained is a Boolean: it has no bounds" in text
    assert "there is no robot Robot3" in text
    assert "there is no method Simulation.Spead" in text
    assert len(told.value.problems) >= 8


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            'call = [{ method = "Simulation.SetSpeed", arguments = ["a"] }]',
            "step[0].call[0].arguments: Simulation.SetSpeed: Speed cannot be 'a'",
        ),
        (
            'call = [{ method = "Simulation.SetSpeed", arguments = [1, 2] }]',
            "Simulation.SetSpeed takes 1 arguments, not 2",
        ),
        (
            'call = [{ method = "Simulation.Step", arguments = [-1] }]',
            "Simulation.Step: N cannot be -1",
        ),
        (
            'set = { "Robot1.JointSetPoint" = 5_000_000_000 }',
            "is a whole number of 32 bits, not 5000000000",
        ),
    ],
)
def test_values_that_cannot_be_are_told_before_anything_runs(
    robots: CellUnderTest, tmp_path: Path, line: str, told: str
) -> None:
    with pytest.raises(SpecError, match=re.escape(told)):
        run(robots, tmp_path, f'[[step]]\nname = "wrong"\n{line}\nfor_s = 0.1\n')


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("Simulation.Reset", "a scenario begins at the start"),
        ("Simulation.Restore", "a scenario begins at the start"),
        ("Simulation.SetTimeMode", "give for_s"),
        ("Simulation.Pause", "give for_s"),
        ("Simulation.Resume", "give for_s"),
    ],
)
def test_a_scenario_neither_sets_time_back_nor_stops_it(
    robots: CellUnderTest, tmp_path: Path, method: str, hint: str
) -> None:
    with pytest.raises(SpecError) as told:
        run(
            robots,
            tmp_path,
            'never = { "Tool1.Partner" = "" }\n[[step]]\nname = "wait"\nfor_s = 0.1\n'
            f'[[step]]\nname = "back"\ncall = [{{ method = "{method}" }}]\n',
        )
    assert f"step[1].call[0].method: {method} cannot be called in a scenario" in str(told.value)
    assert hint in str(told.value)

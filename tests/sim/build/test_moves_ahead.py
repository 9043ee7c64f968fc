"""Moves of a timeline are planned ahead: one after the other, and all of them possible."""

from pathlib import Path

import numpy as np
import pytest

from twincell.sim.cell import Cell
from twincell.sim.spec import SpecError, load_text

ROBOTS = Path(__file__).parents[3] / "config" / "robots"
GANTRY = f'name = "x"\n[robot.G]\nmodel = "{ROBOTS / "gantry.toml"}"\ndrive = "ideal"\n'
MOVE = "[[timeline]]\nat_s = {}\nmove_joint.G = {{ joints_m = [{}, 0.2, 0.1], joints_deg = [0] }}\n"


def told(text):
    with pytest.raises(SpecError) as caught:
        Cell(load_text(text))
    (problem,) = caught.value.problems
    return problem


def test_a_move_may_begin_as_soon_as_the_last_one_is_over():
    first = Cell(load_text(GANTRY + MOVE.format(0, 0.5))).compiled.moves[0]
    over = int(np.ceil(first.plan.law[-1, 0] / 1e-3)) + 1
    cell = Cell(load_text(GANTRY + MOVE.format(0, 0.5) + MOVE.format(over / 1000, 0.8)))
    cell.run(over + 3000)
    assert (cell["G.MoveCount"], cell.text("G.Refusal")) == (2.0, "")
    assert cell["G.JointPosition.1"] == pytest.approx(0.8, abs=1e-12)
    problem = told(GANTRY + MOVE.format(0, 0.5) + MOVE.format((over - 1) / 1000, 0.8))
    assert problem.key == "timeline[1].move_joint.G"
    assert f"until {over / 1000:g} s" in problem.text


def test_a_move_after_a_stop_or_a_stream_cannot_be_planned_ahead():
    for command in ('"G.Stop" = true', '"G.JointSetPoint" = 1'):
        lead = f"[[timeline]]\nat_s = 1\nset = {{ {command} }}\n"
        problem = told(GANTRY + lead + MOVE.format(3, 0.5))
        assert "stopped or streamed to at 1 s" in problem.text


def test_only_the_first_impossible_move_of_a_robot_is_told():
    problem = told(GANTRY + MOVE.format(0, 1.0) + MOVE.format(0.01, 0.8) + MOVE.format(0.02, 0.1))
    assert problem.key == "timeline[1].move_joint.G"

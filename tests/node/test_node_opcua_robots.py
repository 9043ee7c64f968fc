"""node-opcua moves robots: what their methods do is what the simulation does by itself."""

from pathlib import Path

import numpy as np
import pytest

from twincell.sim.cell import Cell

CELL = Path(__file__).parents[2] / "config" / "cells" / "tool_change_multi_ideal.toml"


def test_a_move_by_method_is_the_move_of_the_simulation_bit_by_bit(robots):
    cell = Cell.load(CELL)
    cell.ignore_timeline()
    cell.run(1)
    cell.robot("Robot1").move_joint(robots["turned"], speed=0.5)
    for name in ("under", "arrived"):
        tick, moving, joints, pose = robots[name]
        cell.run(tick + 1 - cell.tick)
        assert cell["Robot1.Moving"] == moving
        assert [cell[f"Robot1.JointPosition.{k}"] for k in range(1, 7)] == joints
        assert cell["Robot1.TcpPose.X"] == pose["cartesianCoordinates"]["x"]
        assert cell["Robot1.TcpPose.C"] == pose["orientation"]["c"]
    assert robots["move"]["status"] == "Good"
    assert joints == pytest.approx(robots["turned"], abs=1e-12)


def test_a_linear_move_ends_at_its_pose(robots):
    assert robots["back"]["status"] == robots["line"]["status"] == "Good"
    _, moving, _, pose = robots["atTool"]
    assert not moving
    assert pose["cartesianCoordinates"] == pytest.approx({"x": 1.0, "y": 0.0, "z": 1.1}, abs=1e-6)


def test_moves_that_cannot_be_are_refused(robots):
    assert robots["busy"]["status"] == "BadInvalidState"
    refused = {what: (one["status"], one["inputs"]) for what, one in robots["refused"].items()}
    assert refused == {
        "limit": ("BadOutOfRange", []),
        "short": ("BadInvalidArgument", ["BadTypeMismatch", "Good"]),
        "nan": ("BadInvalidArgument", ["BadOutOfRange", "Good"]),
        "reach": ("BadOutOfRange", []),
    }


def test_set_points_are_written_whole_in_part_and_as_floats(robots):
    stream = robots["stream"]
    assert stream["status"] == ["Good", "Good"]
    assert stream["part"] == stream["floats"] == ["Good"]
    assert stream["written"] == stream["target"]
    assert np.array_equal(stream["other"], [0.5, 0.25, 0, 0, 0, 0])


def test_wrong_set_points_are_refused_and_change_nothing(robots):
    assert robots["stream"]["wrong"] == [
        "BadTypeMismatch",
        "BadIndexRangeNoData",
        "BadOutOfRange",
        "BadTypeMismatch",
    ]

"""Signals know between which numbers they stay, where the cell knows it."""

import math
from pathlib import Path

import pytest

from twincell.sim.cell import Cell
from twincell.sim.signals import Direction, Kind
from twincell.sim.spec import load_text

CELLS = Path(__file__).parents[3] / "config" / "cells"
FREE = ["Hinge.Velocity", "Hinge.Torque", "Door.Pose.X", "Door.Velocity.X"]
CELL = """
name = "Limits"
[frame.Post]
[body.Door]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[body.Drawer]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[joint.Hinge]
type = "revolute"
parent = "Post"
child = "Door"
lower_deg = -90
{upper}
[joint.Slide]
type = "prismatic"
parent = "Post"
child = "Drawer"
lower_m = 0.0
upper_m = 0.4
"""


def limits(name, upper="upper_deg = 45"):
    return Cell(load_text(CELL.format(upper=upper))).signals[name].limits


def test_a_joint_between_two_stops_has_their_range():
    assert limits("Hinge.Position") == pytest.approx((-math.pi / 2, math.pi / 4))
    assert limits("Slide.Position") == (0.0, 0.4)


def test_a_joint_with_one_stop_or_none_has_no_range():
    assert limits("Hinge.Position", upper="") is None


@pytest.mark.parametrize("name", FREE)
def test_what_nobody_limits_has_no_range(name):
    assert limits(name) is None


def test_angles_and_quaternions_have_that_of_their_definition():
    assert limits("Door.Pose.A") == (-math.pi, math.pi)
    assert limits("Door.Pose.B") == (-math.pi / 2, math.pi / 2)
    assert limits("Door.Quaternion.W") == (-1.0, 1.0)


@pytest.mark.parametrize("cell", ["tool_changer_atc", "tool_change_multi", "first_cell"])
def test_rows_of_a_run_stay_within_their_ranges(cell):
    ran = Cell.load(CELLS / f"{cell}.toml")
    rows = ran.run(3000)
    for signal in ran.signals:
        if signal.limits is None:
            continue
        assert signal.kind is Kind.DOUBLE or signal.direction is Direction.FAULT
        least, most = signal.limits
        slack = 1e-9 + 0.01 * (most - least)  # a servo overshoots a little
        values = rows[:, signal.column]
        assert values.min() >= least - slack, signal.name
        assert values.max() <= most + slack, signal.name

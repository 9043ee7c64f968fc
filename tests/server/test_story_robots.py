"""The summary of a robot is the same however the rows are cut into chunks."""

import math

import numpy as np
import pytest

from twincell.server.report import robots as story_robots
from twincell.server.report.robots import RobotWatch
from twincell.sim.signals import Direction, Kind, Signal, SignalTable
from twincell.sim.spec.robot_model import ModelJoint

STEP_S = 0.001
JOINTS = (
    ModelJoint("turn", "revolute", "base", "arm", effort=50.0),
    ModelJoint("slide", "prismatic", "arm", "hand"),  # its model says nothing about its drive
)
QUANTITIES = ("JointTorque", "JointPosition", "JointReference", "Overload", "AtLimit")
NAMES = [
    "Refusal",
    "RefusalCount",
    "StreamLost",
    *(f"{quantity}.{k}" for quantity in QUANTITIES for k in (1, 2)),
]
TEXTS = ("", "out of reach", "busy with a move")


def table() -> SignalTable:
    return SignalTable(
        Signal(f"R.{name}", column, Kind.DOUBLE, "", Direction.FEEDBACK, "")
        if name != "Refusal"
        else Signal("R.Refusal", column, Kind.STRING, "", Direction.FEEDBACK, "", TEXTS)
        for column, name in enumerate(NAMES)
    )


def quiet_rows(ticks: int = 3000) -> np.ndarray:
    return np.zeros((ticks, len(NAMES)))


def told(rows: np.ndarray, chunk: int) -> RobotWatch:
    watch = RobotWatch("R", JOINTS, table(), STEP_S)
    for start in range(0, len(rows), chunk):
        watch.append(start, rows[start : start + chunk])
    return watch


def column(name: str) -> int:
    return NAMES.index(name)


@pytest.mark.parametrize("chunk", [1, 7, 1000, 3000])
def test_events_are_told_in_the_order_of_time(chunk):
    rows = quiet_rows()
    rows[100:, column("Refusal")] = 1
    rows[100:, column("RefusalCount")] = 1
    rows[160:, column("RefusalCount")] = 2  # refused again, for the same reason
    rows[200:, column("Refusal")] = 2  # and for another one
    rows[200:, column("RefusalCount")] = 3
    rows[300:, column("Refusal")] = 0
    rows[400:500, column("StreamLost")] = 1
    rows[150, column("AtLimit.2")] = 1
    rows[600:700, column("Overload.1")] = 1
    rows[800:, column("Overload.1")] = 1  # only the first time is told
    assert [(event.at_s, event.text) for event in told(rows, chunk).events] == [
        (0.1, "refused an order: out of reach"),
        (0.15, "slide at the end of its range"),
        (0.16, "refused an order: out of reach"),
        (0.2, "refused an order: busy with a move"),
        (0.4, "stream of set points lost"),
        (0.6, "drive of turn overloaded: its limit is 50 Nm"),
    ]


@pytest.mark.parametrize("chunk", [1, 999, 3000])
def test_greatest_effort_has_its_moment_sign_or_not(chunk):
    rows = quiet_rows()
    rows[1000, column("JointTorque.1")] = 20.0
    rows[2000, column("JointTorque.1")] = -40.0
    rows[500:, column("JointReference.1")] = 0.25
    rows[500:, column("JointPosition.1")] = 0.75
    turn, slide = told(rows, chunk).drives
    assert (turn.effort, turn.at_s, turn.share, turn.off) == (40.0, 2.0, 0.8, 0.5)
    assert (slide.effort, slide.share, slide.off) == (0.0, 0.0, 0.0)
    assert math.isinf(slide.most)


def test_robot_with_endless_refusals_is_cut_short_and_counted(monkeypatch):
    monkeypatch.setattr(story_robots, "MOST_ROBOT_EVENTS", 10)
    rows = quiet_rows()
    rows[:, column("Refusal")] = 1
    rows[:, column("RefusalCount")] = np.arange(len(rows)) // 2 + 1
    watch = told(rows, 700)
    assert len(watch.events) == 10
    assert watch.events_left_out == 1500 - 10

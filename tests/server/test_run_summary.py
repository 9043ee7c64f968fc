"""The summary of a run is the same however the rows are cut into chunks."""

import numpy as np
import pytest

from twincell.server.report import run_summary as story_file
from twincell.server.report.run_summary import RunSummary
from twincell.sim.signals import Direction, Kind, Signal, SignalTable

STEP_S = 0.001
NAMES = ["Tool.Force.X", "Tool.Force.Y", "Tool.Force.Z", "Hook.Force.X", "Hook.Force.Y"]


def table() -> SignalTable:
    texts = ("", "Hook", "Flange")
    partner = Signal("Tool.Partner", 0, Kind.STRING, "", Direction.FEEDBACK, "", texts)
    forces = [
        Signal(name, column, Kind.DOUBLE, "N", Direction.FEEDBACK, "")
        for column, name in enumerate([*NAMES, "Hook.Force.Z"], start=1)
    ]
    return SignalTable([partner, *forces])


def told(rows: np.ndarray, chunk: int) -> RunSummary:
    summary = RunSummary(["Tool"], ["Hook"], {}, table(), STEP_S)
    for start in range(0, len(rows), chunk):
        summary.append(rows[start : start + chunk])
    return summary


def rows_with_partners(*codes_from: tuple[int, int], ticks: int = 3000) -> np.ndarray:
    """Rows in which the partner's code changes at given ticks."""
    rows = np.zeros((ticks, 7))
    for tick, code in codes_from:
        rows[tick:, 0] = code
    return rows


@pytest.mark.parametrize("chunk", [1, 7, 1000, 3000])
def test_catch_hand_over_and_release_are_told_in_order(chunk):
    rows = rows_with_partners((0, 1), (1000, 2), (2000, 0))
    rows[1200, 3] = -30.0  # within half a second of the hand-over
    rows[1200, 1] = 40.0
    rows[1501, 3] = 99.0  # of nothing
    events = told(rows, chunk).events
    assert [(event.at_s, str(event), event.peak_n) for event in events] == [
        (0.0, "caught by Hook", 0.0),
        (1.0, "handed over from Hook to Flange", 50.0),
        (2.0, "released by Flange", 99.0),
    ]


@pytest.mark.parametrize("chunk", [1, 999, 3000])
def test_times_of_holding_end_with_the_next_event_or_the_run(chunk):
    rows = rows_with_partners((100, 1), (200, 0), (300, 2))
    holds = told(rows, chunk).constrained["Tool"].holds(end_s=3.0)
    assert [(hold.partner, hold.from_s, hold.to_s) for hold in holds] == [
        ("Hook", 0.1, 0.2),
        ("Flange", 0.3, 3.0),
    ]


@pytest.mark.parametrize("chunk", [1, 7, 3000])
def test_peak_of_an_event_is_not_that_of_its_neighbour(chunk):
    rows = rows_with_partners((100, 1), (200, 2), (300, 0))
    rows[100:200, 3], rows[200:300, 3] = 5.0, 9.0
    peaks = [event.peak_n for event in told(rows, chunk).events]
    assert peaks == [5.0, 9.0, 9.0]


def test_greatest_force_of_each_object_has_its_moment():
    rows = rows_with_partners()
    rows[:, 3] = 1.0
    rows[700, 4:7] = (2.0, 3.0, 6.0)
    tool, hook = told(rows, 512).peaks
    assert (tool.object, tool.force_n, tool.at_s) == ("Tool", 1.0, 0.0)
    assert (hook.object, hook.force_n, hook.at_s) == ("Hook", 7.0, 0.7)


def test_chattering_object_is_cut_short_and_counted(monkeypatch):
    monkeypatch.setattr(story_file, "MOST_EVENTS", 10)
    rows = rows_with_partners(*((tick, tick % 2) for tick in range(3000)))
    summary = told(rows, 1000)
    assert len(summary.events) == 10
    assert summary.events_left_out == 2999 - 10


@pytest.mark.parametrize("chunk", [1, 1000])
def test_last_bar_of_a_chattering_object_ends_where_its_partner_is_no_longer_known(
    monkeypatch, chunk
):
    monkeypatch.setattr(story_file, "MOST_EVENTS", 3)
    rows = rows_with_partners((100, 1), (200, 0), (300, 2), (400, 1), (500, 2))
    summary = told(rows, chunk)
    holds = summary.constrained["Tool"].holds(end_s=3.0)
    assert summary.events_left_out == 2
    assert [(hold.partner, hold.from_s, hold.to_s) for hold in holds] == [
        ("Hook", 0.1, 0.2),
        ("Flange", 0.3, 0.4),
    ]

"""A stand holds its tool, until somebody pulls the lever that empties it."""

import numpy as np
from pytest import approx
from stand_cell import STAND

from twincell.sim.cell import Cell
from twincell.sim.signals import Direction
from twincell.sim.spec import load_text

LEVER = "Stand.Fault.Empty"


def test_levers_stand_between_commands_and_feedback_in_a_row():
    signals = Cell(load_text(STAND)).signals
    order = [Direction.COMMAND, Direction.FAULT, Direction.FEEDBACK]
    directions = [signal.direction for signal in signals]
    assert directions == sorted(directions, key=order.index)
    assert [signal.name for signal in signals.commands] == ["Jaw.Closed"]
    assert signals[LEVER] in signals.faults
    assert signals.latched == signals.commands + signals.faults
    assert [signal.column for signal in signals.latched] == list(range(len(signals.latched)))


def test_nothing_is_broken_at_the_start():
    cell = Cell(load_text(STAND))
    rows = cell.run(10)
    assert not any(rows[:, signal.column].any() for signal in cell.signals.faults)
    assert cell.text("Stand.Truth.Tool") == "Tool"
    assert cell["Holder.Force.Z"] == approx(-2 * 9.81, abs=1e-12)


def test_a_tool_falls_out_of_an_emptied_stand_in_the_tick_that_latches_the_lever():
    cell = Cell(load_text(STAND))
    cell.run(5)
    cell[LEVER] = True
    cell.run(1)
    assert cell[LEVER] == 1.0
    assert cell.text("Stand.Truth.Tool") == "" and cell["Tool.Constrained"] == 0.0
    cell.run(100)
    assert cell["Tool.Pose.Z"] == approx(1 - 9.81 * 0.1**2 / 2, abs=1e-9)  # free fall


def test_the_timeline_pulls_levers_and_their_row_replays_bit_for_bit():
    text = STAND + f'[[timeline]]\nat_s = 0.02\nset = {{ "{LEVER}" = true }}\n'
    cell = Cell(load_text(text))
    rows = cell.run(40)
    lever = cell.signals[LEVER].column
    assert list(rows[18:22, lever]) == [0, 0, 1, 1]

    again = Cell(load_text(text))
    again.ignore_timeline()
    latched = len(again.signals.latched)
    for row in rows:
        again.commands.values[:] = row[:latched]
        again.run(1)
    assert np.array_equal(again.row, rows[-1])
    assert again.state_hash() == cell.state_hash()


def test_a_stand_that_was_taught_badly_is_really_somewhere_else():
    turned = STAND.replace(
        "[frame.Rack]\n", "[frame.Rack]\norientation_deg = [0, 0, 90]\n"
    )  # its x is the world's y
    cell = Cell(load_text(turned))
    cell.run(5)
    cell["Stand.Fault.OffsetX"] = 0.02
    cell.run(1)
    assert cell["Holder.Pose.Y"] == approx(0.02)  # the stand at once, its tool as it is pulled
    cell.run(1000)
    assert cell["Tool.Pose.Y"] == approx(0.02, abs=1e-6)  # decayed: 50 s⁻¹ for a second
    assert cell.text("Stand.Truth.Tool") == "Tool"
    cell["Stand.Fault.OffsetX"] = 0.0
    cell.run(1000)
    assert cell["Tool.Pose.Y"] == approx(0.0, abs=1e-6)


def test_a_stand_that_stands_off_from_the_start_catches_there():
    text = STAND + '[[timeline]]\nat_s = 0\nset = { "Stand.Fault.OffsetZ" = -0.05 }\n'
    cell = Cell(load_text(text))
    cell.run(2000)
    assert cell["Tool.Pose.Z"] == approx(0.95, abs=1e-6)
    assert cell["Tool.Deviation"] == approx(0.0, abs=1e-6)

"""A cell from Python: commands in, signals out."""

import numpy as np
import pytest
from pytest import approx

from sim.cell import Cell
from sim.spec import load_text

TEXT = """
name = "Gripper"
[frame.Beam]
position_m = [0, 0, 1]
[body.PartBody]
mass_kg = 2.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
position_m = [0, 0, 1]
[collision_object.Jaw]
on = "Beam"
mode = "control"
closed = true
sphere = { radius_m = 0.1 }
[constrained_object.Part]
on = "PartBody"
radius_m = 0.1
eta = 50
[[timeline]]
at_s = 0.01
set = { "Jaw.Closed" = false }
"""


def test_the_timeline_is_latched_at_its_tick():
    cell = Cell(load_text(TEXT))
    rows = cell.run(12)
    assert list(rows[8:12, cell.signals["Jaw.Closed"].column]) == [1, 1, 0, 0]
    assert list(rows[8:12, cell.signals["Part.Constrained"].column]) == [1, 1, 0, 0]


def test_a_caller_may_take_the_commands_over():
    cell = Cell(load_text(TEXT))
    cell.ignore_timeline()
    cell.run(12)
    assert cell.text("Part.Partner") == "Jaw"
    assert cell["Jaw.Force.Z"] == approx(-2 * 9.81, abs=1e-12)
    cell["Jaw.Closed"] = False
    cell.run(1)
    assert cell.text("Part.Partner") == ""
    assert cell["Part.Force.Z"] == 0.0


def test_only_commands_can_be_set():
    cell = Cell(load_text(TEXT))
    with pytest.raises(KeyError, match="not a command"):
        cell["Part.Force.Z"] = 1.0
    with pytest.raises(KeyError):
        cell["Nobody.Closed"] = True
    with pytest.raises(KeyError, match="not a String"):
        cell.text("Part.Force.Z")


def test_signals_have_unique_names_and_stand_in_the_order_of_the_row():
    cell = Cell(load_text(TEXT))
    names = [signal.name for signal in cell.signals]
    assert len(set(names)) == len(names) == len(cell.signals)
    assert [signal.column for signal in cell.signals] == list(range(len(names)))
    assert [signal.name for signal in cell.signals.commands] == ["Jaw.Closed"]
    assert "Part.Pose.X" in cell.signals and "Part.Pose.Q" not in cell.signals


def test_every_column_of_a_row_is_written_in_every_tick():
    cell = Cell(load_text(TEXT))
    rows = np.full((1, len(cell.signals)), np.nan)
    cell.run_into(rows)
    assert np.isfinite(rows).all()


def test_values_come_back_in_their_kind():
    cell = Cell(load_text(TEXT))
    cell.run(1)
    values = {s.name: s.value(cell.row[s.column]) for s in cell.signals}
    assert values["Part.Partner"] == "Jaw"
    assert values["Part.Constrained"] is True
    assert values["Jaw.Holding"] == 1 and isinstance(values["Jaw.Holding"], int)
    assert isinstance(values["Part.Pose.Z"], float)

"""A cell from Python: commands in, signals out."""

from pathlib import Path

import numpy as np
import pytest
from pytest import approx

from twincell.sim.cell import Cell
from twincell.sim.spec import load_text

CELLS = Path(__file__).parents[2] / "config" / "cells"

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


def test_a_snapshot_brings_a_cell_back():
    cell = Cell(load_text(TEXT))
    cell.run(5)
    saved, before = cell.snapshot(), cell.state_hash()
    rows = cell.run(20)
    cell.restore(saved)
    assert cell.state_hash() == before
    cell["Jaw.Closed"] = True  # commands are the controller's, not part of the state
    assert np.array_equal(rows, cell.run(20))


def test_rows_of_the_wrong_shape_are_refused():
    cell = Cell(load_text(TEXT))
    with pytest.raises(ValueError, match="columns"):
        cell.run_into(np.empty((3, 2)))


def test_a_turning_mover_has_no_jump_in_its_quaternion():
    points = "".join(
        f"{{ at_s = {k}, position_m = [0, 0, 0], orientation_deg = [0, 0, {170 + 20 * k}] }},"
        for k in range(4)
    )
    cell = Cell(load_text(f'name = "Turn"\n[mover.Table]\nwaypoints = [{points}]'))
    rows = cell.run(3100)
    for n in "WXYZ":
        column = rows[:, cell.signals[f"Table.Quaternion.{n}"].column]
        assert np.abs(np.diff(column)).max() < 1e-3  # at most 38° a second


def test_more_loops_than_are_solved_together_stop_the_cell_and_name_an_object():
    grips = "".join(
        f"""
[frame.At{k}]
position_m = [{0.5 * k}, 0, 0]
[frame.On{k}]
on = "Beam"
position_m = [{0.5 * k}, 0, 0]
[collision_object.Holder{k}]
on = "At{k}"
sphere.radius_m = 0.1
[constrained_object.Grip{k}]
on = "On{k}"
radius_m = 0.1
eta = 50
"""
        for k in range(66)
    )
    beam = "[body.Beam]\nmass_kg = 1.0\ninertia_kg_m2 = [1.0, 1.0, 1.0]\n"
    cell = Cell(load_text(f'name = "Beam"\nintegrator = "semi_implicit"\n{beam}{grips}'))
    rows = cell.run(5)
    assert len(rows) == 1 and np.isfinite(rows).all()
    assert cell.fault is not None and cell.fault.tick == 0
    assert cell.fault.object.startswith("Grip") and "loops" in cell.fault.text


def test_a_very_long_chain_of_frames_is_no_problem():
    frames = "".join(
        f'[frame.F{k}]\nposition_m = [0.001, 0, 0]\non = "F{k + 1}"\n' for k in range(3000)
    )
    text = f'name = "Chain"\n{frames}[frame.F3000]\n[mover.M]\n[collision_object.C]\non = "F0"\n'
    cell = Cell(load_text(text + "sphere.radius_m = 0.1\n"))
    cell.run(1)
    assert cell["C.Pose.X"] == approx(3.0)


def test_two_grips_on_one_beam_share_its_weight():
    text = """
name = "Beam on two holders"
[body.Beam]
mass_kg = 2.0
inertia_kg_m2 = [0.1, 0.1, 0.1]
[frame.Left]
position_m = [-0.5, 0, 0]
[frame.Right]
position_m = [0.5, 0, 0]
[frame.OnLeft]
on = "Beam"
position_m = [-0.5, 0, 0]
[frame.OnRight]
on = "Beam"
position_m = [0.5, 0, 0]
[collision_object.HolderLeft]
on = "Left"
sphere.radius_m = 0.1
[collision_object.HolderRight]
on = "Right"
sphere.radius_m = 0.1
[constrained_object.GripLeft]
on = "OnLeft"
radius_m = 0.1
eta = 50
[constrained_object.GripRight]
on = "OnRight"
radius_m = 0.1
eta = 50
"""
    cell = Cell(load_text(text))
    cell.run(3)
    # both grips are alike: half of the weight each; until they have sunk by f/k they carry a
    # share R/(A + R) = 0.25 % less than that
    assert cell["GripLeft.Force.Z"] == approx(cell["GripRight.Force.Z"], rel=1e-9)
    assert cell["GripLeft.Force.Z"] == approx(9.81, rel=3e-3)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("Changer1.LockValve", 2, "is False or True, not 2"),
        ("Changer1.LockValve", float("nan"), "is False or True, not nan"),
        ("Changer1.Fault.Locked", 9, "is a whole number of 0 to 6, not 9"),
        ("Stand1.Fault.OffsetX", float("nan"), "is a number of .* not nan"),
        ("Stand1.Fault.OffsetX", 1e300, "is a number of .* not 1e"),
    ],
)
def test_a_command_or_lever_that_cannot_be_is_refused(name, value, text):
    cell = Cell.load(CELLS / "tool_changer_atc.toml")
    with pytest.raises(ValueError, match=rf"{name} {text}"):
        cell[name] = value

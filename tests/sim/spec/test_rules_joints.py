"""Rules of joints, in cell files and in model files."""

import pytest

from twincell.sim.cell import Cell
from twincell.sim.spec import SpecError, load_text
from twincell.sim.spec.robot_files import load_model

NUT = """
name = "Nut"
[frame.Post]
[body.Nut]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
[joint.Screw]
type = "screw"
parent = "Post"
child = "Nut"
"""
MODEL = """
name = "Spindle"
[link.base]
[link.nut]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
[joint.screw]
type = "screw"
parent = "base"
child = "nut"
speed_deg_s = 360
torque_nm = 10
"""


def problem_of(text):
    with pytest.raises(SpecError) as caught:
        load_text(text)
    (problem,) = caught.value.problems
    return problem


def test_a_screw_needs_a_pitch():
    problem = problem_of(NUT)
    assert problem.key == "joint.Screw.pitch_m"
    assert "missing" in problem.text


@pytest.mark.parametrize("pitch", ["0", "0.0", "-0.0", "1e-12", "-1e-12"])
def test_a_screw_that_does_not_advance_is_refused(pitch):
    problem = problem_of(NUT + f"pitch_m = {pitch}")
    assert problem.key == "joint.Screw.pitch_m"
    assert "would not be a screw" in problem.text
    assert '"revolute"' in problem.hint


def test_a_screw_has_keys_in_degrees():
    problem = problem_of(NUT + "pitch_m = 0.01\nlower_m = -1\n")
    assert problem.key == "joint.Screw.lower_m"
    assert "lower_deg" in problem.hint


def test_a_screw_starts_between_its_stops():
    problem = problem_of(NUT + "pitch_m = 0.01\nupper_deg = 720\nstart_deg = 721\n")
    assert problem.key == "joint.Screw.start_deg"
    assert "above upper_deg" in problem.text


def test_only_a_screw_has_a_pitch():
    hinge = NUT.replace('"screw"', '"revolute"') + "pitch_m = 0.01"
    assert problem_of(hinge).key == "joint.Screw.pitch_m"


def test_a_screw_shows_its_turn_within_its_stops():
    cell = Cell(load_text(NUT + "pitch_m = -0.01\nlower_deg = -180\nupper_deg = 360\n"))
    units = {
        name: cell.signals[f"Screw.{name}"].unit for name in ("Position", "Velocity", "Torque")
    }
    assert units == {"Position": "rad", "Velocity": "rad/s", "Torque": "N.m"}
    assert cell.signals["Screw.Position"].limits == pytest.approx((-3.14159265, 6.28318531))


def test_a_model_file_has_screws_too(tmp_path):
    (tmp_path / "spindle.toml").write_text(MODEL + "pitch_m = 0.005\nupper_deg = 7200\n")
    (axis,) = load_model(tmp_path / "spindle.toml").axes
    assert (axis.type, axis.sizes, axis.file_unit) == ("screw", (0.005,), "deg")
    assert axis.upper == pytest.approx(40 * 3.14159265)
    text = f'name = "x"\n[robot.R]\nmodel = "{tmp_path / "spindle.toml"}"\nstart_m = [1.0]\n'
    assert problem_of(text).text == "R has no slides"
    text = text.replace("start_m = [1.0]", "start_deg = [1.0, 2.0]")
    assert problem_of(text).text == "has 2 numbers, but R has 1 screw"


def test_a_screw_of_a_model_file_must_advance(tmp_path):
    (tmp_path / "spindle.toml").write_text(MODEL + "pitch_m = 0\n")
    with pytest.raises(SpecError, match="would not be a screw"):
        load_model(tmp_path / "spindle.toml")

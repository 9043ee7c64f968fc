"""twincell with robots: the report, the picture, and mistakes in the cell and in the model file."""

import json
import re
import shutil
from pathlib import Path

import pytest

from twincell import server

ARM = Path(server.__file__).parents[2] / "config" / "robots" / "arm6.urdf"

# a slide that carries a hinge: small enough to know what its drives have to do
CRANE = """\
name = "Crane"
description = "A column that turns, on a slide."

[link.base]

[link.slide]
mass_kg = 10
inertia_kg_m2 = [1, 1, 1]

[link.boom]
mass_kg = 2
inertia_kg_m2 = [0.1, 0.1, 0.1]
center_of_mass_m = [0.5, 0, 0]

[joint.lift]
type = "prismatic"
parent = "base"
child = "slide"
axis = [0, 0, 1]
lower_m = -1
upper_m = 1
speed_m_s = 1
force_n = 235.44

[joint.tilt]
type = "revolute"
parent = "slide"
child = "boom"
axis = [0, -1, 0]
lower_deg = -90
upper_deg = 90
speed_deg_s = 90
torque_nm = 100
"""
HEAVY = CRANE.replace("mass_kg = 10", "mass_kg = 24")  # 2 kg more than the slide can lift

CELL = """\
name = "Crane cell"

[robot.Crane]
model = "crane.toml"

[[timeline]]
at_s = 0.1
set = { "Crane.JointSetPoint" = 1, "Crane.JointTarget.1" = 2.0 }

[[timeline]]
at_s = 0.2
set = { "Crane.JointSetPoint" = 2, "Crane.JointTarget.1" = 0.0001 }
"""

ARM_CELL = """\
name = "Arm cell"

[robot.Arm]
model = "arm.urdf"
drive = "ideal"
start_deg = [0, -33, 19, 0, 104, 0]

[[timeline]]
at_s = 0.1
move_linear.Arm = { position_m = [1.0, 0.0, 1.0], orientation_deg = [0, 180, 0] }
"""


@pytest.fixture
def crane_cell(tmp_path: Path) -> Path:
    (tmp_path / "crane.toml").write_text(CRANE, encoding="utf-8")
    path = tmp_path / "crane_cell.toml"
    path.write_text(CELL, encoding="utf-8")
    return path


@pytest.fixture
def arm_cell(tmp_path: Path) -> Path:
    shutil.copy(ARM, tmp_path / "arm.urdf")
    path = tmp_path / "arm_cell.toml"
    path.write_text(ARM_CELL, encoding="utf-8")
    return path


def cells_of(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def section(report: str, first_column: str) -> list[list[str]]:
    """The rows of the one table of a report that begins like this."""
    (found,) = (part for part in report.split("\n\n") if part.startswith(first_column))
    return [cells_of(line) for line in found.splitlines()[1:]]


def line_of(path: Path, text: str) -> int:
    (number,) = (n for n, line in enumerate(path.read_text().splitlines(), 1) if text in line)
    return number


def test_report_tells_how_hard_each_drive_worked(twincell, crane_cell):
    crane_cell.write_text(CELL.split("[[timeline]]")[0])
    ended = twincell("simulate", crane_cell, "--until", "0.5")
    assert ended.code == 0
    lift, tilt = section(ended.out, "robot  joint")
    # 12 kg on the slide, half of its 235.44 N; 2 kg half a metre out on the hinge
    assert lift[:4] == ["Crane", "lift", "117.72 N", "50%"]
    assert tilt[:3] == ["tilt", "9.81 Nm", "10%"]
    assert (lift[-1], tilt[-1]) == ("0.000 mm", "0.000 deg")


def test_report_tells_refused_orders_and_lost_streams(twincell, crane_cell):
    ended = twincell("simulate", crane_cell, "--until", "0.5")
    assert ended.code == 0
    # the watchdog waits 0.1 s for the next set point
    assert section(ended.out, "robot  at [s]") == [
        ["Crane", "0.100", "refused an order: beyond a joint's limit"],
        ["0.300", "stream of set points lost"],
    ]


def test_robot_in_which_nothing_goes_wrong_has_no_events(twincell, crane_cell):
    crane_cell.write_text(CELL.split("[[timeline]]")[0])
    assert "what happened" not in twincell("simulate", crane_cell, "--until", "0.1").out


def test_overloaded_drive_and_joint_at_its_end_are_told_once(twincell, crane_cell):
    # the blow at the end must not overload the hinge as well
    (crane_cell.parent / "crane.toml").write_text(HEAVY.replace("= 100", "= 1e5"))
    crane_cell.write_text(CELL.split("[[timeline]]")[0])
    ended = twincell("simulate", crane_cell, "--until", "4")
    assert ended.code == 0
    texts = [row[-1] for row in section(ended.out, "robot  at [s]")]
    assert texts == [
        "drive of lift overloaded: its limit is 235.44 N",
        "lift at the end of its range",
    ]


def test_of_many_robots_only_the_most_loaded_joint_is_told(twincell, crane_cell):
    robots = [f'[robot.Crane{k}]\nmodel = "crane.toml"\nposition_m = [{k}, 0, 0]' for k in range(5)]
    crane_cell.write_text("\n".join(['name = "Cranes"', *robots]))
    ended = twincell("simulate", crane_cell, "--until", "0.1")
    rows = section(ended.out, "robot")
    assert [row[:2] for row in rows] == [[f"Crane{k}", "lift"] for k in range(5)]


def test_picture_has_a_panel_for_hinges_and_one_for_slides(twincell, crane_cell, tmp_path):
    ended = twincell("simulate", crane_cell, "--until", "0.1", "--plot", "run.svg")
    assert ended.code == 0
    picture = (tmp_path / "run.svg").read_text()
    for text in ("torque of the drives of Crane", "force of the drives of Crane", "lift", "tilt"):
        assert f"<!-- {text} -->" in picture  # matplotlib names each text that it draws
    assert "overloaded" not in picture


def test_picture_of_many_robots_says_how_many_are_missing(twincell, crane_cell, tmp_path):
    robots = [f'[robot.Crane{k}]\nmodel = "crane.toml"\nposition_m = [{k}, 0, 0]' for k in range(5)]
    crane_cell.write_text("\n".join(['name = "Cranes"', *robots]))
    assert twincell("simulate", crane_cell, "--until", "0.1", "--plot", "run.svg").code == 0
    picture = (tmp_path / "run.svg").read_text()
    assert "drives of Crane0 (the first 4 of 5 robots are shown)" in picture
    assert "Crane4" not in picture


def test_picture_marks_an_overloaded_drive(twincell, crane_cell, tmp_path):
    (crane_cell.parent / "crane.toml").write_text(HEAVY)
    assert twincell("simulate", crane_cell, "--until", "0.5", "--plot", "run.svg").code == 0
    assert "<!-- overloaded -->" in (tmp_path / "run.svg").read_text()


def test_check_counts_robots(twincell, crane_cell):
    ended = twincell("check", crane_cell)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("ok: Crane cell: 1 robot, ")


def test_shipped_robot_cell_runs_from_any_folder(twincell):
    # the folder of the test is empty: the model is found beside the shipped cell
    ended = twincell("simulate", "tool_change_multi", "--until", "0.1", "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["ticks"] == 100


def test_model_is_found_beside_the_cell_file_from_another_folder(twincell, crane_cell, tmp_path):
    folder = tmp_path / "cells"
    folder.mkdir()
    for name in ("crane.toml", "crane_cell.toml"):
        (tmp_path / name).rename(folder / name)
    assert twincell("check", "cells/crane_cell.toml").code == 0


def test_missing_model_is_named_with_the_cells_line_and_the_nearest_file(twincell, crane_cell):
    crane_cell.write_text(CELL.replace("crane.toml", "crnae.toml"))
    ended = twincell("check", crane_cell)
    assert (ended.code, ended.out) == (2, "")
    line = line_of(crane_cell, "crnae.toml")
    assert f"crane_cell.toml:{line}: robot.Crane.model: there is no file" in ended.err
    assert "did you mean crane.toml?" in ended.err


@pytest.mark.parametrize("command", ["check", "simulate", "signals"])
def test_mistake_in_a_urdf_is_told_with_the_line_of_the_urdf(twincell, arm_cell, command):
    urdf = arm_cell.parent / "arm.urdf"
    text = urdf.read_text()
    urdf.write_text(text.replace('effort="950"', 'effort="plenty"', 1))
    ended = twincell(command, arm_cell)
    assert (ended.code, ended.out) == (2, "")
    assert f"arm.urdf:{line_of(urdf, 'plenty')}: " in ended.err
    assert "plenty" in ended.err
    assert "arm_cell.toml:" not in ended.err  # that file is right


def test_mistake_in_a_toml_model_is_told_with_its_line(twincell, crane_cell):
    model = crane_cell.parent / "crane.toml"
    model.write_text(CRANE.replace("torque_nm = 100", "torqe_nm = 100"))
    ended = twincell("check", crane_cell)
    assert (ended.code, ended.out) == (2, "")
    assert f"{model.name}:{line_of(model, 'torqe_nm')}: joint.tilt.torqe_nm" in ended.err
    assert "torque_nm" in ended.err


def test_move_out_of_reach_is_refused_with_line_key_and_reason(twincell, arm_cell, tmp_path):
    arm_cell.write_text(ARM_CELL.replace("[1.0, 0.0, 1.0]", "[9.0, 0.0, 1.0]"))
    ended = twincell("simulate", arm_cell, "--out", "run.csv")
    assert (ended.code, ended.out) == (2, "")
    line = line_of(arm_cell, "move_linear.Arm")
    assert f"arm_cell.toml:{line}: timeline[0].move_linear.Arm: " in ended.err
    assert "reach" in ended.err
    assert not (tmp_path / "run.csv").exists()


@pytest.mark.parametrize("option", ["--out", "--plot"])
def test_model_file_of_a_robot_is_not_written_over(twincell, arm_cell, option):
    model = arm_cell.parent / ("arm.urdf" if option == "--out" else "arm.svg")
    if option == "--plot":  # only pictures may be named: a model behind another name
        model.symlink_to(arm_cell.parent / "arm.urdf")
    ended = twincell("simulate", arm_cell, "--until", "0.01", option, model)
    assert ended.code == 2
    assert "is the model file of Arm" in ended.err
    assert (arm_cell.parent / "arm.urdf").read_bytes() == ARM.read_bytes()

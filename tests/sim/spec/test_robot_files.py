"""Models are found by name or beside the cell, read once, their mistakes told with the cell's."""

from pathlib import Path

import pytest

from twincell.sim.spec import SpecError, load_cell, load_text, robot_files

ROBOTS = Path(__file__).parents[3] / "twincell" / "config" / "robots"


@pytest.fixture
def folder(tmp_path):
    """A folder with cells/ and robots/ beside each other."""
    (tmp_path / "cells").mkdir()
    (tmp_path / "robots").mkdir()
    for file in ROBOTS.iterdir():
        (tmp_path / "robots" / file.name).write_bytes(file.read_bytes())
    return tmp_path


def cell(folder, *models):
    file = folder / "cells" / "cell.toml"
    robots = [f'[robot.R{k}]\nmodel = "{model}"\n' for k, model in enumerate(models, start=1)]
    file.write_text('name = "x"\n' + "".join(robots))
    return file


def mistakes(file):
    with pytest.raises(SpecError) as caught:
        load_cell(file)
    return caught.value


def test_a_model_file_is_seen_from_the_folder_of_the_cell(folder):
    spec = load_cell(cell(folder, "../robots/arm6.urdf", "../robots/scara.toml"))
    assert list(spec.robot_models) == ["R1", "R2"]
    assert len(spec.robot_models["R1"].axes) == 6
    assert spec.robot_models["R2"].file == str(folder / "robots" / "scara.toml")


def test_a_shipped_model_is_found_by_its_name_from_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my_cell.toml"
    file.write_text('name = "x"\n[robot.R1]\nmodel = "arm6"\n[robot.R2]\nmodel = "scara"\n')
    models = load_cell(file).robot_models
    assert models["R1"].file == str(ROBOTS / "arm6.urdf")
    assert models["R2"].file == str(ROBOTS / "scara.toml")


def test_a_file_beside_the_cell_does_not_hide_the_shipped_model(folder):
    (folder / "cells" / "arm6").write_text("not a robot")
    (folder / "cells" / "arm6.urdf").write_text("not a robot")
    assert load_cell(cell(folder, "arm6")).robot_models["R1"].file == str(ROBOTS / "arm6.urdf")


def test_a_cell_without_a_file_sees_models_from_the_working_directory(folder, monkeypatch):
    monkeypatch.chdir(folder / "robots")
    assert load_text('name = "x"\n[robot.R1]\nmodel = "gantry.toml"').robot_models["R1"].axes


def test_a_model_of_several_robots_is_read_once(folder, monkeypatch):
    read = []
    original = robot_files.READERS[".toml"]
    monkeypatch.setitem(
        robot_files.READERS, ".toml", lambda path: (read.append(path), original(path))[1]
    )
    spec = load_cell(cell(folder, "../robots/scara.toml", "../cells/../robots/scara.toml"))
    assert len(read) == 1
    assert spec.robot_models["R1"] is spec.robot_models["R2"]


def test_mistakes_of_cell_and_models_are_told_together_each_with_its_own_file(folder):
    arm, scara = folder / "robots" / "arm6.urdf", folder / "robots" / "scara.toml"
    arm.write_text(arm.read_text().replace('<mass value="26"/>', '<mass value="-26"/>'))
    scara.write_text(scara.read_text().replace("mass_kg = 5.5", "mass_kg = 0"))
    file = cell(folder, "../robots/arm6.urdf", "../robots/scara.toml", "../robots/arm6.urdf")
    file.write_text(file.read_text() + "speed = 3\n")
    error = mistakes(file)
    in_arm = arm.read_text().split("-26")[0].count("\n") + 1
    in_scara = scara.read_text().split("mass_kg = 0\n")[0].count("\n") + 1
    lines = str(error).splitlines()
    assert lines[0] == f"{file}:8: robot.R3.speed: unknown key"
    assert lines[2].startswith(f"{arm}:{in_arm}: link.link_1.inertial.mass.value: ")
    assert lines[4].startswith(
        f"{scara}:{in_scara}: link.upper_arm.mass_kg: must be a number greater"
    )
    assert len(error.problems) == 3
    assert error.file == str(file)


@pytest.mark.parametrize(
    ("model", "words", "hint"),
    [
        ("../robots/arm7.urdf", "there is no file", "did you mean ../robots/arm6.urdf?"),
        ("../robots/arm6.toml", "there is no file", "did you mean ../robots/arm6.urdf?"),
        ("../robots/zzzzzz.urdf", "there is no file", "known: arm6.urdf, gantry.toml, scara.toml"),
        ("zzzzzz.urdf", "there is no file", "known: nothin.urdf, arm6, gantry, scara"),
        ("cel.toml", "there is no file", "known: nothin.urdf, arm6, gantry, scara"),
        ("arm6.urdf", "there is no file", 'write model = "arm6" for the shipped one'),
        ("../elsewhere/scara.toml", "there is no file", 'write model = "scara"'),
        ("arm7", "no shipped robot is called arm7", "did you mean arm6? a model of your own"),
        ("Gantry", "no shipped robot is called Gantry", "did you mean gantry?"),
        ("kuka", "no shipped robot is called kuka", "known: arm6, gantry, scara; a model of"),
        ("../robot/big.urdf", "there is no file", "there is no folder"),
        ("nothing.urdf", "there is no file", "did you mean"),
        ("../robots", "is neither URDF nor TOML", "name a .urdf or .toml file"),
        ("../robots/arm6.xacro", "is neither URDF nor TOML", "run xacro first"),
        ("../robots/arm6.urdf.xacro", "is neither URDF nor TOML", "run xacro first"),
    ],
)
def test_a_model_that_is_not_there_is_a_mistake_of_the_cell(folder, model, words, hint):
    (folder / "cells" / "nothin.urdf").touch()
    (problem,) = mistakes(cell(folder, model)).problems
    assert (problem.line, problem.key, problem.file) == (3, "robot.R1.model", "")
    assert words in problem.text
    assert hint in problem.hint


def test_a_name_that_no_file_can_have_is_told(folder):
    hidden, missing = mistakes(cell(folder, "a\\u0000b.urdf")).problems
    assert "cannot be shown" in hidden.text
    assert "there is no file" in missing.text


def test_a_folder_with_the_name_of_a_model_is_told(folder):
    (folder / "cells" / "arm.urdf").mkdir()
    (problem,) = mistakes(cell(folder, "arm.urdf")).problems
    assert "is a folder" in problem.text


def test_the_model_must_be_named(folder):
    file = folder / "cells" / "cell.toml"
    file.write_text('name = "x"\n[robot.R]\n')
    (problem,) = mistakes(file).problems
    assert (problem.key, problem.text) == ("robot.R.model", "is missing")


def test_a_robot_whose_model_has_a_mistake_is_not_judged_any_further(folder):
    (folder / "robots" / "arm6.urdf").write_text("<robot>")
    file = cell(folder, "../robots/arm6.urdf")
    file.write_text(
        file.read_text() + "start_deg = [1, 2]\n[[timeline]]\nat_s = 1\n"
        'set = { "R1.JointTarget.9" = 1.0 }\nmove_joint.R1.joints_deg = [1]\n'
    )
    (problem,) = mistakes(file).problems
    assert problem.file.endswith("arm6.urdf")


def test_a_robot_model_that_is_taken_for_a_cell_is_told():
    with pytest.raises(SpecError) as caught:
        load_cell(ROBOTS / "gantry.toml")
    (problem,) = caught.value.problems
    assert problem.text == "this is a robot's model, not a cell" and "[robot.NAME]" in problem.hint

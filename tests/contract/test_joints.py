"""Every type of joint declares everything, and nobody but its own files knows its name."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from twincell.sim.build import compile_cell
from twincell.sim.mechanics import joints
from twincell.sim.mechanics.joint_type import JointType
from twincell.sim.mechanics.joints import JOINTS, joint_type
from twincell.sim.spec import load_text
from twincell.sim.spec.joint import JOINT_TABLES
from twincell.sim.spec.joint_keys import CELL_KEYS, MODEL_KEYS
from twincell.sim.spec.robot_toml_tables import AxisTable, JointTable

ROOT = Path(__file__).parents[2]
MODEL_TABLES = {
    get_args(table.model_fields["type"].annotation)[0]: table
    for table in get_args(get_args(JointTable)[0])
    if issubclass(table, AxisTable)
}
# who may name a type: its own file, its tables, and URDF, which has names of its own
NAMED_IN = {"joint.py", "robot_toml_tables.py", "robot_urdf.py"}

every_joint = pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.type)


def test_every_file_of_a_joint_is_in_the_list():
    files = {file.stem for file in (ROOT / "sim" / "mechanics").glob("joint_*.py")}
    of_all = {"joint_type", "joint_axis", "joint_effort"}
    assert files - of_all == {f"joint_{joint.type}" for joint in JOINTS}


@every_joint
def test_every_type_has_a_table_in_cell_files_and_one_in_model_files(joint):
    unit = joint.coordinate.file_unit
    for tables, keys in ((JOINT_TABLES, CELL_KEYS), (MODEL_TABLES, MODEL_KEYS)):
        table = tables[joint.type]
        assert {*keys[unit].values(), *joint.sizes, "axis"} <= table.model_fields.keys()
        other = {key for by in keys.values() for key in by.values()} - {*keys[unit].values()}
        assert not other & table.model_fields.keys()


def test_no_table_is_without_a_type():
    types = {joint.type for joint in JOINTS}
    assert types == JOINT_TABLES.keys() == MODEL_TABLES.keys()


@every_joint
def test_every_type_moves_along_or_about_its_axis(joint):
    turn, slide = joint.motion(*(0.1 for _ in joint.sizes))
    assert isinstance(turn, int) and isinstance(slide, float)
    # a unit of an angle is a radian of turn, a unit of a length a metre of way
    assert (turn, slide) == ((1, slide) if joint.coordinate.unit == "rad" else (0, 1.0))


@every_joint
def test_a_type_with_sizes_says_what_is_meant_by_a_size_of_nothing(joint):
    assert bool(joint.without_size) == bool(joint.sizes)


@every_joint
def test_signals_have_the_units_of_the_coordinate(joint):
    position, velocity, effort = joint.signals
    own = joint.coordinate
    assert (position[0], position[2]) == ("Position", own.unit)
    assert (velocity[0], velocity[2]) == ("Velocity", own.speed_unit)
    assert effort[2] == own.effort_unit
    assert effort[0] == {"N.m": "Torque", "N": "Force"}[own.effort_unit]


@pytest.mark.parametrize("left_out", JointType._fields)
def test_a_type_that_leaves_something_out_is_not_imported(left_out):
    declared = {**JOINTS[0]._asdict()}
    del declared[left_out]
    with pytest.raises(TypeError, match=left_out):
        JointType(**declared)


def test_a_table_without_a_type_does_not_compile(monkeypatch):
    spec = load_text("""
        name = "Nut"
        [frame.Post]
        [body.Nut]
        mass_kg = 1.0
        inertia_kg_m2 = [0.01, 0.01, 0.01]
        [joint.Screw]
        type = "screw"
        parent = "Post"
        child = "Nut"
        pitch_m = 0.1
    """)
    monkeypatch.setattr(joints, "JOINTS", [j for j in JOINTS if j.type != "screw"])
    with pytest.raises(TypeError, match="no joint type screw"):
        compile_cell(spec)


def test_nobody_asks_for_the_type_of_a_joint():
    names = {joint.type for joint in JOINTS}
    for folder in ("sim", "server"):
        for file in (ROOT / folder).rglob("*.py"):
            if file.name in NAMED_IN or file.stem in {f"joint_{name}" for name in names}:
                continue
            nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
            docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
            texts = {
                node.value
                for node in nodes
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
                if node not in docstrings
            }
            assert not texts & names, file
            in_quotes = {name for name in names for text in texts if f'"{name}"' in text}
            assert not in_quotes, file  # as a hint for users has it


def test_an_unknown_type_is_named():
    with pytest.raises(TypeError, match="no joint type ball"):
        joint_type("ball")

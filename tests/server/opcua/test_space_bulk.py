"""Bulk holds the whole cell in a few arrays, and says what is where."""

import numpy as np
from asyncua import ua

from tests.server.opcua.built_space import build, shipped
from twincell.server.opcua.space.namespaces import cell_id
from twincell.sim.spec import load_text


def numbers(built, name):
    """The value of a bulk variable in a row that holds its own column numbers."""
    row = np.arange(len(built.signals) + 2, dtype=np.float64)
    return built.space.variables[cell_id(name)].variant(row)


def columns(built, *names):
    return [built.signals[name].column for name in names]


def test_poses_are_seven_numbers_an_object():
    built = shipped("tool_change_multi")
    layout = built.value("Bulk.Poses.Layout")
    assert set(layout) == set(built.space.nodes)
    values = numbers(built, "Bulk.Poses").Value
    assert len(values) == 7 * len(layout)
    at = 7 * layout.index("Tool1")
    parts = [f"Pose.{c}" for c in "XYZ"] + [f"Quaternion.{c}" for c in "WXYZ"]
    assert values[at : at + 7] == columns(built, *(f"Tool1.{part}" for part in parts))
    at = 7 * layout.index("Robot1")
    assert values[at : at + 7] == columns(built, *(f"Robot1.Tcp{part}" for part in parts))


def test_wrenches_are_six_numbers_an_object_that_carries_load():
    built = shipped("tool_change_multi")
    layout = built.value("Bulk.Wrenches.Layout")
    assert set(layout) == {*built.spec.collision_object, *built.spec.constrained_object}
    values = numbers(built, "Bulk.Wrenches").Value
    at = 6 * layout.index("Tool2")
    parts = [f"{quantity}.{c}" for quantity in ("Force", "Torque") for c in "XYZ"]
    assert values[at : at + 6] == columns(built, *(f"Tool2.{part}" for part in parts))


def test_flags_are_bits_in_the_order_of_their_layout():
    built = shipped("tool_change_multi")
    layout = built.value("Bulk.Flags.Layout")
    variable = built.space.variables[cell_id("Bulk.Flags")]
    assert [built.signals[name].column for name in layout] == list(variable.columns)
    row = np.zeros(len(built.signals) + 2)
    row[built.signals[layout[33]].column] = 1.0
    words = variable.variant(row)
    assert words.VariantType is ua.VariantType.UInt32
    assert words.Value[:2] == [0, 2]
    assert len(words.Value) == -(-len(layout) // 32)


def test_partners_are_numbers_of_collision_objects():
    built = shipped("tool_change_multi")
    assert built.value("Bulk.Partners.Layout") == ["Tool1.Partner", "Tool2.Partner"]
    row = np.zeros(len(built.signals) + 2)
    row[built.signals["Tool2.Partner"].column] = 3.0
    assert built.space.variables[cell_id("Bulk.Partners")].variant(row).Value == [0, 3]
    third = list(built.spec.collision_object)[2]
    assert built.signals["Tool2.Partner"].value(3.0) == third


def test_all_commands_are_in_one_of_two_writable_arrays():
    built = shipped("tool_change_multi")
    both = [built.space.variables[cell_id(f"Bulk.{n}")] for n in ("Commands", "CommandValues")]
    assert all(variable.is_command for variable in both)
    assert sorted(both[0].columns + both[1].columns) == list(range(len(built.signals.commands)))
    assert "Robot1.JointSetPoint" in built.value("Bulk.CommandValues.Layout")
    assert built.value("Bulk.Commands.Layout")[0] == "Robot1Flange.Closed"


def test_an_array_that_would_be_empty_is_not_there():
    built = build(load_text('name = "Bare"\n[mover.Robot]\n'))
    assert list(built.children(cell_id("Bulk"))) == ["Poses"]

"""Every mistake in a cell file: one clear message, exit code 2, no traceback, no file."""

from pathlib import Path

import pytest

# what is spoiled: text in the small cell, what stands there instead, and words of the message
MISTAKES = {
    "broken TOML": ("[frame.Rack]", "[frame.Rack", ["small.toml:4"]),
    "unknown key": ("mass_kg = 1.0", "mas_kg = 1.0", ["body.ToolBody.mas_kg", "mass_kg"]),
    "duplicate name in a table": (
        "[collision_object.Flange]",
        "[collision_object.Holder]",
        ["collision_object.Holder", "small.toml"],
    ),
    "name used by two kinds of things": ("[body.ToolBody]", "[body.Robot]", ["Robot"]),
    "reference to nothing": ('on = "Rack"', 'on = "Rock"', ["collision_object.Holder.on", "Rack"]),
    "negative mass": ("mass_kg = 1.0", "mass_kg = -1.0", ["body.ToolBody.mass_kg"]),
    "non-physical inertia": (
        "inertia_kg_m2 = [0.01, 0.01, 0.01]",
        "inertia_kg_m2 = [0.01, 0.01, 0.05]",
        ["body.ToolBody.inertia_kg_m2"],
    ),
    "eta beyond stability": ("eta = 50", "eta = 5000", ["constrained_object.Tool.eta", "2785"]),
    "not a number": ("eta = 50", "eta = nan", ["constrained_object.Tool.eta"]),
    "infinite": ("at_s = 0.1", "at_s = inf", ["timeline[0].at_s"]),
    "unknown timeline signal": (
        '"Flange.Closed" = true',
        '"Flange.Close" = true',
        ["Flange.Close", "Flange.Closed"],
    ),
    "zero-length axis": (
        "[[timeline]]\nat_s = 0.1",
        '[body.Lid]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\n[joint.Hinge]\ntype = "revolute"\n'
        'parent = "Rack"\nchild = "Lid"\naxis = [0, 0, 0]\n[[timeline]]\nat_s = 0.1',
        ["joint.Hinge.axis"],
    ),
    "wrong type": ("eta = 50", 'eta = "fast"', ["constrained_object.Tool.eta"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_in_a_cell_file_is_named_with_its_place(twincell, small_cell, mistake):
    right, wrong, words = MISTAKES[mistake]
    text = small_cell.read_text()
    assert right in text
    small_cell.write_text(text.replace(right, wrong, 1))

    ended = twincell("check", small_cell)

    assert ended.code == 2
    assert ended.out == ""
    assert "small.toml:" in ended.err
    for word in words:
        assert word in ended.err


def test_all_mistakes_are_reported_together(twincell, small_cell):
    text = small_cell.read_text().replace("mass_kg = 1.0", "mass_kg = -1.0")
    small_cell.write_text(text.replace('on = "Rack"', 'on = "Rock"'))
    ended = twincell("check", small_cell)
    assert ended.code == 2
    assert "body.ToolBody.mass_kg" in ended.err
    assert "collision_object.Holder.on" in ended.err


@pytest.mark.parametrize("command", ["check", "simulate", "signals"])
def test_missing_file_is_said_to_be_missing(twincell, command):
    ended = twincell(command, "cells/nowhere.toml")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "cells/nowhere.toml: there is no such file\n"


def test_folder_is_no_cell_file(twincell, tmp_path):
    ended = twincell("check", f"{tmp_path}/")
    assert (ended.code, ended.out) == (2, "")
    assert "is a folder" in ended.err


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"name = 'caf\xe9'", b""])
def test_file_that_is_no_text_or_empty_is_refused(twincell, tmp_path: Path, content):
    (tmp_path / "odd.toml").write_bytes(content)
    ended = twincell("check", "odd.toml")
    assert (ended.code, ended.out) == (2, "")
    assert "odd.toml" in ended.err


def test_unknown_shipped_cell_gets_the_nearest_names(twincell):
    ended = twincell("check", "tool_chnge_multi")
    assert (ended.code, ended.out) == (2, "")
    assert "no shipped cell is called 'tool_chnge_multi'" in ended.err
    assert "did you mean tool_change_multi" in ended.err


def test_mistake_leaves_no_output_file(twincell, small_cell, tmp_path):
    small_cell.write_text(small_cell.read_text().replace("eta = 50", "eta = -1"))
    ended = twincell("simulate", small_cell, "--out", "run.csv", "--plot", "run.png")
    assert ended.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["small.toml"]

"""Every shape has an entry in every table, or nothing is imported."""

import ast
import runpy
from pathlib import Path

import numpy as np
import pytest

from twincell.sim import model
from twincell.sim.geometry import shape_table
from twincell.sim.geometry.shape_facts import FACTS, ShapeFacts
from twincell.sim.geometry.shape_table import SHAPE_NAMES, choose, complete
from twincell.sim.jit import kernel
from twincell.sim.model import HALF_SPACE, SHAPES, SPHERE
from twincell.sim.spec.cell import CollisionObject
from twincell.sim.spec.contact import Surface
from twincell.sim.spec.rules_entries import shape_names

ROOT = Path(__file__).parents[2]
TABLES = {  # every file that has such a table, in the order of docs/engine/new_shape.md
    "sim/geometry/shape_facts.py": ["facts"],
    "sim/geometry/point_distance.py": ["distances of a point"],
    "sim/geometry/solid.py": ["extents", "supports"],
    "sim/contact/collide/feature.py": ["features"],
    "sim/contact/collide/half_space.py": ["corners on a half-space"],
    "sim/network/catch_shapes.py": [
        "gaps of collision objects",
        "widths of collision objects",
        "regions of collision objects",
    ],
    "sim/build/shapes.py": ["sizes"],
    "sim/build/contact.py": ["points to stand on"],
    "server/web/data/scene_shapes.py": ["forms to draw"],
}
# kernels that are for a certain shape or pair by their very subject, and safe for all others
NAMED_IN = {"narrow_phase.py", "time_of_impact.py", "half_space.py", "overlaps.py"}


def tables_of(file):
    """The names of the tables that a file makes."""
    calls = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
             and node.func.id in ("choose", "complete") and len(node.args) == 2]  # fmt: skip
    return [call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)]


def test_no_table_is_left_out_of_this_list_nor_of_the_recipe():
    recipe = (ROOT / "docs" / "engine" / "new_shape.md").read_text(encoding="utf-8")
    found = {}
    for folder in ("sim", "server"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if names := tables_of(file):
                place = file.relative_to(ROOT).as_posix()
                found[place] = names
                assert f"`{place}`" in recipe
    assert found == TABLES


@pytest.mark.parametrize("file", TABLES)
def test_a_shape_without_an_entry_is_not_imported(file, monkeypatch):
    monkeypatch.setattr(shape_table, "SHAPES", (*SHAPES, len(SHAPES)))
    with pytest.raises(TypeError, match=rf"{TABLES[file][0]} has no entry for {len(SHAPES)}"):
        runpy.run_path(str(ROOT / file))


def test_numbers_begin_with_the_sphere_and_end_with_the_half_space():
    # the narrow phase puts the smaller number first
    assert list(SHAPES) == sorted(SHAPES)
    assert (SHAPES[0], SHAPES[-1]) == (SPHERE, HALF_SPACE)
    assert set(SHAPE_NAMES) == set(SHAPES)


def test_files_have_every_shape():
    assert set(shape_names(Surface)) == set(SHAPE_NAMES.values())
    assert set(shape_names(CollisionObject)) == set(SHAPE_NAMES.values()) - {"half_space"}


@pytest.mark.parametrize("left_out", ShapeFacts._fields)
def test_a_shape_that_leaves_a_fact_out_is_not_imported(left_out):
    facts = FACTS[SPHERE]._asdict()
    del facts[left_out]
    with pytest.raises(TypeError, match=left_out):
        ShapeFacts(**facts)


def test_an_incomplete_table_names_what_it_lacks():
    with pytest.raises(TypeError, match=r"table of colours has no entry for disc, half_space"):
        complete(
            "colours", {s: "red" for s in SHAPES if SHAPE_NAMES[s] not in ("disc", "half_space")}
        )


def test_a_kernel_is_chosen_by_the_shape():
    @kernel
    def twice(x):
        return 2.0 * x

    @kernel
    def square(x):
        return x * x

    chosen = choose("numbers", {s: square if s % 3 else twice for s in SHAPES})
    assert [chosen(s, 5.0) for s in SHAPES] == [25.0 if s % 3 else 10.0 for s in SHAPES]
    assert np.isnan(chosen(SHAPES[0], np.nan))


def test_nobody_else_asks_for_a_shape_by_its_number():
    names = {name for name in vars(model) if vars(model)[name] in SHAPES and name.isupper()}
    names &= {name.upper() for name in SHAPE_NAMES.values()}
    assert len(names) == len(SHAPES)
    for folder in ("sim", "server"):
        for file in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            compared = {
                name.id
                for node in ast.walk(tree)
                if isinstance(node, ast.Compare)
                for name in ast.walk(node)
                if isinstance(name, ast.Name)
            }
            assert not compared & names or file.name in NAMED_IN, file

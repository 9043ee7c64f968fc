"""The tick is compiled subject by subject, and what is made apart fits together."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from twincell.sim import step
from twincell.sim.cell import Cell
from twincell.sim.jit.line import ALL
from twincell.sim.machine_code import object_files, used_by
from twincell.sim.subjects import LINES, SUBJECTS

ROOT = Path(__file__).parents[2]
CELLS = ROOT / "config" / "cells"
pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="about compiled code")


def files_of(name):
    cell = Cell.load(CELLS / f"{name}.toml")
    return [file.name for file in object_files(cell._packs, used_by(cell.model))]


@pytest.mark.parametrize(
    ("cell", "subjects"),
    [
        ("static_object", []),
        ("contact_spheres", ["contact detection", "contact forces"]),
        ("first_cell", ["devices"]),
        ("tool_change_multi", ["robots"]),
    ],
)
def test_a_cell_needs_the_tick_and_the_subjects_that_it_has(cell, subjects):
    assert files_of(cell) == [*subjects, "step.run"]


def test_every_line_that_is_compiled_apart_is_called_by_the_tick():
    assert sorted(ALL) == sorted(LINES)
    assert set(LINES) <= set(step.step.py_func.__code__.co_names)
    assert [ALL[name].number for name in LINES] == list(range(len(LINES)))


def test_machine_code_is_the_same_for_all_cells():
    names = {
        tuple(file.file_name for file in object_files(Cell.load(file)._packs, SUBJECTS))
        for file in sorted(CELLS.glob("*.toml"))
    }
    assert len(names) == 1


def test_where_the_checkout_lies_does_not_matter(tmp_path):
    # links make it lie elsewhere: names of files are compared, nothing is compiled
    for folder in ("twincell", "sim", "server", "config"):
        os.symlink(ROOT / folder, tmp_path / folder)
    here, there = (_file_names(folder) for folder in (ROOT, tmp_path))
    assert here == there


def _file_names(folder):
    script = (
        "from twincell.sim.cell import Cell; from twincell.sim.machine_code import *;"
        f"cell = Cell.load({str(CELLS / 'static_object.toml')!r});"
        "print(*(file.file_name for file in object_files(cell._packs, SUBJECTS)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout


def test_two_first_starts_at_the_same_time_and_one_that_is_killed_leave_a_whole_cache(tmp_path):
    # a small entry instead of the tick: the way into the cache is the same
    script = (
        "import numpy as np; from twincell.sim.jit import entry\n"
        "@entry\ndef fill(x):\n"
        "    for k in range(x.shape[0]):\n        x[k] = k\n    return 0\n"
        "x = np.zeros(3); fill(x); assert x.tolist() == [0, 1, 2]"
    )
    (tmp_path / "first.py").write_text(script)  # a module, so that all of them name it alike
    environment = {**os.environ, "TWINCELL_CACHE_DIR": str(tmp_path / "cache")}
    started = [
        subprocess.Popen([sys.executable, "-c", "import first"], cwd=tmp_path, env=environment)
        for _ in range(3)
    ]
    started[0].kill()
    assert [process.wait(120) for process in started][1:] == [0, 0]
    kept = list((tmp_path / "cache" / "twincell").glob("*.o"))
    assert len(kept) == 1

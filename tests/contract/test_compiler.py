"""The tick is compiled subject by subject, and what is made apart fits together."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from twincell.sim import step
from twincell.sim.cell import Cell
from twincell.sim.jit.line import ALL
from twincell.sim.machine_code import object_files, used_by
from twincell.sim.subjects import LINES, SUBJECTS

ROOT = Path(__file__).parents[2]
CELLS = ROOT / "config" / "cells"


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


SCRIPT = """
import sys
import numpy as np
from twincell.sim.jit import cache, entry

@entry
def fill(x):
    for k in range(x.shape[0]):
        x[k] = k
    return 0

if sys.argv[1:] == ["stay"]:  # in the middle of writing
    def stay(*_):
        print("writing", flush=True)
        sys.stdin.read()
    cache.os.replace = stay
x = np.zeros(3)
fill(x)
assert x.tolist() == [0, 1, 2]
"""


def test_a_first_start_that_is_killed_midway_and_two_at_the_same_time_leave_a_whole_cache(tmp_path):
    # a small entry instead of the tick: the way into the cache is the same
    (tmp_path / "first.py").write_text(SCRIPT)
    environment = {**os.environ, "TWINCELL_CACHE_DIR": str(tmp_path / "cache")}

    def start(*words):
        command = [sys.executable, "first.py", *words]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        return subprocess.Popen(command, cwd=tmp_path, env=environment, text=True, **pipes)

    with start("stay") as killed:
        assert killed.stdout.readline() == "writing\n"
        killed.kill()
    assert list((tmp_path / "cache" / "twincell").glob("*.o")) == []
    with start() as one, start() as other:
        assert (one.wait(120), other.wait(120)) == (0, 0)
    assert len(list((tmp_path / "cache" / "twincell").glob("*.o"))) == 1

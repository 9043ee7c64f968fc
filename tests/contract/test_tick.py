"""What holds for every tick: no allocation, no write to the model, a fault instead of NaN."""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import config, njit
from numba.core.errors import NumbaError
from pytest import approx

from twincell.sim.cell import Cell
from twincell.sim.jit.settings import COMPILER
from twincell.sim.spec import load_text

CELLS = Path(__file__).parents[2] / "config" / "cells"
compiled_only = pytest.mark.skipif(config.DISABLE_JIT, reason="about compiled code")


class MallocInfo(ctypes.Structure):
    """mallinfo2 of the C library; the eighth number is the bytes in use."""

    _fields_ = [(name, ctypes.c_size_t) for name in "abcdefghij"]


def bytes_in_use() -> int:
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = MallocInfo
    return int(library.mallinfo2().h)


@compiled_only
@pytest.mark.parametrize("name", ["tool_change_multi", "first_cell"])  # without, with a changer
def test_a_tick_allocates_nothing(name):
    cell = Cell.load(CELLS / f"{name}.toml")
    rows = np.empty((10_000, len(cell.signals)))
    cell.run_into(rows[:10])
    before = bytes_in_use()
    cell.run_into(rows)
    # ten thousand ticks: even one byte a tick would show; the call itself leaves a few objects
    assert bytes_in_use() - before < 10_000


@compiled_only
def test_a_kernel_that_allocates_does_not_compile():
    def allocates(n):
        return np.zeros(n).sum()

    with pytest.raises((NumbaError, RuntimeError, NotImplementedError)):
        njit(**COMPILER)(allocates)(3)


@compiled_only
def test_a_kernel_that_writes_to_the_model_does_not_compile():
    def writes(model):
        model.bodies.mass[0] = 1.0

    cell = Cell.load(CELLS / "static_object.toml")
    with pytest.raises(NumbaError):
        njit(**COMPILER)(writes)(cell._packs["model"])


def test_a_cell_that_blows_up_stops_with_a_fault_that_names_object_and_tick():
    cell = Cell.load(CELLS / "tool_change_multi.toml")
    cell.run(100)
    before = cell.snapshot()
    cell.state.v_WB[1, 2] = np.nan
    rows = cell.run(50)
    assert len(rows) == 1
    assert cell.fault is not None
    assert (cell.fault.object, cell.fault.tick) == ("Tool2Body", 100)
    # the state stays that of the last good instant, and the cell does not go on
    assert np.array_equal(cell.state.p_WB, before.p_WB)
    assert cell.tick == 100
    assert len(cell.run(10)) == 0


def test_a_joint_that_runs_away_is_named():
    cell = Cell(
        load_text("""
name = "Runaway"
[body.Load]
mass_kg = 1.0
inertia_kg_m2 = [1.0, 1.0, 1.0]
[frame.Post]
[joint.Axis]
type = "prismatic"
parent = "Post"
child = "Load"
start_velocity_m_s = 1.0
""")
    )
    cell.run(10)
    cell.state.qd[0] = 1e11
    cell.run(10)
    assert cell.fault is not None
    assert (cell.fault.object, cell.fault.tick) == ("Axis", 10)


def test_compiled_and_plain_python_give_the_same_motion():
    script = (
        "import json, sys; from twincell.sim.cell import Cell; cell = Cell.load(sys.argv[1]);"
        "cell.state.p_WB[0, 0] += 0.01; rows = cell.run(40);"
        "print(json.dumps(rows[-1].tolist()))"
    )
    rows = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(CELLS / "object_transition_offset.toml")],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
            cwd=CELLS.parents[1],
        )
        rows.append(json.loads(done.stdout))
    # the same operations in the same order: only the last bit of sin, cos and atan2 may differ
    assert rows[0] == approx(rows[1], rel=1e-12, abs=1e-12)

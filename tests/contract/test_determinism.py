"""Same model, same commands, same start: the same bits."""

from pathlib import Path

import numpy as np
import pytest

from twincell.sim.arrays import assign, leaves
from twincell.sim.cell import Cell
from twincell.sim.scratch import Scratch
from twincell.sim.spec import load_text

CELLS = sorted((Path(__file__).parents[2] / "config" / "cells").glob("*.toml"))


def spoil(scratch: Scratch) -> None:
    """Fill every array with nonsense."""
    for _, array in leaves(scratch):
        array[...] = np.nan if array.dtype == np.float64 else -77


@pytest.mark.parametrize("file", CELLS, ids=lambda f: f.stem)
def test_a_repeated_run_gives_the_same_bits(file):
    first, second = Cell.load(file), Cell.load(file)
    rows = first.run(2500)
    assert np.array_equal(rows, second.run(2500))
    assert first.state_hash() == second.state_hash()


@pytest.mark.parametrize("file", CELLS, ids=lambda f: f.stem)
def test_nothing_in_scratch_outlives_a_tick(file):
    clean, spoilt = Cell.load(file), Cell.load(file)
    for _ in range(50):
        rows = clean.run(50)
        spoil(spoilt.scratch)
        first = spoilt.run(1)
        spoil(spoilt.scratch)
        assert np.array_equal(rows, np.vstack([first, spoilt.run(49)]))
    assert clean.state_hash() == spoilt.state_hash()


def test_nothing_in_scratch_outlives_a_tick_of_a_loop_in_transition():
    grips = "".join(
        f"""
[frame.At{k}]
position_m = [{x}, 0, 0]
[frame.On{k}]
on = "Beam"
position_m = [{x}, 0, 0]
[collision_object.Holder{k}]
on = "At{k}"
mode = "control"
closed = {"true" if k == 0 else "false"}
sphere.radius_m = 0.1
[constrained_object.Grip{k}]
on = "On{k}"
radius_m = 0.1
eta = 50
transition = true
transition_s = 0.05
"""
        for k, x in enumerate((-0.5, 0.0, 0.5))
    )
    text = f"""
name = "Beam"
[body.Beam]
mass_kg = 2.0
inertia_kg_m2 = [0.1, 0.2, 0.2]
{grips}
[[timeline]]
at_s = 0.02
set = {{ "Holder1.Closed" = true, "Holder2.Closed" = true }}
[[timeline]]
at_s = 0.1
set = {{ "Holder0.Closed" = false }}
"""
    clean, spoilt = Cell(load_text(text)), Cell(load_text(text))
    rows = clean.run(150)
    for row in rows:
        spoil(spoilt.scratch)
        assert np.array_equal(spoilt.run(1)[0], row)
    assert np.isfinite(rows).all()


@pytest.mark.parametrize("file", CELLS, ids=lambda f: f.stem)
def test_one_long_run_equals_many_short_ones(file):
    long, short = Cell.load(file), Cell.load(file)
    rows = long.run(1500)
    pieces = np.vstack([short.run(n) for n in (1, 2, 497, 0, 1000)])
    assert np.array_equal(rows, pieces)


def test_a_copied_state_goes_on_like_the_original():
    original, copy = Cell.load(CELLS[0]), Cell.load(CELLS[0])
    original.run(800)
    assign(copy.state, original.state)
    copy.commands.values[:] = original.commands.values
    assert np.array_equal(original.run(700), copy.run(700))

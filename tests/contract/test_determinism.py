"""Same model, same commands, same start: the same bits."""

from pathlib import Path

import numpy as np
import pytest

from sim.cell import Cell, copy_state

CELLS = sorted((Path(__file__).parents[2] / "config" / "cells").glob("*.toml"))


def spoil(part: object) -> None:
    """Fill every array of a tuple with nonsense."""
    for value in part:  # type: ignore[attr-defined]
        if isinstance(value, tuple):
            spoil(value)
        else:
            value[...] = np.nan if value.dtype == np.float64 else -77


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
        clean.run(50)
        spoil(spoilt.scratch)
        spoilt.run(1)
        spoil(spoilt.scratch)
        spoilt.run(49)
    assert clean.state_hash() == spoilt.state_hash()


@pytest.mark.parametrize("file", CELLS, ids=lambda f: f.stem)
def test_one_long_run_equals_many_short_ones(file):
    long, short = Cell.load(file), Cell.load(file)
    rows = long.run(1500)
    pieces = np.vstack([short.run(n) for n in (1, 2, 497, 0, 1000)])
    assert np.array_equal(rows, pieces)


def test_a_copied_state_goes_on_like_the_original():
    original, copy = Cell.load(CELLS[0]), Cell.load(CELLS[0])
    original.run(800)
    for target, source in zip(copy.state, copy_state(original.state), strict=True):
        target[...] = source
    copy.commands.values[:] = original.commands.values
    assert np.array_equal(original.run(700), copy.run(700))

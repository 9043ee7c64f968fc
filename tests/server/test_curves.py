"""Curves for a plot lose no peak, whatever the length of the run."""

import numpy as np
import pytest

from twincell.server.report.curves import N_SLICES, Curves
from twincell.sim.signals import Direction, Kind, Signal

SIGNALS = [
    Signal(name, column, Kind.DOUBLE, "N", Direction.FEEDBACK, "")
    for column, name in enumerate(["A", "B"])
]


def curves_of(rows: np.ndarray, chunk: int) -> Curves:
    curves = Curves(SIGNALS, 0.001)
    for start in range(0, len(rows), chunk):
        curves.append(rows[start : start + chunk])
    return curves


def test_short_run_is_kept_in_full():
    rows = np.random.default_rng(1).normal(size=(N_SLICES, 2))
    times, values = curves_of(rows, 100).curve("B")
    assert np.array_equal(values, rows[:, 1])
    assert times[-1] == pytest.approx((N_SLICES - 1) * 0.001)


@pytest.mark.parametrize("chunk", [1000, 4097, 100_000])
def test_long_run_keeps_every_peak_and_little_else(chunk):
    rows = np.zeros((50_000, 2))
    rows[31_234, 0], rows[31_240, 0] = 5.0, -7.0
    curves = curves_of(rows, chunk)
    times, values = curves.curve("A")
    assert len(values) <= 2 * N_SLICES
    assert (values.max(), values.min()) == (5.0, -7.0)
    assert times[values.argmax()] == pytest.approx(31.234, abs=0.016)  # the width of a slice
    assert curves.peak("A") == 7.0
    assert curves.peak("B") == 0.0


def test_values_that_are_no_numbers_are_passed_over():
    rows = np.full((9000, 2), np.nan)
    rows[:4500, 0] = 2.0
    curves = curves_of(rows, 1000)
    assert curves.peak("A") == 2.0
    assert curves.peak("B") == 0.0

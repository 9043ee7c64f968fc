"""Comparing rows: where both begin, what counts as equal, what is worst."""

import math

import numpy as np
import pytest

from twincell.server.recording.compare import Comparison


def parts(first_tick, values, size=3):
    """Rows of two signals, in parts."""
    rows = np.array(values, dtype=float)
    ticks = np.arange(first_tick, first_tick + len(rows))
    for start in range(0, len(rows), size):
        yield ticks[start : start + size], rows[start : start + size].copy()


def compared(one, other, absolute=0.0, relative=0.0) -> Comparison:
    found = Comparison(["A", "B"], absolute, relative)
    found.run(one, other)
    return found


def ramp(count, first=0):
    return [[k, 2.0 * k] for k in range(first, first + count)]


def test_equal_rows_are_equal_however_they_are_cut():
    found = compared(parts(0, ramp(10), 3), parts(0, ramp(10), 4))
    assert (found.first, found.rows, found.worst) == (None, 10, [])


def test_the_later_one_says_where_both_begin_and_the_shorter_one_where_they_end():
    found = compared(parts(0, ramp(20)), parts(7, ramp(5, first=7)))
    assert (found.first, found.rows) == (None, 5)
    assert (found.only_in_one, found.only_in_other) == (8, 0)


def test_recordings_without_a_common_tick_have_nothing_to_compare():
    assert compared(parts(0, ramp(5)), parts(50, ramp(5))).rows == 0


def test_the_first_deviation_and_the_worst_of_each_signal_are_found():
    other = ramp(10)
    other[4][1] += 0.5
    other[6][0] += 3.0
    other[8][1] -= 2.0
    found = compared(parts(100, ramp(10)), parts(100, other))
    assert found.first is not None
    assert (found.first.tick, found.first.signal) == (104, "B")
    assert (found.first.one, found.first.other) == (8.0, 8.5)
    assert [(w.signal, w.deviation, w.tick, w.count) for w in found.worst] == [
        ("A", 3.0, 106, 1),
        ("B", 2.0, 108, 2),
    ]


def test_a_tick_that_differs_is_a_deviation_of_its_own():
    one = iter([(np.array([0, 1, 2]), np.zeros((3, 2)))])
    other = iter([(np.array([0, 1, 0]), np.zeros((3, 2)))])
    found = compared(one, other)
    assert found.first is not None
    assert (found.first.tick, found.first.signal) == (2, "tick")


@pytest.mark.parametrize(
    ("a", "b", "tolerances", "equal"),
    [
        (0.0, -0.0, (0.0, 0.0), False),  # bits
        (0.0, -0.0, (1e-12, 0.0), True),
        (math.nan, math.nan, (0.0, 0.0), True),
        (math.nan, math.nan, (1.0, 0.0), True),
        (math.nan, 1.0, (1.0, 1.0), False),
        (math.inf, math.inf, (1.0, 0.0), True),
        (math.inf, 1.0, (1.0, 0.0), False),
        (1.0, 1.5, (0.5, 0.0), True),
        (1.0, 1.6, (0.5, 0.0), False),
        (100.0, 101.0, (0.0, 0.01), True),
        (100.0, 102.0, (0.0, 0.01), False),
    ],
)
def test_tolerances_decide_what_is_equal(a, b, tolerances, equal):
    found = compared(parts(0, [[a, 0.0]]), parts(0, [[b, 0.0]]), *tolerances)
    assert (found.first is None) == equal
    assert all(worst.deviation > 0 or a == b for worst in found.worst)

"""Cholesky against numpy."""

import numpy as np
import pytest

from twincell.sim.numeric.cholesky import solve_positive


def random_positive(rng, n):
    """A symmetric matrix with eigenvalues from 0.1 to 10."""
    q, _ = np.linalg.qr(rng.normal(size=(n, n)))
    return (q * rng.uniform(0.1, 10, n)) @ q.T


@pytest.mark.parametrize("n", [1, 2, 6, 12, 48])
def test_solution_is_that_of_numpy(n):
    rng = np.random.default_rng(n)
    matrix, right = random_positive(rng, n), rng.normal(size=n)
    expected = np.linalg.solve(matrix, right)
    solve_positive(matrix, right, n)
    assert right == pytest.approx(expected, rel=1e-12, abs=1e-12)  # condition 100


def test_only_the_lower_triangle_and_the_first_unknowns_are_read():
    rng = np.random.default_rng(1)
    whole, b = random_positive(rng, 5), rng.normal(size=5)
    matrix = np.full((8, 8), np.nan)
    matrix[:5, :5] = np.where(np.tri(5) > 0, whole, np.nan)
    right = np.r_[b, np.full(3, np.nan)]
    solve_positive(matrix, right, 5)
    assert right[:5] == pytest.approx(np.linalg.solve(whole, b), rel=1e-12, abs=1e-12)
    assert np.isnan(right[5:]).all()


@pytest.mark.parametrize("rank", [0, 1, 4, 7])
def test_redundant_directions_get_nothing_and_the_rest_is_solved(rank):
    rng = np.random.default_rng(rank)
    factor = rng.normal(size=(8, rank))
    matrix, x = factor @ factor.T, rng.normal(size=8)
    whole, b = matrix.copy(), matrix @ x
    right = b.copy()
    solve_positive(matrix, right, 8)
    assert whole @ right == pytest.approx(b, rel=0, abs=1e-10)
    assert np.count_nonzero(right) <= rank
    assert np.abs(right).max() < 1e3  # bounded, though numpy's solve finds 1e15

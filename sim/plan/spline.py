"""Cubic splines through values at knots, with continuous first and second derivatives.

With h the length of a piece and M the second derivatives at the knots, each inner knot i has

    h₋ M₋ + 2 (h₋ + h) M + h M₊ = 6 ((y₊ - y)/h - (y - y₋)/h₋)        ₋ and ₊: the knots beside it

and at either end the third derivative does not jump from the first piece to the second:

    (M₁ - M₀)/h₀ = (M₂ - M₁)/h₁

scipy has the same; importing it would take longer than planning a cell's moves.
"""

import numpy as np

from twincell.sim.model import Floats


def cubic_spline(knots: Floats, values: Floats) -> Floats:
    """Pieces c0 + c1 x + c2 x² + c3 x³, x from the knot before; values has a row a knot.

    Shape: (columns of values, pieces, 4).
    """
    h = np.diff(knots)
    slope = np.diff(values, axis=0) / h[:, None]
    M = _second_derivatives(h, slope)
    h = h[:, None]
    c = [
        values[:-1],
        slope - h * (2 * M[:-1] + M[1:]) / 6,
        M[:-1] / 2,
        np.diff(M, axis=0) / (6 * h),
    ]
    return np.ascontiguousarray(np.transpose(c, (2, 1, 0)))


def _second_derivatives(h: Floats, slope: Floats) -> Floats:
    n = len(h) + 1
    if n == 2:
        return np.zeros((2, slope.shape[1]))  # a straight line
    matrix, right = np.zeros((n, n)), np.zeros((n, slope.shape[1]))
    inner = np.arange(1, n - 1)
    matrix[inner, inner - 1] = h[:-1]
    matrix[inner, inner] = 2 * (h[:-1] + h[1:])
    matrix[inner, inner + 1] = h[1:]
    right[inner] = 6 * np.diff(slope, axis=0)
    if n == 3:
        matrix[0, :2] = matrix[2, 1:] = -1, 1  # a parabola: both ends ask the same of it
    else:
        matrix[0, :3] = -h[1], h[0] + h[1], -h[0]
        matrix[-1, -3:] = -h[-1], h[-2] + h[-1], -h[-2]
    return np.asarray(np.linalg.solve(matrix, right))


def in_the_middle(knots: Floats, pieces: Floats) -> Floats:
    """Values in the middle of each piece, a row a piece."""
    x = np.diff(knots) / 2
    c0, c1, c2, c3 = np.moveaxis(pieces, 2, 0)
    return np.asarray((c0 + x * (c1 + x * (c2 + x * c3))).T)

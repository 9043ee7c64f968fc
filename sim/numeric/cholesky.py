"""Cholesky: a symmetric, positive definite system, solved in place.

    A = L Lᵀ,   L y = b,   Lᵀ x = y

A pivot that is nothing but the rounding of its own diagonal belongs to a direction that others have
decided already. Its unknown is 0, and the rest is solved without it.
"""

import math

from twincell.sim.jit import kernel

ROUNDING = 1.0e-14  # of its diagonal that a pivot must keep; chosen: a hundred roundings


@kernel
def solve_positive(matrix, right, n):
    """Solve matrix x = right for the first n unknowns; only the lower triangle is read.

    L takes the place of the lower triangle, x that of the right-hand side.
    """
    for j in range(n):
        least = ROUNDING * matrix[j, j]
        for k in range(j):
            matrix[j, j] -= matrix[j, k] * matrix[j, k]
        decided = not matrix[j, j] > least
        matrix[j, j] = 0.0 if decided else math.sqrt(matrix[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = 0.0 if decided else matrix[i, j] / matrix[j, j]
    for i in range(n):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] = 0.0 if matrix[i, i] == 0.0 else right[i] / matrix[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= matrix[k, i] * right[k]
        right[i] = 0.0 if matrix[i, i] == 0.0 else right[i] / matrix[i, i]

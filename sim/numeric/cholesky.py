"""Cholesky: a symmetric, positive definite system, solved in place.

A = L Lᵀ,   L y = b,   Lᵀ x = y
"""

import math

from sim.jit import kernel


@kernel
def solve_positive(matrix, right, n):
    """Solve matrix x = right for the first n unknowns; only the lower triangle is read.

    L takes the place of the lower triangle, x that of the right-hand side.
    """
    for j in range(n):
        for k in range(j):
            matrix[j, j] -= matrix[j, k] * matrix[j, k]
        matrix[j, j] = math.sqrt(matrix[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
            matrix[i, j] /= matrix[j, j]
    for i in range(n):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]

"""Three-vectors, 3x3 and symmetric 3x3 matrices as tuples: they live in registers.

vector     (x, y, z)
matrix     (xx, xy, xz, yx, yy, yz, zx, zy, zz)      row by row
symmetric  (xx, yy, zz, xy, xz, yz)
"""

import math

from twincell.sim.jit import formula

ZERO = (0.0, 0.0, 0.0)


@formula
def load(array, i):
    """Row i as a vector."""
    return (array[i, 0], array[i, 1], array[i, 2])


@formula
def store(array, i, a):
    """Vector into row i."""
    array[i, 0] = a[0]
    array[i, 1] = a[1]
    array[i, 2] = a[2]


@formula
def plus(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@formula
def minus(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@formula
def times(k, a):
    """k a."""
    return (k * a[0], k * a[1], k * a[2])


@formula
def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@formula
def cross(a, b):
    """a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@formula
def norm(a):
    """Length of a."""
    return math.sqrt(dot(a, a))


@formula
def mul(m, a):
    """Matrix times vector."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@formula
def mul_transposed(m, a):
    """Transposed matrix times vector."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


@formula
def sym_mul(s, a):
    """Symmetric matrix times vector."""
    return (
        s[0] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
        s[4] * a[0] + s[5] * a[1] + s[2] * a[2],
    )


@formula
def sym_inverse(s):
    """Inverse of a symmetric positive definite matrix, by its cofactors."""
    xx = s[1] * s[2] - s[5] * s[5]
    xy = s[4] * s[5] - s[3] * s[2]
    xz = s[3] * s[5] - s[4] * s[1]
    k = 1.0 / (s[0] * xx + s[3] * xy + s[4] * xz)
    return (
        k * xx,
        k * (s[0] * s[2] - s[4] * s[4]),
        k * (s[0] * s[1] - s[3] * s[3]),
        k * xy,
        k * xz,
        k * (s[3] * s[4] - s[0] * s[5]),
    )


@formula
def rotate_inertia(r, s):
    """R S Rᵀ: a symmetric matrix of body axes seen in world axes."""
    row_x = sym_mul(s, (r[0], r[1], r[2]))
    row_y = sym_mul(s, (r[3], r[4], r[5]))
    row_z = sym_mul(s, (r[6], r[7], r[8]))
    return (
        row_x[0] * r[0] + row_x[1] * r[1] + row_x[2] * r[2],
        row_y[0] * r[3] + row_y[1] * r[4] + row_y[2] * r[5],
        row_z[0] * r[6] + row_z[1] * r[7] + row_z[2] * r[8],
        row_x[0] * r[3] + row_x[1] * r[4] + row_x[2] * r[5],
        row_x[0] * r[6] + row_x[1] * r[7] + row_x[2] * r[8],
        row_y[0] * r[6] + row_y[1] * r[7] + row_y[2] * r[8],
    )

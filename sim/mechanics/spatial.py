"""Inertias and responses of six degrees of freedom about a common point o, in world axes.

    [F]   [ M   H ] [a]          [a]   [ A   B ] [F]
    [N] = [ Hᵀ  J ] [α]          [α] = [ Bᵀ  C ] [N]

F, N: force and its moment about o; a, α: the acceleration field of a body, so that its centre
of mass c accelerates with a + α x (c - o). Both kinds of matrix are symmetric and are kept as
21 numbers: M or A (6), H or B (9), J or C (6). About one point for a whole island, inertias of
bodies that move together simply add.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import (
    cross,
    dot,
    minus,
    mul,
    mul_transposed,
    plus,
    sym_inverse,
    sym_mul,
    times,
)

NOTHING = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
)


@formula
def load(array, i):
    """Row i as a six by six matrix."""
    a = array[i]
    return (
        (a[0], a[1], a[2], a[3], a[4], a[5]),
        (a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14]),
        (a[15], a[16], a[17], a[18], a[19], a[20]),
    )


@formula
def store(array, i, x):
    """Six by six matrix into row i."""
    a = array[i]
    for k in range(6):
        a[k] = x[0][k]
        a[15 + k] = x[2][k]
    for k in range(9):
        a[6 + k] = x[1][k]


@formula
def load_pair(array, i):
    """Row i as (linear, angular)."""
    a = array[i]
    return (a[0], a[1], a[2]), (a[3], a[4], a[5])


@formula
def store_pair(array, i, x):
    """(linear, angular) into row i."""
    a = array[i]
    for k in range(3):
        a[k] = x[0][k]
        a[3 + k] = x[1][k]


@formula
def plus_pair(x, y):
    """Sum of two (linear, angular)."""
    return plus(x[0], y[0]), plus(x[1], y[1])


@formula
def minus_pair(x, y):
    """Difference of two (linear, angular)."""
    return minus(x[0], y[0]), minus(x[1], y[1])


@formula
def times_pair(k, x):
    """A number times (linear, angular)."""
    return times(k, x[0]), times(k, x[1])


@formula
def add_pair(array, i, x):
    """Add (linear, angular) to row i."""
    store_pair(array, i, plus_pair(load_pair(array, i), x))


@formula
def dot_pair(x, y):
    """Power of a force (linear, angular) on a motion (linear, angular)."""
    return dot(x[0], y[0]) + dot(x[1], y[1])


@formula
def sum6(x, y):
    """Sum of two symmetric three by three matrices."""
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4], x[5] + y[5])


@formula
def plus6(x, y):
    """Sum of two six by six matrices."""
    h = x[1]
    g = y[1]
    return (
        sum6(x[0], y[0]),
        (
            h[0] + g[0],
            h[1] + g[1],
            h[2] + g[2],
            h[3] + g[3],
            h[4] + g[4],
            h[5] + g[5],
            h[6] + g[6],
            h[7] + g[7],
            h[8] + g[8],
        ),
        sum6(x[2], y[2]),
    )


@formula
def scale6(k, x):
    """A six by six matrix times a number."""
    m, h, j = x
    return (
        (k * m[0], k * m[1], k * m[2], k * m[3], k * m[4], k * m[5]),
        (
            k * h[0],
            k * h[1],
            k * h[2],
            k * h[3],
            k * h[4],
            k * h[5],
            k * h[6],
            k * h[7],
            k * h[8],
        ),
        (k * j[0], k * j[1], k * j[2], k * j[3], k * j[4], k * j[5]),
    )


@formula
def mul6(x, y):
    """Six by six matrix times (linear, angular)."""
    return (
        plus(sym_mul(x[0], y[0]), mul(x[1], y[1])),
        plus(mul_transposed(x[1], y[0]), sym_mul(x[2], y[1])),
    )


@formula
def _minus_square(s, k, u):
    return (
        s[0] - k * u[0] * u[0],
        s[1] - k * u[1] * u[1],
        s[2] - k * u[2] * u[2],
        s[3] - k * u[0] * u[1],
        s[4] - k * u[0] * u[2],
        s[5] - k * u[1] * u[2],
    )


@formula
def minus_square(x, k, u):
    """X - k u uᵀ with u = (linear, angular)."""
    h = x[1]
    f, n = u
    return (
        _minus_square(x[0], k, f),
        (
            h[0] - k * f[0] * n[0],
            h[1] - k * f[0] * n[1],
            h[2] - k * f[0] * n[2],
            h[3] - k * f[1] * n[0],
            h[4] - k * f[1] * n[1],
            h[5] - k * f[1] * n[2],
            h[6] - k * f[2] * n[0],
            h[7] - k * f[2] * n[1],
            h[8] - k * f[2] * n[2],
        ),
        _minus_square(x[2], k, n),
    )


@formula
def of_body(mass, inertia, r):
    """Inertia of a rigid body whose centre of mass is at o + r.

    M = m 1,   H = -m [r x],   J = inertia + m (r·r 1 - r rᵀ)
    """
    x, y, z = r
    return (
        (mass, mass, mass, 0.0, 0.0, 0.0),
        (0.0, mass * z, -mass * y, -mass * z, 0.0, mass * x, mass * y, -mass * x, 0.0),
        (
            inertia[0] + mass * (y * y + z * z),
            inertia[1] + mass * (x * x + z * z),
            inertia[2] + mass * (x * x + y * y),
            inertia[3] - mass * x * y,
            inertia[4] - mass * x * z,
            inertia[5] - mass * y * z,
        ),
    )


@formula
def _congruence(x, h):
    """Hᵀ X H, and X H, for a symmetric X."""
    c0 = sym_mul(x, (h[0], h[3], h[6]))
    c1 = sym_mul(x, (h[1], h[4], h[7]))
    c2 = sym_mul(x, (h[2], h[5], h[8]))
    xh = (c0[0], c1[0], c2[0], c0[1], c1[1], c2[1], c0[2], c1[2], c2[2])
    d0 = mul_transposed(h, c0)
    d1 = mul_transposed(h, c1)
    d2 = mul_transposed(h, c2)
    return (d0[0], d1[1], d2[2], d1[0], d2[0], d2[1]), xh


@formula
def _schur(x):
    """M⁻¹, M⁻¹ H and (J - Hᵀ M⁻¹ H)⁻¹."""
    inverse = sym_inverse(x[0])
    square, g = _congruence(inverse, x[1])
    j = x[2]
    c = sym_inverse(
        (
            j[0] - square[0],
            j[1] - square[1],
            j[2] - square[2],
            j[3] - square[3],
            j[4] - square[4],
            j[5] - square[5],
        )
    )
    return inverse, g, c


@kernel
def inverse6(x):
    """Response of an inertia, or inertia of a response: by its Schur complement.

    C = (J - Hᵀ M⁻¹ H)⁻¹,   B = -M⁻¹ H C,   A = M⁻¹ - B Hᵀ M⁻¹
    """
    inverse, g, c = _schur(x)
    b0 = sym_mul(c, (g[0], g[1], g[2]))
    b1 = sym_mul(c, (g[3], g[4], g[5]))
    b2 = sym_mul(c, (g[6], g[7], g[8]))
    a = (
        inverse[0] + b0[0] * g[0] + b0[1] * g[1] + b0[2] * g[2],
        inverse[1] + b1[0] * g[3] + b1[1] * g[4] + b1[2] * g[5],
        inverse[2] + b2[0] * g[6] + b2[1] * g[7] + b2[2] * g[8],
        inverse[3] + b0[0] * g[3] + b0[1] * g[4] + b0[2] * g[5],
        inverse[4] + b0[0] * g[6] + b0[1] * g[7] + b0[2] * g[8],
        inverse[5] + b1[0] * g[6] + b1[1] * g[7] + b1[2] * g[8],
    )
    b = (-b0[0], -b0[1], -b0[2], -b1[0], -b1[1], -b1[2], -b2[0], -b2[1], -b2[2])
    return a, b, c


@kernel
def factor6(x):
    """What `solve_factored` needs of an inertia: M⁻¹, M⁻¹ H and C."""
    return _schur(x)


@formula
def solve_factored(factors, f):
    """Acceleration field of a factored inertia under a force."""
    inverse, g, c = factors
    angular = sym_mul(c, minus(f[1], mul_transposed(g, f[0])))
    linear = minus(sym_mul(inverse, f[0]), mul(g, angular))
    return linear, angular


@kernel
def solve6(x, f):
    """Acceleration field of an inertia under a force."""
    inverse, g, c = _schur(x)
    angular = sym_mul(c, minus(f[1], mul_transposed(g, f[0])))
    linear = minus(sym_mul(inverse, f[0]), mul(g, angular))
    return linear, angular


@formula
def force_at(f, r):
    """The same force with its moment about o + r instead of o."""
    return f[0], minus(f[1], cross(r, f[0]))


@formula
def field_at(a, r):
    """The same acceleration field seen at o + r instead of o."""
    return plus(a[0], cross(a[1], r)), a[1]


@kernel
def response_at(x, r):
    """The same response about o + r instead of o.

    B' = B - [r x] C,   A' = A + B' [r x] - [r x] Bᵀ,   C' = C
    """
    a, b, c = x
    # column k of [r x] C is r x (column k of C)
    c0 = cross(r, (c[0], c[3], c[4]))
    c1 = cross(r, (c[3], c[1], c[5]))
    c2 = cross(r, (c[4], c[5], c[2]))
    moved = (
        b[0] - c0[0],
        b[1] - c1[0],
        b[2] - c2[0],
        b[3] - c0[1],
        b[4] - c1[1],
        b[5] - c2[1],
        b[6] - c0[2],
        b[7] - c1[2],
        b[8] - c2[2],
    )
    # row i of B' [r x] is (row i of B') x r; column k of [r x] Bᵀ is r x (row k of B)
    p0 = cross((moved[0], moved[1], moved[2]), r)
    p1 = cross((moved[3], moved[4], moved[5]), r)
    p2 = cross((moved[6], moved[7], moved[8]), r)
    q0 = cross(r, (b[0], b[1], b[2]))
    q1 = cross(r, (b[3], b[4], b[5]))
    q2 = cross(r, (b[6], b[7], b[8]))
    return (
        (
            a[0] + p0[0] - q0[0],
            a[1] + p1[1] - q1[1],
            a[2] + p2[2] - q2[2],
            a[3] + p0[1] - q1[0],
            a[4] + p0[2] - q2[0],
            a[5] + p1[2] - q2[1],
        ),
        moved,
        c,
    )

"""What a contact point does to the bodies of its two surfaces, about their islands' roots.

    rate at p    (v + ω x r, ω) of the first body less that of the second
    force        (F, N) on the first body at p, the opposite on the second
    slope G      how much less force a faster rate gets: it resists like an inertia at p,

        [ G        -G [r x]         ]
        [ [r x] G   g - [r x] G [r x] ]         r = p - o,  g: what resists turning

Driven bodies do as they are told: they take forces without a motion of their own.
"""

from twincell.sim.jit import formula
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.spatial import minus_pair
from twincell.sim.mechanics.vector import ZERO, cross, dot, load, minus, sym_mul, times


@formula
def bodies_of(scratch, point):
    """Bodies of a point's two surfaces."""
    body = scratch.contacts.body[point]
    return body[0], body[1]


@formula
def levers_of(scratch, point):
    """From the roots of both bodies' islands to a contact point."""
    return spatial.load_pair(scratch.contacts.lever, point)


@formula
def lever_of(scratch, point, side):
    """The same of one of them."""
    lever = scratch.contacts.lever[point]
    return lever[3 * side], lever[3 * side + 1], lever[3 * side + 2]


@formula
def inverse_mass(model, scratch, point):
    """1/m_a + 1/m_b of what touches: 1/m if only one can move, 0 if none can."""
    total = 0.0
    for body in bodies_of(scratch, point):
        if body >= model.n_driven:
            total += 1.0 / model.bodies.mass[body]
    return total


@formula
def relative(model, scratch, motions, point):
    """Rate at a point that motions of the bodies make; driven ones do not move here."""
    rate = (ZERO, ZERO)
    a, b = bodies_of(scratch, point)
    r_a, r_b = levers_of(scratch, point)
    if a >= model.n_driven:
        rate = spatial.field_at(spatial.load_pair(motions, a), r_a)
    if b >= model.n_driven:
        other = spatial.field_at(spatial.load_pair(motions, b), r_b)
        rate = minus_pair(rate, other)
    return rate


@formula
def load_bodies(model, scratch, forces, point, force):
    """Add a contact force to the forces on both bodies."""
    a, b = bodies_of(scratch, point)
    r_a, r_b = levers_of(scratch, point)
    if a >= model.n_driven:
        spatial.add_pair(forces, a, about_root(force, r_a))
    if b >= model.n_driven:
        opposite = spatial.times_pair(-1.0, about_root(force, r_b))
        spatial.add_pair(forces, b, opposite)


@formula
def about_root(force, r):
    """A force at a point as a force and moment about the root from which r leads there."""
    return spatial.force_at(force, times(-1.0, r))


@formula
def load_slope(slope, point):
    """Linear slope, symmetric, and the slope that resists turning."""
    a = slope[point]
    return (a[0], a[1], a[2], a[3], a[4], a[5]), a[6]


@formula
def resist(scratch, point, rate):
    """G times a rate."""
    linear, angular = load_slope(scratch.contacts.slope, point)
    force = sym_mul(linear, rate[0])
    if angular == 0.0:
        return force, ZERO
    n = load(scratch.points.n_W, point)
    turning = minus(rate[1], times(dot(rate[1], n), n))
    return force, times(angular, turning)


@formula
def add_slope(scratch, point, body, r, k):
    """Let the inertia of a body feel k times the slope of one of its contacts, r from its root."""
    linear, turning = load_slope(scratch.contacts.slope, point)
    a = scratch.articulated.inertia[body]
    add_linear_slope(a, r, linear, k)
    if turning > 0.0:
        n = load(scratch.points.n_W, point)
        a[15] += k * turning * (1.0 - n[0] * n[0])
        a[16] += k * turning * (1.0 - n[1] * n[1])
        a[17] += k * turning * (1.0 - n[2] * n[2])
        a[18] -= k * turning * n[0] * n[1]
        a[19] -= k * turning * n[0] * n[2]
        a[20] -= k * turning * n[1] * n[2]


@formula
def add_linear_slope(a, r, g, k):
    """Add k times a linear slope, r from the root, to an inertia."""
    # row i of -G [r x] is r x (row i of G)
    x = cross(r, (g[0], g[3], g[4]))
    y = cross(r, (g[3], g[1], g[5]))
    z = cross(r, (g[4], g[5], g[2]))
    for i in range(6):
        a[i] += k * g[i]
    for i in range(3):
        a[6 + i] += k * x[i]
        a[9 + i] += k * y[i]
        a[12 + i] += k * z[i]
    # column j of -[r x] G [r x] is r x (column j of -G [r x])
    first = cross(r, (x[0], y[0], z[0]))
    second = cross(r, (x[1], y[1], z[1]))
    third = cross(r, (x[2], y[2], z[2]))
    a[15] += k * first[0]
    a[16] += k * second[1]
    a[17] += k * third[2]
    a[18] += k * second[0]
    a[19] += k * third[0]
    a[20] += k * third[1]

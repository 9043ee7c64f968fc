"""What contacts show in a row: forces are means over the tick that begins with it.

`Contacts` counts the points of a surface that push in this tick. A watched contact shows the sum of
its points, and of point, normal and depth the mean, each weighed with its normal force.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.spatial import load_pair
from twincell.sim.mechanics.vector import dot, load, minus, norm, plus, times
from twincell.sim.signals import Declared, Kind


def _vector(quantity: str, unit: str, description: str) -> tuple[Declared, ...]:
    return tuple((f"{quantity}.{axis}", Kind.DOUBLE, unit, description) for axis in "XYZ")


SURFACE_SIGNALS: tuple[Declared, ...] = (
    ("Contacts", Kind.INT32, "", "How many points of it are pushed"),
    *_vector("ContactForce", "N", "Sum of the contact forces on it, world axes"),
)
WATCHED_SIGNALS: tuple[Declared, ...] = (
    ("Contacts", Kind.INT32, "", "How many points push"),
    *_vector("Point", "m", "Where they push, in the world"),
    *_vector("Normal", "", "From the second surface into the first, world axes"),
    ("Depth", Kind.DOUBLE, "m", "How deep they overlap"),
    ("NormalForce", Kind.DOUBLE, "N", "Sum of the normal forces"),
    ("FrictionForce", Kind.DOUBLE, "N", "Size of the sum of the friction forces"),
    *_vector("ContactForce", "N", "Force on the first surface, world axes"),
)
N_SURFACE, N_WATCHED = len(SURFACE_SIGNALS), len(WATCHED_SIGNALS)


@kernel
def write_contacts(model, scratch, row):
    """Write the signals of all surfaces and watched contacts."""
    for this in range(model.surfaces.port.shape[0]):
        for k in range(N_SURFACE):
            row[model.columns.surface[this] + k] = 0.0
    if model.surfaces.port.shape[0] == 0:
        return
    for point in range(scratch.contacts.n[0]):
        force = _force(model, scratch, point)
        if dot(force, force) > 0.0:
            _add(row, model.columns.surface[scratch.contacts.surface[point, 0]], 1.0, force)
            _add(row, model.columns.surface[scratch.contacts.surface[point, 1]], -1.0, force)
    for k in range(model.columns.watched.shape[0]):
        _write_watched(model, scratch, row, k)


@formula
def _force(model, scratch, point):
    return times(1.0 / model.step, load_pair(scratch.contacts.impulse, point)[0])


@formula
def _add(row, column, sign, force):
    row[column] += 1.0
    for k in range(3):
        row[column + 1 + k] += sign * force[k]


@kernel
def _write_watched(model, scratch, row, k):
    a = model.columns.watched[k, 0]
    b = model.columns.watched[k, 1]
    column = model.columns.watched[k, 2]
    for i in range(N_WATCHED):
        row[column + i] = 0.0
    count = 0
    pressing = 0.0
    depth = 0.0
    p = (0.0, 0.0, 0.0)
    normal = (0.0, 0.0, 0.0)
    total = (0.0, 0.0, 0.0)
    slip = (0.0, 0.0, 0.0)
    for point in range(scratch.contacts.n[0]):
        first = scratch.contacts.surface[point, 0]
        second = scratch.contacts.surface[point, 1]
        if not ((first == a and second == b) or (first == b and second == a)):
            continue
        sign = 1.0 if first == a else -1.0
        force = times(sign, _force(model, scratch, point))
        n = times(sign, load(scratch.points.n_W, point))
        push = dot(force, n)
        if push <= 0.0:
            continue
        count += 1
        pressing += push
        depth += push * scratch.points.depth[point]
        p = plus(p, times(push, load(scratch.points.p_W, point)))
        normal = plus(normal, times(push, n))
        total = plus(total, force)
        slip = plus(slip, minus(force, times(push, n)))
    if count == 0:
        return
    row[column] = count
    length = norm(normal)
    for i in range(3):
        row[column + 1 + i] = p[i] / pressing
        row[column + 4 + i] = normal[i] / length if length > 0.0 else 0.0
        row[column + 10 + i] = total[i]
    row[column + 7] = depth / pressing
    row[column + 8] = pressing
    row[column + 9] = norm(slip)

"""Depth and normal of two convex shapes from points on their surfaces, by scipy.

    inside    the set of all differences b - a of points is the hull of the differences of corners;
              its face nearest to the origin is the shortest way out
    outside   a capsule's axis: the least distance of two convex sets

A rim is a polygon of many corners: the reference is off by R (1 - cos π/N) at most. A thin shape
pushes to its front and sideways only, and so does a solid that begins at its front and goes back
for ever: that is what stands here for it. With a `back` it is the solid that it is in a contact
with a layer: what does not meet that must not be pushed.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, nnls
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from twincell.sim.arrays import allocate
from twincell.sim.contact.collide.contact_point import Margins
from twincell.sim.contact.collide.narrow_phase import manifold, separation
from twincell.sim.geometry.solid import solid_of
from twincell.sim.jit import entry, formula
from twincell.sim.mechanics import rotation
from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE
from twincell.sim.scratch import ContactPoints
from twincell.sim.sizes import MOST_POINTS

NAMES = {
    SPHERE: "sphere", RECTANGLE: "rectangle", DISC: "disc", CYLINDER: "cylinder",
    CAPSULE: "capsule", BOX: "box", HALF_SPACE: "half-space",
}  # fmt: skip
THIN = (RECTANGLE, DISC)
FAR = 5.0  # as deep as a half-space, and what is behind a thin shape, need be here [m]
ON_A_RIM = 240  # corners: a rim of 0.1 m is 9 µm off


class Surface(NamedTuple):
    shape: int
    half: tuple[float, float, float]
    radius: float
    p: np.ndarray
    R: Rotation
    back: float = FAR  # as deep a thin shape goes back

    @property
    def q(self):
        x, y, z, w = self.R.as_quat()
        return (float(w), float(x), float(y), float(z))

    @property
    def given(self):
        """As `placed` takes it."""
        half, p = (tuple(map(float, vector)) for vector in (self.half, self.p))
        return (self.shape, half, float(self.radius), p, self.q)

    @property
    def rounding(self):
        return self.radius if self.shape in (SPHERE, CAPSULE) else 0.0

    def moved(self, p, R):
        return self._replace(p=R.apply(self.p) + p, R=R * self.R)

    def corners(self):
        """Points whose hull, rounded, is the shape; in the world."""
        hx, hy, hz = self.half
        if self.shape == SPHERE:
            own = [(0, 0, 0)]
        elif self.shape == CAPSULE:
            own = [(0, 0, -hz), (0, 0, hz)]
        elif self.shape == HALF_SPACE:
            own = [(x, y, z) for x in (-FAR, FAR) for y in (-FAR, FAR) for z in (-FAR, 0)]
        elif self.shape in (BOX, RECTANGLE):
            back = (-self.back, 0) if self.shape == RECTANGLE else (-hz, hz)
            own = [(x, y, z) for x in (-hx, hx) for y in (-hy, hy) for z in back]
        else:
            back = (-self.back, 0) if self.shape == DISC else (-hz, hz)
            turns = 2 * np.pi * np.arange(ON_A_RIM) / ON_A_RIM
            rim = self.radius * np.column_stack([np.cos(turns), np.sin(turns)])
            own = [(x, y, z) for x, y in rim for z in back]
        return self.R.apply(own) + self.p

    def reach(self, n):
        """How far a shape with a rim reaches along unit vectors."""
        own = self.R.inv().apply(n)
        ends = self.half[2] * np.abs(own[..., 2])
        if self.shape == DISC:
            ends = self.back * np.maximum(-own[..., 2], 0)
        return ends + self.radius * np.hypot(own[..., 0], own[..., 1])

    def distance(self, points):
        """How far points are outside (positive) or inside of the shape, at least."""
        own = self.R.inv().apply(points - self.p)
        x, y, z = np.abs(own).T
        across = np.hypot(own[:, 0], own[:, 1])
        hx, hy, hz = self.half
        if self.shape == HALF_SPACE:
            return own[:, 2]
        if self.shape == BOX:
            return np.max([x - hx, y - hy, z - hz], axis=0)
        if self.shape == RECTANGLE:
            return np.max([x - hx, y - hy, own[:, 2], -self.back - own[:, 2]], axis=0)
        if self.shape == DISC:
            return np.max([across - self.radius, own[:, 2], -self.back - own[:, 2]], axis=0)
        if self.shape == CYLINDER:
            return np.max([across - self.radius, z - hz], axis=0)
        return np.hypot(across, np.maximum(z - hz, 0)) - self.radius


def way_out(a, b):
    """Depth (negative: they are apart) and normal from b into a."""
    if {a.shape, b.shape} <= {DISC, CYLINDER}:
        return over_directions(a, b)
    rounding = a.rounding + b.rounding
    if b.shape == HALF_SPACE:  # it pushes along its normal, if there is a front to push at
        n = b.R.apply([0, 0, 1])
        fronts = a.shape not in THIN or a.R.apply([0, 0, 1]) @ n <= 0
        return (rounding - ((a.corners() - b.p) @ n).min() if fronts else -1.0), n
    corners_a, corners_b = a.corners(), b.corners()
    differences = (corners_b[:, None, :] - corners_a[None, :, :]).reshape(-1, 3)
    if len(differences) > 3 and np.linalg.matrix_rank(differences - differences[0], 1e-9) == 3:
        faces = ConvexHull(differences).equations
        nearest = faces[np.argmax(faces[:, 3])]
        if nearest[3] < 0:  # the origin is inside
            return -nearest[3] + rounding, nearest[:3]
    gap, n = apart(corners_a, corners_b)
    return rounding - gap, n


def over_directions(a, b):
    """The same, for two rims: the least overlap over many directions, then downhill."""
    d = a.p - b.p

    def overlap(n):
        n = n / np.linalg.norm(n, axis=-1, keepdims=True)
        return a.reach(-n) + b.reach(n) - n @ d

    k = np.arange(4_000) + 0.5
    polar, turn = np.arccos(1 - 2 * k / len(k)), np.pi * (1 + 5**0.5) * k
    n = np.column_stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)])
    best = (np.inf, None)
    for start in n[np.argsort(overlap(n))[:6]]:
        found = minimize(overlap, start, method="Nelder-Mead",
                         options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000})  # fmt: skip
        best = min(best, (float(found.fun), tuple(found.x / np.linalg.norm(found.x))))
    return best[0], np.array(best[1])


def apart(corners_a, corners_b):
    """Least distance of two hulls that do not meet, and the direction from b to a."""
    # x ≥ 0 that makes |Dx|² + (Σx - 1)² least is, up to its size, the point nearest to the origin
    differences = (corners_a[:, None, :] - corners_b[None, :, :]).reshape(-1, 3)
    rows = np.vstack([differences.T, np.ones(len(differences))])
    weights, _ = nnls(rows, [0, 0, 0, 1], maxiter=10_000)
    nearest = differences.T @ weights / weights.sum()
    gap = np.linalg.norm(nearest)
    return gap, nearest / gap


class Touch(NamedTuple):
    p: np.ndarray
    n: np.ndarray
    depth: np.ndarray
    share: np.ndarray


@formula
def placed(given):
    """The solid of a surface."""
    return solid_of(given[0], given[1], given[2], given[3], rotation.matrix(given[4]))


@entry
def compiled_manifold(a, b, margins, points):
    """The narrow phase, kept on disk like the tick: compiled once for all tests."""
    first, second = placed(a), placed(b)
    found = separation(first, second, margins.layer, margins.reach)
    return manifold(first, second, found, margins, points, 0)


GUARD = 4  # rows behind the last one that may be written


def guarded():
    """Room for MOST_POINTS points, and the arrays that it is the beginning of."""
    n = MOST_POINTS + GUARD
    whole = allocate(ContactPoints, {"n_point": n, "n_point_row": n})
    whole = whole._replace(outline=np.empty((len(whole.outline) + 1, *whole.outline.shape[1:])))
    room = whole._replace(
        **{name: getattr(whole, name)[:MOST_POINTS] for name in ("p_W", "n_W", "depth", "share")},
        outline=whole.outline[:-1],
    )
    return room, whole


POINTS, WHOLE = guarded()


def touch(a, b, layer=2 * FAR, reach=0.0, chamfer=0.0):
    """Where two surfaces touch."""
    for array in (*WHOLE[:4], WHOLE.outline):
        array.fill(np.nan)
    margins = Margins(float(layer), float(reach), float(chamfer))
    count = compiled_manifold(a.given, b.given, margins, POINTS)
    assert count <= MOST_POINTS
    for array in WHOLE[:4]:
        assert np.isnan(array[MOST_POINTS:]).all()  # nothing is written behind the room
    assert np.isnan(WHOLE.outline[-1]).all()
    return Touch(*(array[:count].copy() for array in POINTS[:4]))


def random_surface(rng, shape, spread):
    half, radius = np.zeros(3), 0.0
    if shape in (BOX, RECTANGLE):
        half = rng.uniform(0.05, 0.2, 3)
        half[2] *= shape == BOX
    else:
        radius = rng.uniform(0.05, 0.15)
        half[2] = rng.uniform(0.05, 0.2) * (shape in (CYLINDER, CAPSULE))
    R = Rotation.random(random_state=int(rng.integers(2**31)))
    p = rng.uniform(-spread, spread, 3)
    return Surface(shape, tuple(map(float, half)), float(radius), p, R)


def shallow_pair(rng, shape_a, shape_b, depth):
    """Two surfaces at random, moved apart along their way out until that deep."""
    a = random_surface(rng, shape_a, 0.1)
    b = random_surface(rng, shape_b, 0.1)
    if shape_b == HALF_SPACE and shape_a in THIN:  # it has to look down
        up = b.R.apply([0, 0, 1]) @ a.R.apply([0, 0, 1]) > 0
        a = a._replace(R=a.R * Rotation.from_rotvec([np.pi * up, 0, 0]))
    for _ in range(6):
        found, n = way_out(a, b)
        if abs(found - depth) < 1e-3 * depth + 1e-9:
            break
        a = a._replace(p=a.p + (found - depth) * n)
    return a, b

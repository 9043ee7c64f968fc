"""What flies past does not push, and what flies into something does: held against true distances.

Two free bodies fly without gravity. Their distance along the flight, as if they had no surfaces, is
sampled so densely that it cannot change between samples by more than a fifth of what it is.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest
from contact_scenes import box, solid_ball, solid_box, sphere
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pytest import approx
from scenes import cell_of, column, vectors
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

from twincell.sim.cell import Cell

TICKS = 20
MIDDLE = 10.37e-3  # [s]: when they are nearest, between two ticks
UNFORESEEN = 0.201e-3  # [m]: 100 m/s² h² for each of two bodies, and some rounding
LAW = {"stiffness": 1e10, "exponent": 1.5, "static_friction": 0.3}


class Thing(NamedTuple):
    """A ball or a cube that flies: as it is in the middle of the flight."""

    round: bool
    size: float  # radius, or half an edge
    p: np.ndarray
    R: Rotation
    v: np.ndarray
    w: np.ndarray

    @property
    def rounding(self) -> float:
        return self.size if self.round else 0.0

    @property
    def reach(self) -> float:
        return self.size if self.round else self.size * 3**0.5

    def after(self, time: float) -> "Thing":
        return self._replace(
            p=self.p + time * self.v, R=Rotation.from_rotvec(time * self.w) * self.R
        )

    def corners(self) -> np.ndarray:
        if self.round:
            return self.p[None, :]
        own = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        return self.R.apply(self.size * np.array(own)) + self.p

    def body(self) -> dict[str, Any]:
        # a cube and a ball keep their angular velocity
        edge = 2 * self.size
        body = solid_ball(0.1, self.size) if self.round else solid_box(0.1, (edge,) * 3)
        start = self.after(-MIDDLE)
        return body | {
            "position_m": start.p,
            "orientation_deg": start.R.as_euler("xyz", degrees=True),
            "velocity_m_s": self.v,
            "angular_velocity_deg_s": np.degrees(self.w),
        }

    def surface(self) -> dict[str, Any]:
        return sphere(self.size) if self.round else box(*[2 * self.size] * 3)


def from_hull_to_hull(a: Thing, b: Thing) -> float:
    """Least distance of two hulls of corners, 0 if they meet."""
    # x ≥ 0 that makes |Dx|² + (Σx - 1)² least is, up to its size, the point nearest to the origin
    differences = (a.corners()[:, None] - b.corners()[None]).reshape(-1, 3)
    rows = np.vstack([differences.T, np.ones(len(differences))])
    weights, _ = nnls(rows, [0, 0, 0, 1], maxiter=10_000)
    return float(np.linalg.norm(differences.T @ weights) / weights.sum())


def distance(a: Thing, b: Thing) -> float:
    """Least distance of two things, 0 if they meet."""
    return max(0.0, from_hull_to_hull(a, b) - a.rounding - b.rounding)


def least_distance(a: Thing, b: Thing, until: float = MIDDLE) -> float:
    """The least distance along the flight."""
    speed = np.linalg.norm(a.v - b.v) + sum(np.linalg.norm(s.w) * s.reach for s in (a, b))
    time, least = -MIDDLE, np.inf
    while time < until:
        now = distance(a.after(time), b.after(time))
        least = min(least, now)
        if now == 0.0:
            break
        time += max(0.2 * now, 1e-5) / speed
    return least


def flight(a: Thing, b: Thing, backwards: bool = False, fixed: bool = False, **keys: Any) -> Cell:
    """Both of them in the air, or the second one fixed in it."""
    things = {"A": a, "B": b}
    if backwards:
        things = dict(reversed(things.items()))
    stand = {"B": {"position_m": b.p, "orientation_deg": b.R.as_euler("xyz", degrees=True)}}
    return cell_of(
        gravity_m_s2=[0, 0, 0],
        frame=stand if fixed else {},
        body={n: thing.body() for n, thing in things.items() if n == "A" or not fixed},
        material={"M": LAW},
        surface={
            f"S{name}": {"on": name, "material": "M", "group": "All", **thing.surface(), **keys}
            for name, thing in things.items()
        },
    )


def motions(cell: Cell, rows: np.ndarray) -> np.ndarray:
    names = [f"{n}.{q}" for n in "AB" for q in ("Pose", "Velocity", "AngularVelocity")]
    return np.hstack([vectors(cell, rows, name) for name in names])


def passing(
    seed: int, shapes: str, speed: float, spin: float, gap: float, smallest: float = 0.005
) -> tuple[Thing, Thing]:
    """Two things that fly past each other, so far apart in the middle."""
    rng = np.random.default_rng(seed)
    a, b = (
        Thing(
            kind == "o", float(smallest * rng.uniform(1, 3)), np.zeros(3),
            Rotation.random(random_state=rng), np.zeros(3), spin * rng.uniform(-1, 1, 3),
        )
        for kind in shapes
    )  # fmt: skip
    aside = rng.normal(size=3)
    aside /= np.linalg.norm(aside)
    # from afar towards each other until they are that far apart
    a = a._replace(p=(a.reach + b.reach + 0.01) * aside)
    for _ in range(60):
        left = distance(a, b) - gap
        a = a._replace(p=a.p - 0.7 * left * aside)
    along = np.cross(aside, rng.normal(size=3))
    along *= speed / np.linalg.norm(along)
    common = rng.normal(size=3)
    return a._replace(v=0.4 * along + common), b._replace(v=-0.6 * along + common)


each_pair = pytest.mark.parametrize("shapes", ["oo", "o#", "##"], ids=["balls", "mixed", "boxes"])


@each_pair
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(
    seed=st.integers(0, 2**31),
    speed=st.floats(0.5, 40.0),
    spin=st.sampled_from([0.0, 5.0, 60.0]),
    gap=st.floats(0.2e-3, 3e-3),
)
def test_what_flies_past_keeps_its_velocity_to_the_last_bit(shapes, seed, speed, spin, gap):
    a, b = passing(seed, shapes, speed, spin, gap)
    assume(least_distance(a, b) > UNFORESEEN)
    cell, alone = flight(a, b), flight(a, b, ignores=["All"])
    rows, free = cell.run(TICKS), alone.run(TICKS)
    assert not vectors(cell, rows, "SA.ContactForce").any()
    for name in "AB":
        velocity = vectors(cell, rows, f"{name}.Velocity")
        assert (velocity == vectors(alone, free, f"{name}.Velocity")).all()
    # what turns fast may have been looked at too closely, and its orientation made a unit once more
    assert motions(cell, rows) == approx(motions(alone, free), abs=1e-12)


def collision(seed: int, shapes: str, speed: float, spin: float, share: float):
    """Two things that would enter each other by a share of the smaller one."""
    a, b = passing(seed, shapes, speed, spin, 1e-4, smallest=0.012)
    a = a._replace(p=a.p * (1 - share * min(a.size, b.size) / np.linalg.norm(a.p)))
    assume(distance(a.after(-MIDDLE), b.after(-MIDDLE)) > 1e-3)
    return a, b


# no faster: a cube that is struck off its centre must not turn far within the tick
collisions = given(
    seed=st.integers(0, 2**31),
    speed=st.floats(4.0, 8.0),
    spin=st.sampled_from([0.0, 5.0, 20.0]),
    share=st.floats(0.05, 0.5),
)


@each_pair
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@collisions
def test_what_flies_into_something_is_turned_away(shapes, seed, speed, spin, share):
    a, b = collision(seed, shapes, speed, spin, share)
    cell = flight(a, b)
    rows = cell.run(2 * TICKS)
    before, after = motions(cell, rows)[0], motions(cell, rows)[-1]
    # momentum goes over, all of it
    assert np.abs(after[3:6] - before[3:6]).max() > 1e-3
    assert after[3:6] - before[3:6] == approx(before[12:15] - after[12:15], abs=1e-9)
    # they never pass into each other
    deepest = max(overlap_in(cell, row, (a, b)) for row in rows)
    assert deepest < 0.1 * min(a.size, b.size)


@each_pair
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@collisions
def test_what_flies_into_something_fixed_comes_back_without_a_gain(
    shapes, seed, speed, spin, share
):
    a, b = collision(seed, shapes, speed, spin, share)
    still = np.zeros(3)
    a, b = a._replace(v=a.v - b.v), b._replace(v=still, w=still)
    assume(distance(a.after(-MIDDLE), b.after(-MIDDLE)) > 1e-3)
    cell = flight(a, b, fixed=True)
    rows = cell.run(2 * TICKS)
    assert np.abs(vectors(cell, rows, "SA.ContactForce")).max() > 0
    kinetic = energy(cell, rows, a)
    assert kinetic[-1] <= kinetic[0] * (1 + 1e-3)


def energy(cell: Cell, rows: np.ndarray, a: Thing) -> np.ndarray:
    inertia = a.body()["inertia_kg_m2"][0]
    moving = 0.1 * (vectors(cell, rows, "A.Velocity") ** 2).sum(1)
    return 0.5 * (moving + inertia * (vectors(cell, rows, "A.AngularVelocity") ** 2).sum(1))


def overlap_in(cell: Cell, row: np.ndarray, things: tuple[Thing, Thing]) -> float:
    """How deep two things are in each other: of boxes the least overlap along all directions."""
    a, b = (
        thing._replace(
            p=vectors(cell, row[None], f"{name}.Pose")[0],
            R=Rotation.from_euler(
                "xyz", [column(cell, row[None], f"{name}.Pose.{k}")[0] for k in "ABC"]
            ),
        )
        for name, thing in zip("AB", things, strict=True)
    )
    if a.round or b.round:
        return a.rounding + b.rounding - from_hull_to_hull(a, b)
    axes_a, axes_b = a.R.as_matrix().T, b.R.as_matrix().T
    crossed = np.cross(axes_a[:, None], axes_b[None]).reshape(-1, 3)
    n = np.vstack([axes_a, axes_b, crossed[np.linalg.norm(crossed, axis=1) > 1e-6]])
    n /= np.linalg.norm(n, axis=1)[:, None]
    high = (b.corners() @ n.T).max(0) - (a.corners() @ n.T).min(0)
    low = (a.corners() @ n.T).max(0) - (b.corners() @ n.T).min(0)
    return float(np.minimum(high, low).min())


@each_pair
@pytest.mark.parametrize("seed", range(6))
def test_it_does_not_matter_whose_surface_is_first(shapes, seed):
    a, b = passing(seed, shapes, 6.0, 5.0, 1e-4)
    a = a._replace(p=a.p * (1 - 0.3 * min(a.size, b.size) / np.linalg.norm(a.p)))
    one, two = flight(a, b), flight(a, b, backwards=True)
    rows, others = one.run(TICKS), two.run(TICKS)
    assert np.abs(vectors(one, rows, "SA.ContactForce")).max() > 0
    # Newton's method ends with 1e-10 of the forces left, and the two end differently
    assert motions(one, rows) == approx(motions(two, others), rel=1e-7, abs=1e-8)


def test_a_corner_that_comes_askew_hits_within_its_tick():
    """Apart along both edges, together within the tick: the edge that is reached last is hit."""
    edge = 0.04
    p = np.array([edge - 0.5e-3, edge + 0.1e-3, 0.0])
    v = np.array([-3.0, -3.0, 0.0])
    a = Thing(False, edge / 2, p - 0.37e-3 * v, Rotation.identity(), v, np.zeros(3))
    b = Thing(False, edge / 2, np.zeros(3), Rotation.identity(), np.zeros(3), np.zeros(3))
    cell = flight(a, b)
    rows = cell.run(TICKS)
    force = vectors(cell, rows, "SA.ContactForce")
    assert (force[:, 1] > 0).any()
    assert max(overlap_in(cell, row, (a, b)) for row in rows) < 1e-4


def test_a_large_thin_plate_strikes_all_the_small_things_that_it_flies_into():
    balls = {
        f"Ball{k}": solid_ball(0.001, 0.0025, position_m=[0.1 * k, 0.07 * k, 0.0242 + 0.0013 * k])
        for k in range(5)
    }
    plate = solid_box(10.0, (1.0, 1.0, 0.002), velocity_m_s=[0, 0, 10])
    cell = cell_of(
        gravity_m_s2=[0, 0, 0],
        body={"Plate": plate, **balls},
        material={"M": LAW},
        surface={
            "Face": {"on": "Plate", "material": "M", **box(1.0, 1.0, 0.002)},
            **{f"S{name}": {"on": name, "material": "M", **sphere(0.0025)} for name in balls},
        },
    )
    rows = cell.run(TICKS)
    plates = column(cell, rows, "Plate.Velocity.Z")[-1]
    for name in balls:
        assert column(cell, rows, f"{name}.Velocity.Z")[-1] > plates > 9.9

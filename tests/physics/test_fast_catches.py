"""Objects that go far in a tick are caught in the tick in which their path crosses what catches.

The regions, written down once more: within r of a sphere, box, cylinder or capsule; within r before
or behind a rectangle or disc.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import ball, cell_of, column
from scipy.spatial.transform import Rotation

STEP = 1e-3
SHAPES = ("sphere", "rectangle", "disc", "cylinder", "capsule", "box")


def shape_of(kind, sides):
    """Table of a shape with about these sides."""
    x, y, z = map(float, sides)
    return {
        "sphere": {"sphere": {"radius_m": x / 2}},
        "rectangle": {"rectangle": {"length_m": x, "width_m": y}},
        "disc": {"disc": {"radius_m": x / 2}},
        "cylinder": {"cylinder": {"radius_m": x / 2, "length_m": z}},
        "capsule": {"capsule": {"radius_m": x / 2, "length_m": z}},
        "box": {"box": {"size_m": [x, y, z]}},
    }[kind]


def beyond(kind, sides, r, d):
    """How far points d, in the shape's axes, are outside of where it catches; < 0 inside."""
    half, across = np.asarray(sides) / 2, np.hypot(d[..., 0], d[..., 1])
    if kind == "sphere":
        return np.linalg.norm(d, axis=-1) - half[0] - r
    if kind == "rectangle":
        return np.max(np.abs(d) - [half[0], half[1], r], axis=-1)
    if kind == "disc":
        return np.maximum(across - half[0], np.abs(d[..., 2]) - r)
    if kind == "capsule":
        return np.hypot(across, np.maximum(np.abs(d[..., 2]) - half[2], 0)) - half[0] - r
    if kind == "cylinder":
        over = np.stack([across - half[0], np.abs(d[..., 2]) - half[2]], axis=-1)
    else:
        over = np.abs(d) - half
    inside = np.minimum(np.max(over, axis=-1), 0)
    return np.linalg.norm(np.maximum(over, 0), axis=-1) + inside - r


def thrown(kind, sides, r, start, v, turned=(0, 0, 0), **keys):
    """A cell in which an object flies freely past a shape at the origin."""
    return cell_of(
        step_s=STEP,
        integrator="semi_implicit",
        gravity_m_s2=[0, 0, 0],
        frame={"F": {"orientation_deg": list(turned)}},
        body={"B": ball(position_m=start, velocity_m_s=v)},
        collision_object={"C": {"on": "F", **shape_of(kind, sides)}},
        constrained_object={"S": {"on": "B", "radius_m": r, "eta": 10.0, **keys}},
    )


def first_catch(cell, n):
    """Tick in which it is caught, or None."""
    caught = column(cell, cell.run(n), "S.Partner") != 0
    return int(np.argmax(caught)) if caught.any() else None


@pytest.mark.parametrize("kind", SHAPES)
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    seed=st.integers(0, 2**32 - 1), speed=st.floats(1, 3000), size=st.sampled_from([0.02, 0.1, 0.5])
)
def test_nobody_flies_through(kind, seed, speed, size):
    rng = np.random.default_rng(seed)
    sides, r = size * rng.uniform(0.5, 2, 3), size * rng.uniform(0.2, 1)
    if kind not in ("rectangle", "box"):
        sides[1] = sides[0]
    if kind == "sphere":
        sides[2] = sides[0]
    turned = rng.uniform(-80, 80, 3)
    R = Rotation.from_euler("ZYX", turned[::-1], degrees=True).as_matrix()
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    # through a point well inside, so that a slow one is in there at some tick
    aim = rng.uniform(-0.3, 0.3, 3) * sides * [1, 1, 0 if kind in ("rectangle", "disc") else 1]
    distance = 4 * size + speed * STEP * rng.uniform(0, 3)
    start = R @ (aim - distance * direction)
    cell = thrown(kind, sides, r, start, speed * R @ direction, turned)
    n = int((distance + 4 * size) / (speed * STEP)) + 2
    tick = first_catch(cell, n)

    times = np.linspace(0, n * STEP, max(20_000, 100 * n))
    path = aim + (times * speed - distance)[:, None] * direction
    inside = beyond(kind, sides, r, path) < 0
    enters, leaves = times[inside][0] / STEP, times[inside][-1] / STEP
    assert tick is not None
    assert int(enters - 0.02) <= tick <= max(enters + 0.02, min(enters + 1.02, leaves + 0.02))


@pytest.mark.parametrize("kind", SHAPES)
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32 - 1), speed=st.floats(1, 3000))
def test_nobody_is_caught_who_flies_past(kind, seed, speed):
    rng = np.random.default_rng(seed)
    sides, r = rng.uniform(0.05, 0.2, 3), rng.uniform(0.02, 0.1)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    along = np.linspace(-1, 1, 4001)[:, None] * direction
    aside = np.cross(direction, rng.normal(size=3))
    aside /= np.linalg.norm(aside)
    off = next(
        x
        for x in np.arange(0.0, 1, 0.01)
        if (beyond(kind, sides, r, along + x * aside) > 1e-3).all()
    )
    start = off * aside - (1 + rng.uniform(0, speed * STEP)) * direction
    cell = thrown(kind, sides, r, start, speed * direction)
    assert first_catch(cell, int(4 / (speed * STEP)) + 3) is None


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("speed", [100.0, 1000.0, 3000.0])
def test_resting_object_is_caught_by_whoever_flies_over_it(kind, speed):
    """The same as above, seen from the other one."""
    way = speed * STEP
    cell = cell_of(
        integrator="semi_implicit",
        gravity_m_s2=[0, 0, 0],
        frame={"Jaw": {"on": "Thrown"}},
        body={
            "Thrown": ball(position_m=[-2.5 * way, 0, 0.01], velocity_m_s=[speed, 0, 0]),
            "Part": ball(),
        },
        collision_object={"C": {"on": "Jaw", **shape_of(kind, [0.04, 0.04, 0.04])}},
        constrained_object={"S": {"on": "Part", "radius_m": 0.02, "eta": 10.0}},
    )
    assert first_catch(cell, 6) == 2


def test_first_on_the_way_is_chosen_and_a_control_object_before_it():
    def partner(**second):
        cell = cell_of(
            gravity_m_s2=[0, 0, 0],
            frame={"Near": {"position_m": [0.5, 0, 0]}, "Far": {"position_m": [0.9, 0, 0]}},
            body={"B": ball(velocity_m_s=[1000.0, 0, 0])},
            collision_object={
                "C0": {"on": "Far", "sphere": {"radius_m": 0.05}, **second},
                "C1": {"on": "Near", "sphere": {"radius_m": 0.05}},
            },
            constrained_object={"S": {"on": "B", "radius_m": 0.01, "eta": 10.0}},
        )
        cell.run(1)
        return cell.text("S.Partner")

    assert partner() == "C1"
    assert partner(mode="control", closed=True) == "C0"
    assert partner(mode="control", closed=False) == "C1"


def test_fast_object_with_an_offset_is_kept_where_it_touched():
    cell = thrown("sphere", [0.1] * 3, 0.02, [-0.7, 0.03, 0], [1000.0, 0, 0], offset=True)
    cell.run(1)
    touch = -np.sqrt(0.07**2 - 0.03**2)
    assert cell.state.p_BT[0] == pytest.approx([touch, 0.03, 0], abs=1e-8)  # 1e-9 of its way


def test_object_that_flies_in_during_the_first_tick_has_its_transition():
    keys = {"transition": True, "transition_s": 0.2}
    fast = thrown("box", [0.1] * 3, 0.02, [-0.7, 0, 0], [1000.0, 0, 0], **keys)
    fast.run(1)
    assert fast.state.caught[0] == 0
    resting = thrown("box", [0.1] * 3, 0.02, [0.01, 0, 0], [0, 0, 0], **keys)
    resting.run(1)
    assert resting.state.caught[0] < 0


def test_object_is_lost_again_that_overshoots_its_release_distance():
    """ξ = v t e^(-η t) is v/(e η) at most."""
    for speed, held in ((2.0, True), (2.6, False)):
        cell = thrown("sphere", [0.1] * 3, 0.01, [0, 0, 0], [speed, 0, 0], release_factor=1.5)
        cell.run(1000)
        overshoot = speed / (np.e * 10.0)
        assert (overshoot < 1.5 * 0.06) is held
        assert (cell.text("S.Partner") == "C") is held


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32 - 1), n_holder=st.integers(30, 200), speed=st.floats(50, 3000))
def test_grid_finds_whom_trying_everybody_finds_on_a_path(seed, n_holder, speed):
    """Many small holders: the path of a tick is shorter than the list of all of them."""
    rng = np.random.default_rng(seed)
    r, spread = 0.02, rng.choice([0.3, 1.0, 3.0])
    places = rng.uniform(-spread, spread, (n_holder, 3))
    sizes = 0.03 * rng.uniform(0.5, 1, n_holder)
    sizes[rng.random(n_holder) < 0.05] *= 10  # large ones stand in no cell
    starts, way = rng.uniform(-spread, spread, (5, 3)), rng.normal(size=(5, 3))
    way *= speed * STEP / np.linalg.norm(way, axis=1)[:, None]
    cell = cell_of(
        gravity_m_s2=[0, 0, 0],
        integrator="semi_implicit",
        frame={f"F{k}": {"position_m": p} for k, p in enumerate(places)},
        body={f"B{k}": ball(position_m=starts[k], velocity_m_s=way[k] / STEP) for k in range(5)},
        collision_object={
            f"C{k}": {"on": f"F{k}", "sphere": {"radius_m": s}} for k, s in enumerate(sizes)
        },
        constrained_object={f"S{k}": {"on": f"B{k}", "radius_m": r, "eta": 10.0} for k in range(5)},
    )
    cell.run(1)
    found = cell.state.partner.tolist()
    for this in range(5):
        d, e, catch = starts[this] - places, way[this], sizes + r
        gap = np.linalg.norm(d, axis=1) - catch
        # |d + τ e| = catch, the earlier of two
        a, b, c = e @ e, d @ e, np.sum(d * d, axis=1) - catch**2
        root = np.sqrt(np.maximum(b * b - a * c, 0))
        share = np.where(gap < 0, 0.0, np.where(b * b > a * c, (-b - root) / a, np.inf))
        share[(share < 0) | (share >= 1)] = np.inf
        best = min(zip(share, gap, range(n_holder), strict=True))
        assert found[this] == (best[2] if np.isfinite(best[0]) else -1)

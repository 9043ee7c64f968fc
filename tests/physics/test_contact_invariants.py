"""What no contact may change: momentum of what is alone, energy upwards, and the order of names."""

import numpy as np
import pytest
from contact_scenes import on_floor, solid_ball, solid_box, sphere
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import momentum
from pytest import approx
from scenes import cell_of, column, vectors
from scipy.spatial.transform import Rotation

LOSSY = {
    "stiffness": 1e6,
    "exponent": 1.5,
    "damping": 2e5,
    "static_friction": 0.4,
    "kinetic_friction": 0.3,
    "slide_speed_m_s": 0.02,
}


def two_balls(rng, step=1e-3, backwards=False):
    """Two balls that are about to hit each other askew, spinning, in open space."""
    radii = rng.uniform(0.01, 0.05, 2)
    masses = rng.uniform(0.05, 2.0, 2)
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    aside = np.cross(way, rng.normal(size=3))
    aside *= rng.uniform(0, 0.5) * radii.sum() / np.linalg.norm(aside)
    centres = [way * (radii.sum() + 2e-3) + aside, np.zeros(3)]
    velocity = [-way * rng.uniform(1.0, 3.0) + rng.normal(size=3) * 0.1, rng.normal(size=3) * 0.1]
    names = ["A", "B"]
    body = {
        name: solid_ball(
            masses[k], radii[k], position_m=centres[k], velocity_m_s=velocity[k],
            angular_velocity_deg_s=rng.normal(size=3) * 500,
        )
        for k, name in enumerate(names)
    }  # fmt: skip
    surface = {
        f"S{name}": {"on": name, "material": "M", **sphere(radii[k])}
        for k, name in enumerate(names)
    }
    if backwards:
        body = dict(reversed(body.items()))
        surface = dict(reversed(surface.items()))
    return cell_of(
        gravity_m_s2=[0, 0, 0], step_s=step, body=body, surface=surface, material={"M": LOSSY}
    )


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_hit_of_two_free_balls_keeps_momentum_and_moment_of_momentum(seed):
    cell = two_balls(np.random.default_rng(seed))
    P, L = momentum(cell)
    rows = cell.run(120)
    assert column(cell, rows, "SA.ContactForce.X").any()
    P_after, L_after = momentum(cell)
    assert P_after == approx(P, abs=1e-12 * np.abs(P).max())
    # lever arms follow the bodies through the tick; what is left is of higher order in h
    assert L_after == approx(L, abs=1e-4 * np.abs(L).max())


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_neither_the_order_of_bodies_nor_that_of_surfaces_matters(seed):
    first = two_balls(np.random.default_rng(seed))
    second = two_balls(np.random.default_rng(seed), backwards=True)
    rows, others = first.run(100), second.run(100)
    for name in ("A.Pose", "B.Pose", "A.Velocity", "B.AngularVelocity", "SA.ContactForce"):
        here = vectors(first, rows, name)
        # forces are settled to 1e-10 of their sum
        assert here == approx(vectors(second, others, name), abs=1e-9 * max(1, np.abs(here).max()))


def energy(cell, rows, mass, inertia):
    """Kinetic and potential energy of a body B over a floor, without what the contact stores."""
    v = vectors(cell, rows, "B.Velocity")
    turned = np.column_stack([column(cell, rows, f"B.Quaternion.{x}") for x in "XYZW"])
    w = Rotation.from_quat(turned).apply(vectors(cell, rows, "B.AngularVelocity"), inverse=True)
    kinetic = mass * (v**2).sum(1) / 2 + (inertia * w**2).sum(1) / 2
    return kinetic + mass * 9.81 * column(cell, rows, "B.Pose.Z")


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), friction=st.floats(0.0, 1.0))
def test_a_tumbling_box_never_gains_energy(seed, friction):
    """Between bounces nothing is stored in contacts, so the energy of flight must not rise."""
    rng = np.random.default_rng(seed)
    size = tuple(rng.uniform(0.03, 0.15, 3))
    law = LOSSY | {"static_friction": friction, "kinetic_friction": 0.8 * friction}
    law |= {"stiffness": 10 ** rng.uniform(5, 7.5), "damping": 10 ** rng.uniform(3, 6)}
    body = solid_box(
        rng.uniform(0.1, 3), size, position_m=[0, 0, 0.2],
        orientation_deg=rng.uniform(-180, 180, 3) * [1, 0.5, 1],
        velocity_m_s=rng.normal(size=3), angular_velocity_deg_s=rng.normal(size=3) * 300,
    )  # fmt: skip
    cell = on_floor({"box": {"size_m": list(size)}}, body, law)
    rows = cell.run(1200)
    total = energy(cell, rows, body["mass_kg"], np.array(body["inertia_kg_m2"]))
    in_flight = column(cell, rows, "S.Contacts") == 0
    flown = total[in_flight]
    # points and normals stay for a tick: what a corner that turns meanwhile may gain is h² ω² small
    assert (flown - np.minimum.accumulate(flown)).max() < 0.01 * total[0]
    # in the end it lies, within its layer
    assert column(cell, rows, "B.Pose.Z").min() > 0


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
def test_a_box_that_lies_stays_where_it_is(integrator):
    size = (0.1, 0.08, 0.06)
    law = LOSSY | {"stiffness": 1e7}
    body = solid_box(2.0, size, position_m=[0, 0, 0.03], orientation_deg=[0, 0, 30])
    cell = on_floor({"box": {"size_m": list(size)}}, body, law, integrator=integrator)
    cell.run(1000)
    rows = cell.run(2000)
    for name in ("Pose.X", "Pose.Y", "Pose.Z", "Pose.A", "Pose.B", "Pose.C"):
        assert np.ptp(column(cell, rows, f"B.{name}")) < 1e-12
    assert np.abs(vectors(cell, rows, "B.Velocity")).max() < 1e-9
    assert column(cell, rows, "S.ContactForce.Z") == approx(2.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize("n", [2, 6])
def test_balls_in_a_column_carry_those_above(n):
    """A tower of balls in a tube that slides: each contact bears the weight of all above it."""
    radius, mass = 0.02, 0.1
    body = {f"B{k}": solid_ball(mass, radius) for k in range(n)}
    joint = {
        f"J{k}": {
            "type": "prismatic", "parent": "Tube", "child": f"B{k}", "axis": [0, 0, 1],
            "start_m": radius + 2 * radius * k,
        }
        for k in range(n)
    }  # fmt: skip
    surface = {f"S{k}": {"on": f"B{k}", "material": "M", **sphere(radius)} for k in range(n)}
    surface["F"] = {"on": "Floor", "material": "M", "half_space": {}}
    watched = {f"W{k}": {"surfaces": [f"S{k}", f"S{k - 1}"]} for k in range(1, n)}
    cell = cell_of(
        frame={"Floor": {}, "Tube": {}}, body=body, joint=joint, surface=surface,
        material={"M": LOSSY}, watched_contact=watched,
    )  # fmt: skip
    cell.run(8000)  # a column of springs swings long when its dampers have little to do
    for k in range(1, n):
        assert cell[f"W{k}.NormalForce"] == approx((n - k) * mass * 9.81, rel=1e-3)
        assert cell[f"W{k}.Normal.Z"] == approx(1.0)
    assert cell["F.ContactForce.Z"] == approx(-n * mass * 9.81, rel=1e-3)


@pytest.mark.parametrize(("gap", "stiffness"), [(1e-3, 1e8), (3e-3, 1e10), (2e-4, 1e7)])
def test_a_row_of_balls_passes_a_hit_on_without_gaining_energy(gap, stiffness):
    """The second ball reaches the third within the tick in which it is struck; nothing is lost."""
    radius, mass = 0.02, 0.1
    x = [-0.0437, 0.0, 2 * radius + gap]
    body = {f"B{k}": solid_ball(mass, radius, position_m=[x[k], 0, 0]) for k in range(3)}
    body["B0"]["velocity_m_s"] = [5.0, 0, 0]
    cell = cell_of(
        gravity_m_s2=[0, 0, 0], body=body, material={"M": {"stiffness": stiffness}},
        surface={f"S{k}": {"on": f"B{k}", "material": "M", **sphere(radius)} for k in range(3)},
    )  # fmt: skip
    rows = cell.run(20)
    kinetic = sum(mass / 2 * (vectors(cell, rows, f"B{k}.Velocity") ** 2).sum(1) for k in range(3))
    assert kinetic.max() <= mass / 2 * 25.0 * (1 + 1e-6)
    assert kinetic[-1] > 0.5 * kinetic[0]


def test_a_stack_of_boxes_stands():
    """Five boxes, one on the other: each face bears what stands on it, and nothing drifts."""
    n, edge, mass = 5, 0.1, 1.0
    law = LOSSY | {"stiffness": 1e6, "exponent": 1.0, "damping": 2e3, "damping_exponent": 0.0}
    size = (edge, edge, edge)
    body = {f"B{k}": solid_box(mass, size, position_m=[0, 0, edge * (k + 0.5)]) for k in range(n)}
    surface = {
        f"S{k}": {"on": f"B{k}", "material": "M", "box": {"size_m": list(size)}} for k in range(n)
    }
    surface["F"] = {"on": "Floor", "material": "M", "half_space": {}}
    watched = {f"W{k}": {"surfaces": [f"S{k}", f"S{k - 1}"]} for k in range(1, n)}
    cell = cell_of(
        frame={"Floor": {}}, body=body, surface=surface, material={"M": law},
        watched_contact=watched,
    )  # fmt: skip
    rows = cell.run(3000)
    for k in range(1, n):
        assert cell[f"W{k}.NormalForce"] == approx((n - k) * mass * 9.81, rel=1e-4)
        assert cell[f"W{k}.Contacts"] == 4
    top = vectors(cell, rows, f"B{n - 1}.Pose")[-1]
    assert top[:2] == approx([0, 0], abs=1e-5)
    assert top[2] == approx(edge * (n - 0.5), abs=1e-3)

"""Contact forces found in rounds: nothing stops, sticking is not missed, ways are velocities."""

import math

import numpy as np
import pytest
from contact_scenes import G, box, curve, on_floor, solid_ball, solid_box, sphere
from pytest import approx
from scenes import cell_of, column
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

STEEP = {  # falls from .4 to .2 within 0.9 mm/s: in 1 ms static friction takes 3.9 mm/s
    "stiffness": 1e7,
    "exponent": 1.0,
    "damping": 1e4,
    "damping_exponent": 0.0,
    "static_friction": 0.4,
    "kinetic_friction": 0.2,
    "stick_speed_m_s": 1e-4,
    "slide_speed_m_s": 1e-3,
}
PLAIN = {
    "stiffness": 1e9,
    "exponent": 1.5,
    "damping": 1e9,
    "static_friction": 0.3,
    "stick_speed_m_s": 1e-4,
}
SIZE = (0.1, 0.1, 0.05)


@pytest.mark.parametrize("touching_only", [False, True], ids=["rests", "touches"])
@pytest.mark.parametrize("slope_deg", [2.0, 5.0, 10.0, 15.0, 18.0])
def test_a_box_creeps_down_a_slope_however_steeply_its_friction_falls(slope_deg, touching_only):
    weight = G * math.cos(math.radians(slope_deg))
    depth = 0.0 if touching_only else weight / (4 * STEEP["stiffness"])
    body = solid_box(1.0, SIZE, position_m=[0, 0, 0.025 - depth])
    cell = on_floor(box(*SIZE), body, STEEP, slope_deg)
    cell.run(1000)
    assert not cell.fault
    peak = max(np.linspace(1e-6, 1e-3, 2000), key=lambda v: curve(STEEP, v))
    creeping = brentq(lambda v: curve(STEEP, v) - math.tan(math.radians(slope_deg)), 0, peak)
    # friction is settled to 1e-8 of the forces
    assert cell["B.Velocity.X"] == approx(creeping, rel=1e-6)
    assert cell.contact_counts == (0, 0)


@pytest.mark.parametrize("v_0", [0.02, 0.3, 2.0])
@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
def test_what_slides_stops_where_its_velocity_takes_it(v_0, integrator):
    depth = (G / (4 * PLAIN["stiffness"])) ** (1 / 1.5)
    body = solid_box(1.0, SIZE, position_m=[0, 0, 0.025 - depth], velocity_m_s=[v_0, 0, 0])
    cell = on_floor(box(*SIZE), body, PLAIN, integrator=integrator)
    rows = cell.run(round(v_0 / (0.3 * G) * 1000) + 300)
    x, v = column(cell, rows, "B.Pose.X"), column(cell, rows, "B.Velocity.X")
    gone = np.concatenate([[0.0], np.cumsum((v[1:] + v[:-1]) / 2 * 1e-3)])
    # the tick in which it stops is braked for a part of it only
    assert np.abs(x - x[0] - gone).max() < 0.5 * 0.3 * G * 1e-6 + 1e-9
    # below v₁ = 0.1 mm/s it is braked less: it goes on for v₁²/(2 μ g) times a few
    assert x[-1] - x[0] == approx(v_0**2 / (2 * 0.3 * G), abs=3e-6, rel=2e-4)


@pytest.mark.parametrize("mass_kg", [0.001, 0.01, 0.1, 1.0])
def test_a_hit_of_some_microseconds_comes_back_as_its_law_says(mass_kg):
    """Hits of steel last 20 to 100 µs; whenever in a tick they begin."""
    for height in np.linspace(0.04, 0.06, 7):
        radius = 0.01
        ball = solid_ball(mass_kg, radius, position_m=[0, 0, radius + height])
        cell = cell_of(
            frame={"Floor": {}},
            body={"B": ball},
            surface={
                "F": {"on": "Floor", "material": "steel", "half_space": {}},
                "S": {"on": "B", "material": "steel", **sphere(radius)},
            },
        )
        rows = cell.run(130)
        v = column(cell, rows, "B.Velocity.Z")
        z = column(cell, rows, "B.Pose.Z") - radius
        energy = v**2 / 2 + G * z
        rebound = math.sqrt(energy[-1] / energy[0])
        law = cell.model.laws
        V = law.damping[0] * math.sqrt(2 * G * height) / law.stiffness[0]
        e = brentq(
            lambda e, V=V: V - math.log1p(V) + e * V + math.log1p(-e * V),
            1e-3,
            min(1.0, 1 / V) - 1e-9,
        )
        assert rebound == approx(e, abs=2e-3)


def test_a_part_that_is_put_down_too_deep_does_not_shoot_through_the_roof():
    """1 mm of steel holds 770 J for 1 kg; nobody put them in."""
    cell = cell_of(
        frame={"Floor": {}},
        body={"B": solid_box(1.0, SIZE, position_m=[0, 0, 0.024])},
        surface={
            "F": {"on": "Floor", "material": "steel", "half_space": {}},
            "S": {"on": "B", "material": "steel", **box(*SIZE)},
        },
    )
    cell.run(100)
    assert not cell.fault
    assert np.abs(cell.state.v_WB).max() < 10.0  # as fast as something could have hit it


@pytest.mark.parametrize("v_1", [1e-3, 1e-4, 1e-5])
def test_a_block_on_a_spring_sticks_and_slips_on_a_belt_as_its_law_says(v_1):
    """A belt of 10 mm/s takes a block along until its spring pulls harder than static friction."""
    m, k, belt, pressing = 1.0, 1000.0, 0.01, 10.0
    law = {
        "stiffness": 1e6, "exponent": 1.0, "static_friction": 0.4, "kinetic_friction": 0.2,
        "stick_speed_m_s": v_1, "slide_speed_m_s": 10 * v_1,
    }  # fmt: skip
    cell = cell_of(
        gravity_m_s2=[0, 0, 0],
        frame={"Ground": {}},
        body={
            "Belt": solid_box(1e9, (9, 1, 0.1)),
            "B": solid_ball(m, 0.05),
        },
        joint={
            "Roller": {
                "type": "prismatic", "parent": "Ground", "child": "Belt", "axis": [1, 0, 0],
                "position_m": [0, 0, -0.05], "start_velocity_m_s": belt,
            },
            "Spring": {
                "type": "prismatic", "parent": "Ground", "child": "B", "axis": [1, 0, 0],
                "position_m": [0, 0, 0.05 - pressing / 1e6], "stiffness_n_m": k,
            },
        },
        material={"M": law},
        surface={
            "F": {"on": "Belt", "material": "M", **box(9, 1, 0.1)},
            "S": {"on": "B", "material": "M", **sphere(0.05)},
        },
    )  # fmt: skip
    rows = cell.run(3000)

    def slopes(_, y):
        u = belt - y[1]
        return [y[1], (-k * y[0] + math.copysign(curve(law, abs(u)), u) * pressing) / m]

    exact = solve_ivp(slopes, (0, 3), [0, 0], method="Radau", rtol=1e-8, atol=1e-12, max_step=1e-3)
    own = releases(np.arange(3000) * 1e-3, column(cell, rows, "Spring.Position"))
    true = releases(exact.t, exact.y[0])
    assert len(own) >= 5
    # a release is seen within a tick, and begins within one
    assert np.diff(own)[1:4].mean() == approx(np.diff(true)[1:4].mean(), rel=0.01)


def releases(t, x):
    """Times at which the block begins to slip back: the peaks of its place."""
    peaks = [i for i in range(1, len(x) - 1) if x[i] >= x[i - 1] and x[i] > x[i + 1]]
    high = max(x[i] for i in peaks)
    return np.array([t[i] for i in peaks if x[i] > 0.9 * high])

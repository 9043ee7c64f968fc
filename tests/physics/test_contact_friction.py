"""Friction: what slides, rolls, tips and sticks, against the closed forms of any textbook."""

import math

import numpy as np
import pytest
from contact_scenes import G, box, curve, on_floor, solid_ball, solid_box, solid_cylinder, sphere
from pytest import approx
from scenes import cell_of, column, vectors
from scipy.optimize import brentq

SIZE = (0.07, 0.1, 0.05)
MASS = 2.75
DRY = {
    "stiffness": 1e7,
    "exponent": 1.1,
    "damping": 1e7,
    "damping_exponent": 1.0,
    "static_friction": 0.12,
    "kinetic_friction": 0.08,
    "stick_speed_m_s": 1e-4,
    "slide_speed_m_s": 1e-2,
}


def slide(slope_deg, law=DRY, ticks=400, **keys):
    cell = on_floor(
        box(*SIZE), solid_box(MASS, SIZE, position_m=[0, 0, 0.025], **keys), law, slope_deg
    )
    return cell, cell.run(ticks)


@pytest.mark.parametrize("slope_deg", [7.0, 10.0, 15.0, 40.0])
def test_a_box_slides_down_a_slope_with_what_friction_leaves(slope_deg):
    cell, rows = slide(slope_deg)
    v = column(cell, rows, "B.Velocity.X")
    a = math.radians(slope_deg)
    # faster than v₂ the coefficient is μ_k; by then the first touch has died away
    late = (v > 0.05) & (np.arange(len(v)) > 100)
    assert late.sum() > 50
    assert np.diff(v[late]) / 1e-3 == approx(G * (math.sin(a) - 0.08 * math.cos(a)), rel=1e-9)
    assert abs(column(cell, rows, "B.Pose.Y")).max() < 1e-9
    assert abs(vectors(cell, rows, "B.AngularVelocity")[50:]).max() < 1e-6


@pytest.mark.parametrize("slope_deg", [1.0, 3.0, 5.0, 6.5])
def test_a_box_that_sticks_creeps_as_slowly_as_its_friction_curve_says(slope_deg):
    """The paper: static friction is sliding with a very small velocity, μ(v) = tan α."""
    cell, rows = slide(slope_deg)
    creeping = brentq(lambda v: curve(DRY, v) - math.tan(math.radians(slope_deg)), 0, 1e-4)
    assert column(cell, rows, "B.Velocity.X")[-100:] == approx(creeping, rel=1e-9)
    weight = MASS * G
    a = math.radians(slope_deg)
    assert vectors(cell, rows, "S.ContactForce")[-1] == approx(
        [-weight * math.sin(a), 0.0, weight * math.cos(a)], abs=1e-6
    )


def test_the_friction_curve_is_the_one_of_the_papers_library():
    law = {
        "static_friction": 0.03,
        "kinetic_friction": 0.02,
        "stick_speed_m_s": 0.01,
        "slide_speed_m_s": 0.1,
    }
    assert curve(law, 0.01) == approx(0.027662, abs=1e-6)
    peak = max(curve(law, v) for v in np.linspace(0, 0.1, 1001))
    assert slide(math.degrees(math.atan(0.99 * peak)), DRY | law)[0]["B.Velocity.X"] < 0.05
    assert slide(math.degrees(math.atan(1.05 * peak)), DRY | law, 3000)[0]["B.Velocity.X"] > 0.1


def test_friction_has_no_preferred_direction():
    """The paper's eq. (10) would brake a box that slides askew by √2 too much."""
    for angle in (0.0, 0.3, math.pi / 4, 1.2):
        v = [math.cos(angle), math.sin(angle), 0]
        cell, rows = slide(0.0, ticks=200, velocity_m_s=v)
        velocity = vectors(cell, rows, "B.Velocity")
        speed = np.linalg.norm(velocity, axis=1)
        assert -np.diff(speed)[20:] / 1e-3 == approx(0.08 * G, rel=2e-3)
        assert velocity[-1] / speed[-1] == approx(v, abs=2e-4)


ROUND = {"stiffness": 1e8, "exponent": 1.5, "damping": 1e8, "stick_speed_m_s": 1e-4}


@pytest.mark.parametrize(
    ("shape", "body", "share"),
    [
        (sphere(0.02), solid_ball(0.1, 0.02), 2 / 5),
        (
            {"cylinder": {"radius_m": 0.02, "length_m": 0.03}},
            solid_cylinder(0.1, 0.02, 0.03, orientation_deg=[90, 0, 0]),
            1 / 2,
        ),
    ],
    ids=["ball", "cylinder"],
)
def test_what_is_round_rolls_if_friction_holds_it_and_slips_otherwise(shape, body, share):
    """It rolls iff μ ≥ tan α/(1 + 1/share), share = I/(m r²): tan α/3 for a cylinder."""
    alpha = math.radians(20)
    needed = math.tan(alpha) / (1 + 1 / share)
    for factor in (0.5, 0.9, 1.1, 3.0):
        law = ROUND | {"static_friction": factor * needed}
        cell = on_floor(shape, body | {"position_m": [0, 0, 0.02]}, law, 20.0)
        rows = cell.run(400)
        a = np.diff(column(cell, rows, "B.Velocity.X"))[100:].mean() / 1e-3
        slip = cell["B.Velocity.X"] - 0.02 * cell["B.AngularVelocity.Y"]
        if factor > 1:
            # its radius is short by half the depth, 0.3 µm in 20 mm, and it creeps
            assert a == approx(G * math.sin(alpha) / (1 + share), rel=2e-3)
            assert abs(slip) < 5e-4
        else:
            assert a == approx(G * (math.sin(alpha) - factor * needed * math.cos(alpha)), rel=2e-3)
            assert slip > 0.05


def test_rolling_resistance_stops_a_ball_on_the_flat():
    law = ROUND | {"static_friction": 0.5, "rolling_m": 1e-3, "rolling_speed_deg_s": 1.0}
    r, v = 0.02, 0.5
    ball = solid_ball(0.1, r, position_m=[0, 0, r], velocity_m_s=[v, 0, 0])
    ball["angular_velocity_deg_s"] = [0, math.degrees(v / r), 0]
    cell = on_floor(sphere(r), ball, law)
    rows = cell.run(500)
    braking = -np.diff(column(cell, rows, "B.Velocity.X"))[50:].mean() / 1e-3
    # m a r + I a/r = the moment ρ m g
    assert braking == approx(1e-3 * G / r / 1.4, rel=5e-3)


@pytest.mark.parametrize("share", [0.9, 0.97, 1.03, 1.1])
def test_a_box_tips_over_iff_its_weight_points_past_its_edge(share):
    width, height = 0.04, 0.1
    law = {"stiffness": 1e7, "damping": 1e7, "exponent": 1.1, "static_friction": 2.0}
    size = (width, 0.06, height)
    slope = math.degrees(math.atan(share * width / height))
    body = solid_box(1.0, size, position_m=[0, 0, height / 2])
    cell = on_floor(box(*size), body, law, slope)
    rows = cell.run(1500)
    tilt = column(cell, rows, "B.Pose.B")
    if share < 1:
        assert abs(tilt).max() < 1e-3
    else:
        assert tilt.max() > 0.3


def test_a_block_that_a_spring_pulls_slowly_sticks_and_slips():
    """It breaks loose at the peak μN and stops when the spring is down to (2 μ_k - peak) N."""
    law = DRY | {"static_friction": 0.4, "kinetic_friction": 0.2, "slide_speed_m_s": 1e-3}
    stiffness = 1000.0
    size = (0.05, 0.05, 0.05)
    tiny = {"mass_kg": 1e-3, "inertia_kg_m2": [1e-6] * 3}
    cell = cell_of(
        frame={"Floor": {}},
        mover={
            "Puller": {
                "waypoints": [
                    {"at_s": 0, "position_m": [0, 0, 0.025]},
                    {"at_s": 10, "position_m": [0.02, 0, 0.025]},
                ]
            }
        },
        body={"Slider": tiny, "B": solid_box(1.0, size)},
        joint={
            "Spring": {
                "type": "prismatic", "parent": "Puller", "child": "Slider", "axis": [1, 0, 0],
                "stiffness_n_m": stiffness,
            },
            "Up": {"type": "prismatic", "parent": "Slider", "child": "B", "axis": [0, 0, 1]},
        },
        material={"M": law},
        surface={
            "F": {"on": "Floor", "material": "M", "half_space": {}},
            "S": {"on": "B", "material": "M", "box": {"size_m": list(size)}},
        },
    )  # fmt: skip
    rows = cell.run(7000)[3000:]
    pull = -stiffness * column(cell, rows, "Spring.Position")
    peak = max(curve(law, v) for v in np.linspace(0, 1e-3, 1001))
    assert pull.max() == approx(peak * G, rel=0.02)
    # the fall of friction takes a little of the swing, so it stops a little early
    assert pull.min() == approx((2 * 0.2 - peak) * G, abs=0.08 * peak * G)
    slips = np.diff((pull > 0.2 * G).astype(int)) == -1
    assert 2 <= slips.sum() <= 10

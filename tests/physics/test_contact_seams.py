"""Seams: what slides or rolls from one face onto a level one beside it does not notice."""

import math
from typing import Any

import numpy as np
import pytest
from contact_scenes import G, box, solid_ball, solid_box, solid_cylinder, sphere
from pytest import approx
from scenes import cell_of, column

MU = 0.1
EDGE = 0.04
# a box of 1 kg rests from 30 nm to 80 µm deep on these
STIFFNESSES = [1.5e10, 1e9, 1e7, 3.5e6]


def law(stiffness: float, friction: float) -> dict[str, Any]:
    return {
        "stiffness": stiffness, "exponent": 1.5, "damping": 0.3 * stiffness,
        "static_friction": friction, "stick_speed_m_s": 1e-3, "layer_m": 0.002,
    }  # fmt: skip


def resting(mass: float, points: int, stiffness: float) -> float:
    return float((mass * G / (points * stiffness)) ** (1 / 1.5))


def floor(kind: str) -> dict[str, Any]:
    """Two faces side by side: they meet at x = 0."""
    if kind == "rectangles":
        shape, height = {"rectangle": {"length_m": 1.0, "width_m": 1.0}}, 0.0
    else:
        shape, height = box(1.0, 1.0, 0.1), -0.05
    return {
        name: ({"position_m": [x, 0, height]}, {"on": name, "material": "M", **shape})
        for name, x in (("F1", -0.5), ("F2", 0.5))
    }


def cell_over(kind: str, body: dict[str, Any], shape: dict[str, Any], law: dict[str, Any]):
    frames = floor(kind)
    return cell_of(
        frame={name: frame for name, (frame, _) in frames.items()},
        body={"B": body},
        material={"M": law},
        surface={"S": {"on": "B", "material": "M", **shape}}
        | {f"On{name}": surface for name, (_, surface) in frames.items()},
    )


@pytest.mark.parametrize("kind", ["rectangles", "boxes"])
@pytest.mark.parametrize("stiffness", STIFFNESSES)
@pytest.mark.parametrize("speed", [0.05, 0.35, 2.0])
@pytest.mark.parametrize("turned_deg", [0.0, 30.0])
def test_a_box_slides_over_a_seam_with_friction_alone(kind, stiffness, speed, turned_deg):
    friction = MU if speed > 0.1 else 0.0
    ahead = EDGE * (0.5 if turned_deg == 0.0 else 0.69)
    depth = resting(1.0, 4, stiffness)
    way = 0.04 if speed > 0.1 else 0.01
    body = solid_box(
        1.0, (EDGE,) * 3, position_m=[-ahead - way / 4, 0.0013, EDGE / 2 - depth],
        orientation_deg=[0, 0, turned_deg], velocity_m_s=[speed, 0, 0],
    )  # fmt: skip
    cell = cell_over(kind, body, box(EDGE, EDGE, EDGE), law(stiffness, friction))
    ticks = round(way / speed / 1e-3)
    rows = cell.run(ticks)
    assert column(cell, rows, "B.Pose.X")[-1] > -ahead + way / 4  # it is over the seam
    t = np.arange(ticks) * 1e-3
    v, up = column(cell, rows, "B.Velocity.X"), column(cell, rows, "B.Velocity.Z")
    # friction passes on μ times what the floor pushes, and that is its weight and what lifts it:
    # v = v₀ - μ (g t + v_z); as deep as it rests it may tilt, and g acts along its face
    tilt = 2 * depth / EDGE
    assert v + friction * up == approx(speed - friction * G * t, abs=1e-4 + G * tilt * t[-1])
    # two faces that share it lift it by less than its depth
    assert np.abs(up).max() < math.sqrt(2 * G * depth)


@pytest.mark.parametrize("kind", ["rectangles", "boxes"])
@pytest.mark.parametrize("stiffness", STIFFNESSES)
@pytest.mark.parametrize("speed", [0.05, 0.35, 2.0])
@pytest.mark.parametrize("shape", ["ball", "cylinder", "capsule"])
def test_what_is_round_rolls_over_a_seam(kind, stiffness, speed, shape):
    r = 0.02
    turn = [0.0, 0.0, 0.0] if shape == "ball" else [90.0, 0.0, 0.0]
    round_body = solid_ball(1.0, r) if shape == "ball" else solid_cylinder(1.0, r, 0.06)
    skin = {
        "ball": sphere(r),
        "cylinder": {"cylinder": {"radius_m": r, "length_m": 0.06}},
        "capsule": {"capsule": {"radius_m": r, "length_m": 0.06}},
    }[shape]
    depth = resting(1.0, 1 if shape == "ball" else 2, stiffness)
    body = round_body | {
        "position_m": [-0.0054, 0.0013, r - depth], "orientation_deg": turn,
        "velocity_m_s": [speed, 0, 0], "angular_velocity_deg_s": [0, math.degrees(speed / r), 0],
    }  # fmt: skip
    cell = cell_over(kind, body, skin, law(stiffness, MU))
    rows = cell.run(round(0.012 / speed / 1e-3) + 2)
    # two faces that share it lift it by less than its depth; friction follows that for a while
    swing = math.sqrt(2 * G * depth)
    assert column(cell, rows, "B.Velocity.X") == approx(speed, rel=1e-4, abs=MU * swing)
    assert np.abs(column(cell, rows, "B.Velocity.Z")).max() < swing


@pytest.mark.parametrize(
    ("height", "speed"),
    # a hit must not be deeper than the wall is high: 7, 44, 280 and 1700 µm at these speeds
    [(20e-6, 0.02), (0.1e-3, 0.2), (0.5e-3, 2.0), (5e-3, 2.0), (5e-3, 20.0), (0.1, 20.0)],
)
def test_a_wall_stops_a_slide_that_meets_it(height, speed):
    """It cannot rise. At this stiffness edges are chamfered by 11 µm: 20 µm are a wall."""
    cell = cell_of(
        frame={"Rail": {}, "Wall": {"position_m": [0.05, 0, height - 0.05 - EDGE / 2]}},
        body={"B": solid_box(1.0, (EDGE,) * 3)},
        joint={
            "J": {
                "type": "prismatic", "parent": "Rail", "child": "B", "axis": [1, 0, 0],
                "start_m": -EDGE / 2 - 0.0017, "start_velocity_m_s": speed,
            }
        },
        material={"M": law(1e9, 0.0)},
        surface={
            "W": {"on": "Wall", "material": "M", **box(0.1, 0.1, 0.1)},
            "S": {"on": "B", "material": "M", **box(EDGE, EDGE, EDGE)},
        },
    )  # fmt: skip
    rows = cell.run(round(0.002 / speed / 1e-3) + 20)
    assert column(cell, rows, "J.Position").max() < -EDGE / 2 + 1e-3
    assert column(cell, rows, "J.Velocity")[-1] < 0


def test_a_box_slides_over_boxes_that_stand_beside_each_other():
    """All three are free: the lower ones stand on the floor, level but for what they rest with."""
    stiffness = 1e9
    size = (0.2, 0.2, 0.1)
    places = {"L0": -0.1001, "L1": 0.1001}
    body = {name: solid_box(10.0, size, position_m=[x, 0, 0.05]) for name, x in places.items()}
    body["B"] = solid_box(
        1.0, (EDGE,) * 3, position_m=[-0.05, 0, 0.1 + EDGE / 2], velocity_m_s=[0.35, 0, 0]
    )
    surface = {f"S{name}": {"on": name, "material": "M", **box(*size)} for name in places}
    surface["SB"] = {"on": "B", "material": "M", **box(EDGE, EDGE, EDGE)}
    surface["F"] = {"on": "Floor", "material": "M", "half_space": {}}
    cell = cell_of(
        frame={"Floor": {}}, body=body, surface=surface, material={"M": law(stiffness, 0.02)}
    )
    rows = cell.run(300)
    t = np.arange(300) * 1e-3
    assert column(cell, rows, "B.Pose.X")[-1] > 0.03
    v = column(cell, rows, "B.Velocity.X")
    assert v[50:] == approx(0.35 - 0.02 * G * t[50:], abs=3e-3)

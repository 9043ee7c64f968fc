"""A parallelogram of four bars turns through the poses in which all of them lie in line.

There it could go on as a parallelogram or crosswise, and only what is left of its error decides.
The table of docs/engine/method.md, "Loops in singular poses", comes from here.
"""

import numpy as np
import pytest
from scenes import cell_of, column

CRANK, COUPLER, SPEED, SLIP = 0.2, 0.5, 10.0, 1e-3  # [m], [m], [rad/s], [rad/s]


def bar(mass, length, toward=1.0):
    J = mass * length**2 / 12
    return {
        "mass_kg": mass,
        "center_of_mass_m": [toward * length / 2, 0, 0],
        "inertia_kg_m2": [1e-4, J, J],
    }


def hinge(parent, child, x, upright, speed):
    return {
        "type": "revolute",
        "parent": parent,
        "child": child,
        "position_m": [x, 0, 0],
        "axis": [0, 0, 1],
        "start_deg": upright,
        "start_velocity_deg_s": float(np.degrees(speed)),
    }


def parallelogram(eta, seconds=1.0):
    """Angle between the cranks, speed of the first, and the force in the coupler, over time."""
    cell = cell_of(
        gravity_m_s2=[0, 0, 0],
        frame={
            "Ground": {},
            "EndA": {"on": "HalfA", "position_m": [COUPLER / 2, 0, 0]},
            "EndB": {"on": "HalfB", "position_m": [-COUPLER / 2, 0, 0]},
        },
        body={
            "CrankA": bar(1.0, CRANK),
            "CrankB": bar(1.0, CRANK),
            "HalfA": bar(0.5, COUPLER / 2),
            "HalfB": bar(0.5, COUPLER / 2, -1.0),
        },
        joint={
            "A": hinge("Ground", "CrankA", 0.0, 90, SPEED),
            "B": hinge("Ground", "CrankB", COUPLER, 90, SPEED + SLIP),
            "PinA": hinge("CrankA", "HalfA", CRANK, -90, -SPEED),
            "PinB": hinge("CrankB", "HalfB", CRANK, -90, -SPEED),
        },
        collision_object={"C": {"on": "EndB", "sphere": {"radius_m": 0.1}}},
        constrained_object={
            "S": {
                "on": "EndA",
                "radius_m": 0.05,
                "eta": eta,
                "grip_stiffness_n_m": 1e6,
                "release_factor": 100.0,
            }
        },
    )
    rows = cell.run(round(seconds * 1000))
    force = np.linalg.norm([column(cell, rows, f"S.Force.{x}") for x in "XYZ"], axis=0)
    between = column(cell, rows, "A.Position") - column(cell, rows, "B.Position")
    return between, column(cell, rows, "A.Velocity"), force


@pytest.mark.parametrize("eta, strongest", [(50.0, 10.0), (100.0, 0.2)])
def test_loop_passes_a_singular_pose_if_eta_is_fast_against_the_passage(eta, strongest):
    between, speed, force = parallelogram(eta)
    assert np.abs(between).max() < 2e-5
    assert speed[-1] == pytest.approx(SPEED, rel=1e-3)
    assert force.max() < strongest  # [N]; measured 2.0 and 0.06


def test_loop_is_thrown_about_in_a_singular_pose_if_eta_is_slow():
    """Not wished for, but so it is: who mends it rewrites the page."""
    between, speed, force = parallelogram(10.0)
    assert np.abs(between).max() > 0.1
    assert speed[-1] < 0.9 * SPEED
    assert force.max() > 1e4


def test_grip_is_a_spring_with_a_damper_and_a_mass_while_it_moves():
    """f = k ξ + (2k/η) ξ' + (k/η²) ξ'': a loop that is let go of at ξ = 0, ξ' = 0 begins with the
    mass alone, and ends with the spring alone; its deflection then is f/k."""
    eta, k, weight = 20.0, 1e5, 9.81
    cell = cell_of(
        frame={f"F{i}": {} for i in range(2)},
        body={"B": {"mass_kg": 1.0, "inertia_kg_m2": [0.1] * 3}},
        collision_object={f"C{i}": {"on": f"F{i}", "sphere": {"radius_m": 0.1}} for i in range(2)},
        constrained_object={
            f"S{i}": {"on": "B", "radius_m": 0.05, "eta": eta, "grip_stiffness_n_m": k}
            for i in range(2)
        },
    )
    rows = cell.run(1000)
    z = column(cell, rows, "S0.Pose.Z")
    force = column(cell, rows, "S0.Force.Z")
    # both grips and the body are one mass m + 2k/η² on a spring 2k
    assert force[0] == pytest.approx(weight * (k / eta**2) / (1 + 2 * k / eta**2), rel=1e-9)
    assert force[-1] == pytest.approx(weight / 2, rel=1e-6)
    xi, h = -z, 1e-3
    rate, bend = (xi[2:] - xi[:-2]) / (2 * h), (xi[2:] - 2 * xi[1:-1] + xi[:-2]) / h**2
    law = k * xi[1:-1] + 2 * k / eta * rate + k / eta**2 * bend
    assert law[5:] == pytest.approx(force[6:-1], rel=(eta * h) ** 2)  # differences over a tick

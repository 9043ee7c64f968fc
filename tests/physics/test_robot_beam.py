"""A beam in the grippers of two arms: who carries what, and how they pull against each other.

Ideal arms are rigid, so what one moves against the other goes into the two grips, in series:

    F = δ / (1/k₁ + 1/k₂)

Servo arms give way too. With S the stiffness of an arm and its grip, seen by the beam's end, and X
that which moves an end with the beam, the beam goes to where X₁ᵀ f₁ + X₂ᵀ f₂ = 0:

    f = S (δ - X b)        S = (J K⁻¹ Jᵀ + grip)⁻¹
"""

import numpy as np
import pinocchio as pin
import pytest
from pytest import approx
from robots import ARM6_POSE, arm6, signal_of_axes, twin_of
from scenes import ball, cell_of, column
from scipy.spatial.transform import Rotation

MASS, LENGTH, WEIGHT = 10.0, 1.0, 10.0 * 9.81
RADIUS = 0.05  # of the grips: they resist tilting by k r²
SETTLED = 3000  # ticks; the slowest mode dies with about 20/s: e^-60 is left


def beam_cell(drives=("ideal", "ideal"), stiffness=(1e6, 1e6), center=0.0):
    """Two arms side by side along y, and a beam between their flanges."""
    robots = {
        f"R{k}": arm6(position_m=[0, k * LENGTH, 0], drive=drive) for k, drive in enumerate(drives)
    }
    middle = twin_of(robots["R0"]).tcp(np.radians(ARM6_POSE)).translation.copy()
    middle[1] += LENGTH / 2
    return cell_of(
        robot=robots,
        body={"Beam": ball(MASS, 0.5, position_m=middle, center_of_mass_m=[0, center, 0])},
        frame={
            f"End{k}": {"on": "Beam", "position_m": [0, (k - 0.5) * LENGTH, 0]} for k in range(2)
        },
        collision_object={f"C{k}": {"on": f"R{k}", "sphere": {"radius_m": 0.02}} for k in range(2)},
        constrained_object={
            # caught as it lies: it need not be turned as the flanges are
            f"E{k}": {
                "on": f"End{k}",
                "radius_m": RADIUS,
                "eta": 50.0,
                "offset": True,
                "grip_stiffness_n_m": stiffness[k],
            }
            for k in range(2)
        },
    )


def force_on(cell, end):
    """Force on an end of the beam, in world axes."""
    R = Rotation.from_quat([cell[f"{end}.Quaternion.{x}"] for x in "XYZW"])
    return R.apply([cell[f"{end}.Force.{x}"] for x in "XYZ"])


def pull(cell, along):
    """Move the second arm's target by a little, and let everything settle."""
    arm, robot = cell.compiled.arms[1], cell.robot("R1")
    position, quaternion = arm.forward(robot.target)
    robot.move_linear(position + along, quaternion)
    cell.run(SETTLED)
    assert cell.fault is None
    assert cell["R1.MoveCount"] == 1 and not cell["R1.Moving"]


@pytest.mark.parametrize("drives", [("ideal", "ideal"), ("ideal", "servo"), ("servo", "servo")])
def test_beam_between_two_arms_rests_and_its_ends_carry_its_weight(drives):
    cell = beam_cell(drives, center=0.1)
    rows = cell.run(5000)
    assert cell.fault is None and len(rows) == 5000
    assert np.isfinite(rows).all()
    assert column(cell, rows, "E0.Constrained").all() and column(cell, rows, "E1.Constrained").all()
    assert force_on(cell, "E0") + force_on(cell, "E1") == approx([0, 0, WEIGHT], abs=1e-6)
    assert [cell[f"Beam.Velocity.{x}"] for x in "XYZ"] == approx([0, 0, 0], abs=1e-9)


def test_each_of_two_rigid_arms_carries_half_of_a_symmetric_beam():
    cell = beam_cell()
    cell.run(SETTLED)
    for end in ("E0", "E1"):
        assert force_on(cell, end) == approx([0, 0, WEIGHT / 2], abs=1e-9 * WEIGHT)
    torque = [signal_of_axes(cell, f"{name}.JointTorque") for name in ("R0", "R1")]
    assert torque[0][1:3] == approx(torque[1][1:3], rel=1e-9)  # the hinges about y lift


def test_arm_nearer_to_the_centre_of_mass_carries_more():
    """By the lever, but that the grips resist tilting too: W c = φ (2 k (l/2)² + 2 k r²)."""
    cell = beam_cell(center=0.25)
    cell.run(SETTLED)
    half = LENGTH / 2
    more = half * 0.25 / (2 * half**2 + 2 * RADIUS**2)
    share = force_on(cell, "E1")[2] / WEIGHT
    assert share == approx(0.5 + more, rel=1e-6)  # straight springs: the beam tilts by 5e-5


@pytest.mark.parametrize("stiffness", [(1e6, 1e6), (1e6, 3e6), (2e5, 5e6)])
def test_rigid_arms_pull_the_beam_with_what_their_grips_allow(stiffness):
    cell = beam_cell(stiffness=stiffness)
    pull(cell, [0, 1e-4, 0])
    wanted = 1e-4 / (1 / stiffness[0] + 1 / stiffness[1])
    # the softest grip lets the beam tilt by 2.4e-4, so that it is shorter by 3e-8 of these 1e-4 m
    assert force_on(cell, "E1")[1] == approx(wanted, rel=5e-4)
    assert force_on(cell, "E0")[1] == approx(-wanted, rel=5e-4)
    assert (force_on(cell, "E0") + force_on(cell, "E1"))[2] == approx(WEIGHT, abs=1e-6)


def spring_of(cell, robot, end):
    """Stiffness of an arm and its grip in series, at an end of the beam; world axes."""
    table = cell.spec.robot[f"R{robot}"]
    q = signal_of_axes(cell, f"R{robot}.JointPosition")
    at = np.array([cell[f"{end}.Pose.{x}"] for x in "XYZ"])
    J = twin_of(arm6(position_m=table.position_m)).jacobian(q, at)
    own = slice(int(cell.model.robots.first[robot]), int(cell.model.robots.end[robot]))
    k = cell.spec.constrained_object[end].grip_stiffness_n_m
    grip = np.diag([1 / k] * 3 + [1 / (k * RADIUS**2)] * 3)
    return np.linalg.inv(J @ np.diag(1 / cell.model.axes.stiffness[own]) @ J.T + grip)


@pytest.mark.parametrize("axis", range(3))
def test_servo_arms_pull_less_because_they_give_way(axis):
    cell = beam_cell(("servo", "servo"), stiffness=(1e6, 3e6))
    cell.run(SETTLED)
    before = force_on(cell, "E1")
    S0, S1 = spring_of(cell, 0, "E0"), spring_of(cell, 1, "E1")
    along = 1e-4 * np.eye(3)[axis]
    pull(cell, along)
    moved = np.r_[along, 0, 0, 0]
    to_end = np.eye(6)  # about the beam's first end
    to_end[:3, 3:] = -pin.skew(np.array([0, LENGTH, 0]))
    b = np.linalg.solve(S0 + to_end.T @ S1 @ to_end, to_end.T @ S1 @ moved)
    wanted = S1 @ (moved - to_end @ b)
    # springs are taken as straight: 1e-4 m of some 0.1 m, and weights that turn with the arms
    pulled = force_on(cell, "E1") - before
    assert pulled == approx(wanted[:3], abs=5e-3 * np.abs(wanted[:3]).max())
    assert 0 < pulled[axis] < 0.5 * 1e-4 / (1 / 1e6 + 1 / 3e6)


@pytest.mark.parametrize("drives", [("ideal", "ideal"), ("servo", "servo")])
def test_two_arms_lift_a_beam_together(drives):
    cell = beam_cell(drives)
    cell.run(SETTLED)
    low = cell["Beam.Pose.Z"]
    for k in range(2):
        robot = cell.robot(f"R{k}")
        position, quaternion = cell.compiled.arms[k].forward(robot.target)
        position[2] += 0.2
        robot.move_linear(position, quaternion)
    rows = cell.run(SETTLED)
    assert cell.fault is None and column(cell, rows, "E0.Constrained").all()
    # servos sink by another hair in another pose
    assert cell["Beam.Pose.Z"] - low == approx(0.2, abs=1e-9 if drives[0] == "ideal" else 1e-4)
    assert (force_on(cell, "E0") + force_on(cell, "E1"))[2] == approx(WEIGHT, abs=1e-6)

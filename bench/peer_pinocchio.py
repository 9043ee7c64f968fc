"""The held objects in Pinocchio: free-flyers in one model, a rigid 6D constraint each.

`constraintDynamics` is one evaluation of the accelerations, and an RK4 tick needs four; the rest of
a tick (integration, detection, signals) is not counted for Pinocchio. It is called from Python: the
same call with an empty model is timed beside it and subtracted.

Making the `Data` of 100 bodies takes Pinocchio a minute and 7 GB (four tensors of (6n)³ numbers for
derivatives that nobody asked for); that is not counted either.
"""

import os

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from bench.agreement import Disagreement
from bench.held_objects import (
    AWAY_M,
    ETA,
    INERTIA_KG_M2,
    MASS_KG,
    held_objects,
    places,
    plus,
    start_quaternion,
)
from bench.rounds import Contestant
from twincell.sim.cell import Cell

EVALUATIONS_PER_TICK = 4
VELOCITY_B = np.array([0.1, -0.2, 0.05, 0.3, 0.2, -0.1])  # of every body in its own axes; chosen
# Pinocchio takes the error as log6 of the whole pose, we take position and turn apart: of an error
# of 2.7° the linear parts differ by about half the angle, but only times the distance
LINEAR_SHARE = 0.02
ANGULAR_SHARE = 1e-9


def fits_in_memory(n: int) -> bool:
    """Whether the machine has the room for the `Data` of n bodies."""
    pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return pages > 1.3 * 4 * 8 * (6 * n) ** 3


class PinocchioCell:
    """The held objects as one Pinocchio model, at their displaced start, in motion."""

    def __init__(self, n: int) -> None:
        self.model = pin.Model()
        self.model.gravity.linear = np.array([0.0, 0.0, -9.81])
        inertia = pin.Inertia(MASS_KG, np.zeros(3), np.diag(INERTIA_KG_M2))
        here = pin.SE3.Identity()
        for k in range(n):
            joint = self.model.addJoint(0, pin.JointModelFreeFlyer(), here, f"Body{k}")
            self.model.appendBodyToJoint(joint, inertia, here)
        self.constraints = pin.StdVec_RigidConstraintModel()
        self.constraint_data = pin.StdVec_RigidConstraintData()
        for k, place in enumerate(places(n)):
            weld = pin.RigidConstraintModel(
                pin.ContactType.CONTACT_6D,
                self.model,
                k + 1,
                here,
                0,
                pin.SE3(np.eye(3), np.array(place)),
                pin.ReferenceFrame.LOCAL,
            )
            weld.m_baumgarte_parameters.Kp = ETA**2
            weld.m_baumgarte_parameters.Kd = 2 * ETA
            self.constraints.append(weld)
            self.constraint_data.append(weld.createData())
        self.data = self.model.createData()
        pin.initConstraintDynamics(self.model, self.data, self.constraints, self.constraint_data)
        w, x, y, z = start_quaternion()
        poses = [[*plus(place, AWAY_M), x, y, z, w] for place in places(n)]
        self.q = np.array(poses).ravel()
        self.v = np.tile(VELOCITY_B, n)
        self.tau = np.zeros(self.model.nv)

    def accelerations(self) -> NDArray[np.float64]:
        """One evaluation: spatial accelerations of the bodies in their own axes, (n, 6)."""
        found = pin.constraintDynamics(
            self.model, self.data, self.q, self.v, self.tau, self.constraints, self.constraint_data
        )
        return np.array(found).reshape(-1, 6)

    def contestant(self, ticks: int) -> Contestant:
        """As many evaluations as that many RK4 ticks need."""
        evaluate = pin.constraintDynamics
        state = self.model, self.data, self.q, self.v, self.tau
        welds = self.constraints, self.constraint_data

        def work() -> None:
            for _ in range(EVALUATIONS_PER_TICK * ticks):
                evaluate(*state, *welds)

        return Contestant(lambda: None, work)


def check_pinocchio(n: int) -> float:
    """Compare the accelerations of all bodies with ours; largest relative difference."""
    theirs = PinocchioCell(n).accelerations()
    cell = Cell(held_objects(n))
    w, x, y, z = start_quaternion()
    R_WB = np.array(pin.Quaternion(w, x, y, z).matrix())
    v_B, w_B = VELOCITY_B[:3], VELOCITY_B[3:]
    cell.state.v_WB[:] = R_WB @ v_B
    cell.state.w_WB[:] = R_WB @ w_B
    cell.run(1)

    # ours from what a force-torque sensor in each weld shows
    inertia = np.array(INERTIA_KG_M2)
    linear_error = angular_error = 0.0
    for k in range(n):
        force = np.array([cell[f"Tool{k}.Force.{axis}"] for axis in "XYZ"])
        torque = np.array([cell[f"Tool{k}.Torque.{axis}"] for axis in "XYZ"])
        gravity_B = R_WB.T @ np.array([0.0, 0.0, -9.81])
        linear = force / MASS_KG + gravity_B - np.cross(w_B, v_B)
        angular = (torque - np.cross(w_B, inertia * w_B)) / inertia
        linear_error = max(linear_error, _relative(theirs[k, :3], linear))
        angular_error = max(angular_error, _relative(theirs[k, 3:], angular))
    if not (linear_error <= LINEAR_SHARE and angular_error <= ANGULAR_SHARE):
        raise Disagreement(
            f"{n} held objects in Pinocchio accelerate differently from ours: {linear_error:.2g} "
            f"linear and {angular_error:.2g} angular, relative; allowed are {LINEAR_SHARE:g} and "
            f"{ANGULAR_SHARE:g}; times of different equations say nothing"
        )
    return max(linear_error, angular_error)


def _relative(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))

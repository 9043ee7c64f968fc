"""Robots as planning sees them: limits from the model, kinematics from the compiled kernels."""

import math

import numpy as np

from twincell.sim.build.robots import axes_of
from twincell.sim.build.spread import evenly_spread
from twincell.sim.model import Floats, Model
from twincell.sim.motion.inverse_kinematics import REACHED, solve_forward, solve_inverse
from twincell.sim.pack import pack
from twincell.sim.plan.arm import Arm
from twincell.sim.scratch import new_scratch
from twincell.sim.spec.cell import CellSpec


def build_arms(spec: CellSpec, model: Model) -> tuple[Arm, ...]:
    """One arm for each robot."""
    axes = axes_of(spec)
    scratch = new_scratch(model) if axes else None
    arms = []
    for robot, name in enumerate(spec.robot):
        own = slice(int(model.robots.first[robot]), int(model.robots.end[robot]))
        joint_names = tuple(axis.model.name for axis in axes[own])
        kinematics = Kinematics(model, scratch, robot, joint_names)
        arms.append(
            Arm(
                name=name,
                joint_names=joint_names,
                angular=model.joints.turn[model.axes.joint[own]] == 1,
                lower=model.axes.lower[own],
                upper=model.axes.upper[own],
                velocity=model.axes.velocity[own],
                acceleration=model.axes.acceleration[own],
                jerk=model.axes.jerk[own],
                forward=kinematics.forward,
                inverse=kinematics.inverse,
                search=kinematics.search,
                jacobian=kinematics.jacobian,
                stands_still=bool(model.robots.still[robot]),
            )
        )
    return tuple(arms)


class Kinematics:
    """A robot's kernels, called from Python."""

    def __init__(
        self, model: Model, scratch: object, robot: int, joint_names: tuple[str, ...]
    ) -> None:
        self._packs = pack(model), pack(scratch), robot
        self._joint_names = joint_names
        own = slice(int(model.robots.first[robot]), int(model.robots.end[robot]))
        self._limits = model.axes.lower[own], model.axes.upper[own]
        # a hinge is where it was after a turn, so one turn is enough; what slides has its whole
        # range, without limits ten metres, or one turn of a screw
        joint = model.axes.joint[own]
        comes_round = model.joints.slide[joint] == 0
        widest = np.where(model.joints.turn[joint] == 1, math.pi, 10.0)
        lower = np.where(comes_round | np.isinf(self._limits[0]), -widest, self._limits[0])
        upper = np.where(comes_round | np.isinf(self._limits[1]), widest, self._limits[1])
        lower, upper = np.maximum(lower, self._limits[0]), np.minimum(upper, self._limits[1])
        self._spread = [lower + share * (upper - lower) for share in evenly_spread(len(lower))]
        self._velocity = model.axes.velocity[own]

    def forward(self, q: Floats) -> tuple[Floats, Floats]:
        """Position and quaternion of the tool centre point."""
        pose, _ = self._look(q)
        return pose[:3], pose[3:]

    def jacobian(self, q: Floats) -> Floats:
        """Linear and angular velocity of the tool centre point for each axis."""
        return self._look(q)[1].T

    def inverse(self, q: Floats, position: Floats, quaternion: Floats) -> Floats | str:
        """Joint positions near q that reach a pose, or why there are none."""
        found = np.array(q, dtype=np.float64)
        pose = np.concatenate([position, quaternion]).astype(np.float64)
        if solve_inverse(*self._packs, found, pose) == REACHED:
            return found
        reached, _ = self._look(found)
        gap = float(np.linalg.norm(reached[:3] - pose[:3]))
        share = min(1.0, abs(float(reached[3:] @ pose[3:])))
        angle = 2 * np.degrees(np.arccos(share))
        text = f"out of reach: the nearest pose found is {gap:.4g} m and {angle:.4g}° away"
        lower, upper = self._limits
        ends = [
            name
            for name, x, low, high in zip(self._joint_names, found, lower, upper, strict=True)
            if x in (low, high)
        ]
        return f"{text}, with {' and '.join(ends)} at the limit" if ends else text

    def search(self, q: Floats, position: Floats, quaternion: Floats) -> Floats | str:
        """Joint positions that reach a pose, soonest reached from q of all that are found."""
        direct = self.inverse(q, position, quaternion)
        if not isinstance(direct, str):
            return direct
        tries = (self.inverse(seed, position, quaternion) for seed in self._spread)
        found = [x for x in tries if not isinstance(x, str)]
        return min(found, key=lambda x: np.abs((x - q) / self._velocity).max(), default=direct)

    def _look(self, q: Floats) -> tuple[Floats, Floats]:
        joints = np.ascontiguousarray(q, dtype=np.float64)
        pose, jacobian = np.empty(7), np.empty((len(joints), 6))
        solve_forward(*self._packs, joints, pose, jacobian)
        return pose, jacobian

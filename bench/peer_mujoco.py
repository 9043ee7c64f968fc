"""The held objects in MuJoCo: free bodies, each welded to a fixed one, nothing else.

solref = (-η², -2η) is MuJoCo's direct form of the same law; solimp is the hardest it allows
(0.9999: a weld gives way by 1e-4 of the free acceleration, 0.4 µm under gravity). Contacts are off,
and all steps of a round are one call into C.

Which solver and which matrices are fastest depends on the number of bodies; a short trial of the
sensible ones sends two finalists into the bench, so that MuJoCo never looks worse than it is.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from bench.held_objects import (
    AWAY_M,
    ETA,
    INERTIA_KG_M2,
    MASS_KG,
    STEP_S,
    TICKS,
    places,
    plus,
    start_quaternion,
)
from bench.rounds import Contestant, take_turns

HARDEST = 0.9999
DENSE_LIMIT = 60  # bodies: above, dense matrices are out of the question (6n x 6n)
MEMORY = "2G"  # reserved, not used
Integrator = Literal["RK4", "Euler"]


@dataclass(frozen=True)
class Setting:
    """What MuJoCo lets one choose."""

    jacobian: str = "auto"
    solver: str = "Newton"
    island: str = "enable"

    def __str__(self) -> str:
        islands = "islands" if self.island == "enable" else "no islands"
        return f"{self.solver}, {self.jacobian}, {islands}"


DEFAULT = Setting()


class MujocoCell:
    """The held objects as a MuJoCo model."""

    def __init__(self, n: int, integrator: Integrator, setting: Setting) -> None:
        self.model: Any = mujoco.MjModel.from_xml_string(_xml(n, integrator, setting))
        self.data: Any = mujoco.MjData(self.model)
        start = np.empty((n, 7))
        start[:, :3] = [plus(p, AWAY_M) for p in places(n)]
        start[:, 3:] = start_quaternion()
        self.start = start.ravel()

    def rewind(self) -> None:
        """Back to the start."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.start

    def run(self, ticks: int) -> None:
        """Advance, all steps in C."""
        mujoco.mj_step(self.model, self.data, ticks)

    def poses(self) -> NDArray[np.float64]:
        """Position and quaternion of every body, (n, 7)."""
        return np.array(self.data.qpos).reshape(-1, 7)

    def contestant(self, ticks: int = TICKS) -> Contestant:
        """A round from the start."""
        return Contestant(self.rewind, lambda: self.run(ticks))


def settings(n: int) -> list[Setting]:
    """The sensible choices for n bodies."""
    jacobians = ("dense", "sparse") if n <= DENSE_LIMIT else ("sparse",)
    combined = itertools.product(jacobians, ("Newton", "CG"), ("enable", "disable"))
    return [Setting(*choice) for choice in combined]


def finalists(n: int, integrator: Integrator) -> list[Setting]:
    """The two settings with which MuJoCo is fastest in a short trial."""
    choices = settings(n)
    cells = [MujocoCell(n, integrator, choice) for choice in choices]
    rounds, ticks = (5, TICKS) if n <= DENSE_LIMIT else (2, TICKS // 4)
    return two_fastest(choices, [cell.contestant(ticks) for cell in cells], rounds)


def two_fastest(
    choices: Sequence[Setting], contestants: Sequence[Contestant], rounds: int
) -> list[Setting]:
    """The settings of the two contestants with the shortest rounds."""
    times = take_turns(contestants, rounds)
    ranked = sorted(zip(times, choices, strict=True), key=lambda entry: min(entry[0]))
    return [choice for _, choice in ranked[:2]]


def _xml(n: int, integrator: Integrator, setting: Setting) -> str:
    bodies, welds = [], []
    for k, place in enumerate(places(n)):
        at = " ".join(repr(x) for x in place)
        bodies.append(f'<body name="Place{k}" pos="{at}"/>')
        bodies.append(
            f'<body name="Body{k}" pos="{at}"><freejoint/><inertial pos="0 0 0" mass="{MASS_KG}" '
            f'diaginertia="{" ".join(map(str, INERTIA_KG_M2))}"/></body>'
        )
        welds.append(
            f'<weld body1="Place{k}" body2="Body{k}" relpose="0 0 0 1 0 0 0" '
            f'solref="{-(ETA**2)} {-2 * ETA}" solimp="{HARDEST} {HARDEST} 0.001"/>'
        )
    return (
        f'<mujoco><size memory="{MEMORY}"/>'
        f'<option timestep="{STEP_S}" integrator="{integrator}" gravity="0 0 -9.81" '
        f'jacobian="{setting.jacobian}" solver="{setting.solver}">'
        f'<flag contact="disable" island="{setting.island}"/></option>'
        f"<worldbody>{''.join(bodies)}</worldbody>"
        f"<equality>{''.join(welds)}</equality></mujoco>"
    )

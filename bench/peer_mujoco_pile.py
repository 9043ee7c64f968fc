"""The pile of spheres in MuJoCo, and whether both piles are the same.

MuJoCo's contact is soft in its own way: solref = (-k, -b) pulls the gap's acceleration, whatever
the masses, to -k gap - b rate. With k = c/m, b = d/m a sphere on the floor sees the spring and the
damper that ours has. Friction is the same cone. What hits in which order is chaotic, so the piles
are compared

    before anything touches   every sphere, to 1 µm: semi-implicit fall is the same sum
    at rest                   height of the common centre of mass, to 2 % of a radius for each
                              layer; and that both rest
"""

import itertools
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from bench.agreement import Disagreement
from bench.contact_cells import (
    BIN_M,
    FRICTION,
    MATERIAL,
    RADIUS_M,
    SPHERE_KG,
    SPHERE_KG_M2,
    STEP_S,
    pile,
    pile_places,
)
from bench.rounds import Contestant, take_turns
from twincell.sim.cell import Cell

FALL_TICKS = 25  # the lowest layer is 5 mm above the floor: it touches after 31
SETTLE_TICKS = 3000
LAYERS = 4
RESTING_M_S = 0.02  # chosen: creep of soft friction in either
WALL_AXES = ("0 0 1", "1 0 0", "-1 0 0", "0 1 0", "0 -1 0")
WALL_PLACES = ("0 0 0", f"{-BIN_M} 0 0", f"{BIN_M} 0 0", f"0 {-BIN_M} 0", f"0 {BIN_M} 0")


@dataclass(frozen=True)
class PileSetting:
    """What MuJoCo lets one choose."""

    solver: str = "Newton"
    jacobian: str = "auto"
    cone: str = "pyramidal"

    def __str__(self) -> str:
        return f"{self.solver}, {self.jacobian}, {self.cone}"


class MujocoPile:
    """The pile as a MuJoCo model."""

    def __init__(self, n: int, setting: PileSetting) -> None:
        self.model: Any = mujoco.MjModel.from_xml_string(_xml(n, setting))
        self.data: Any = mujoco.MjData(self.model)

    def rewind(self) -> None:
        """Back to the start."""
        mujoco.mj_resetData(self.model, self.data)

    def run(self, ticks: int) -> None:
        """Advance, all steps in C."""
        mujoco.mj_step(self.model, self.data, ticks)

    def positions(self) -> NDArray[np.float64]:
        """Centres of the spheres, (n, 3)."""
        return np.array(self.data.qpos).reshape(-1, 7)[:, :3]

    def fastest(self) -> float:
        """Speed of the fastest sphere."""
        return float(np.linalg.norm(np.array(self.data.qvel).reshape(-1, 6)[:, :3], axis=1).max())

    def contestant(self, ticks: int) -> Contestant:
        """A round from the start."""
        return Contestant(self.rewind, lambda: self.run(ticks))


def pile_finalists(n: int, ticks: int) -> list[PileSetting]:
    """The two settings with which MuJoCo is fastest in a short trial."""
    choices = [
        PileSetting(*choice)
        for choice in itertools.product(
            ("Newton", "CG", "PGS"), ("dense", "sparse"), ("pyramidal", "elliptic")
        )
    ]
    times = take_turns([MujocoPile(n, c).contestant(ticks) for c in choices], 2)
    ranked = sorted(zip(times, choices, strict=True), key=lambda entry: min(entry[0]))
    return [choice for _, choice in ranked[:2]]


def check_pile(n: int, setting: PileSetting) -> None:
    """Let both piles fall and settle; stop if they differ by more than they may."""
    cell = Cell(pile(n, "semi_implicit"))
    peer = MujocoPile(n, setting)
    cell.run(FALL_TICKS)
    peer.run(FALL_TICKS)
    apart = float(np.abs(cell.state.p_WB - peer.positions()).max())
    cell.run(SETTLE_TICKS)
    peer.run(SETTLE_TICKS)
    heights = float(cell.state.p_WB[:, 2].mean()), float(peer.positions()[:, 2].mean())
    speeds = float(np.linalg.norm(cell.state.v_WB, axis=1).max()), peer.fastest()
    if not (
        apart <= 1e-6
        and abs(heights[0] - heights[1]) <= 0.02 * RADIUS_M * LAYERS
        and max(speeds) <= RESTING_M_S
    ):
        raise Disagreement(
            f"the pile in MuJoCo ({setting}) is another one: {apart * 1e6:.2f} µm apart in the "
            f"fall, centres at {heights[0]:.5f} and {heights[1]:.5f} m, fastest spheres at "
            f"{speeds[0]:.2g} and {speeds[1]:.2g} m/s"
        )


def _xml(n: int, setting: PileSetting) -> str:
    inertia = " ".join([repr(SPHERE_KG_M2)] * 3)
    solref = f"{-MATERIAL.stiffness / SPHERE_KG} {-MATERIAL.damping / SPHERE_KG}"
    contact = f'condim="3" friction="{FRICTION} 0 0" solref="{solref}"'
    geoms = [
        f'<geom type="plane" size="1 1 0.1" pos="{at}" zaxis="{axis}"/>'
        for at, axis in zip(WALL_PLACES, WALL_AXES, strict=True)
    ]
    bodies = [
        f'<body pos="{x!r} {y!r} {z!r}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{SPHERE_KG}" diaginertia="{inertia}"/>'
        f'<geom type="sphere" size="{RADIUS_M}"/></body>'
        for x, y, z in pile_places(n)
    ]
    return (
        f'<mujoco><option timestep="{STEP_S}" integrator="Euler" gravity="0 0 -9.81" '
        f'solver="{setting.solver}" jacobian="{setting.jacobian}" cone="{setting.cone}"/>'
        f"<default><geom {contact}/></default>"
        f"<worldbody>{''.join(geoms)}{''.join(bodies)}</worldbody></mujoco>"
    )

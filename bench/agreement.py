"""Before two simulators are timed: do they simulate the same?

Every body is followed for 0.2 s on its way from the displaced start to its place, ours and MuJoCo's
with the same kind of integrator. They may differ by

    0.5 µm     MuJoCo's weld gives way by (1 - 0.9999) g/η² = 0.39 µm under gravity
    0.0002°    MuJoCo's rotation error is 2 sin(θ/2), ours θ: θ³/24 of 2.7° is 2.5e-4° at the start
"""

import numpy as np
from numpy.typing import NDArray

from bench.held_objects import Integrator, held_objects
from bench.peer_mujoco import Integrator as MujocoIntegrator
from bench.peer_mujoco import MujocoCell, Setting
from twincell.sim.cell import Cell

FOLLOWED_TICKS = 200
EVERY = 10
POSITION_M = 0.5e-6
ANGLE_DEG = 2e-4


class Disagreement(Exception):
    """Two simulators do not simulate the same: their times must not be compared."""


def check_mujoco(n: int, integrator: MujocoIntegrator, setting: Setting) -> tuple[float, float]:
    """Follow both; largest differences in position [m] and angle [deg]."""
    own: Integrator = "rk4" if integrator == "RK4" else "semi_implicit"
    cell = Cell(held_objects(n, own))
    peer = MujocoCell(n, integrator, setting)
    peer.rewind()
    apart_m = apart_deg = 0.0
    for _ in range(FOLLOWED_TICKS // EVERY):
        cell.run(EVERY)
        peer.run(EVERY)
        theirs = peer.poses()
        apart_m = max(apart_m, float(np.abs(cell.state.p_WB - theirs[:, :3]).max()))
        apart_deg = max(apart_deg, angle_deg(cell.state.q_WB, theirs[:, 3:]))
    if not (apart_m <= POSITION_M and apart_deg <= ANGLE_DEG):
        raise Disagreement(
            f"{n} held objects in MuJoCo ({integrator}; {setting}) move differently from ours: "
            f"{apart_m * 1e6:.2f} µm and {apart_deg:.2g}° apart, allowed are "
            f"{POSITION_M * 1e6:g} µm and {ANGLE_DEG:g}°; times of different motions say nothing"
        )
    return apart_m, apart_deg


def angle_deg(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Largest angle between two lists of orientations."""
    # the vector part of a⁻¹ b: accurate for small angles, unlike arccos
    vector = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(a[:, 1:], b[:, 1:])
    sine = np.linalg.norm(vector, axis=1)
    return float(np.degrees(2 * np.arcsin(np.minimum(sine, 1))).max())

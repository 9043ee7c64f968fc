"""The robot as planning sees it: limits of its joints, and where its tool is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from twincell.sim.model import Floats

Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Arm:
    """A chain of joints that carries a tool centre point (TCP)."""

    name: str
    joint_names: tuple[str, ...]
    angular: Bools  # whose position is an angle: shown in degrees, else in metres  (n_axis,)
    lower: Floats  # [rad] or [m], may be infinite                          (n_axis,)
    upper: Floats
    velocity: Floats  # greatest, finite                                    (n_axis,)
    acceleration: Floats
    jerk: Floats

    # joint positions -> position and quaternion (w, x, y, z) of the TCP in the world
    forward: Callable[[Floats], tuple[Floats, Floats]]
    # joint positions nearby, position, quaternion -> joint positions, or a text why there are none
    inverse: Callable[[Floats, Floats, Floats], Floats | str]
    # the same from anywhere: the nearest that is found, maybe in another posture
    search: Callable[[Floats, Floats, Floats], Floats | str]
    # joint positions -> velocities of the TCP per joint, world axes, linear rows first (6, n_axis)
    jacobian: Callable[[Floats], Floats]
    stands_still: bool = True  # else poses in the world mean nothing to it

    @property
    def n_axis(self) -> int:
        return len(self.joint_names)

    def shown(self, joint: int, value: float) -> str:
        """A joint's position or way, in the unit a user knows."""
        return f"{np.degrees(value):.7g}°" if self.angular[joint] else f"{value:.7g} m"


def shown_point(position: Floats) -> str:
    """A place in the world."""
    return f"[{', '.join(f'{x:.4f}' for x in position)}] m"

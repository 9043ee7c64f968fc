"""Between which numbers a signal stays in normal operation, where the cell knows it.

Joints have ends, speeds and drives; angles and shares have theirs by definition; pressure goes up
to its supply, and a lever as far as it may be set. Most lengths and forces have no limits.
"""

import math
from collections.abc import Iterator

from twincell.sim.devices.lever_range import is_lever, lever_range
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.joint import MovingJoint
from twincell.sim.spec.joint_keys import CELL_KEYS, in_si
from twincell.sim.spec.robot_model import RobotModel

Limits = tuple[float, float]

HALF_TURN: Limits = (-math.pi, math.pi)
ANY_ANGLE: Limits = (0.0, math.pi)
SHARE: Limits = (0.0, 1.0)
UNIT: Limits = (-1.0, 1.0)

BY_DEFINITION: dict[str, Limits] = {  # by quantity
    **{f"{of}.{name}": HALF_TURN for of in ("Pose", "TcpPose") for name in "AC"},
    **{f"{of}.B": (-math.pi / 2, math.pi / 2) for of in ("Pose", "TcpPose")},
    **{f"{of}.{name}": UNIT for of in ("Quaternion", "TcpQuaternion") for name in "WXYZ"},
    **{f"Normal.{axis}": UNIT for axis in "XYZ"},
    "AngularDeviation": ANY_ANGLE,
    "Truth.Tilt": ANY_ANGLE,
    "Truth.LoadMargin": SHARE,
}


class SignalLimits:
    """The limits of a cell's signals."""

    def __init__(self, spec: CellSpec) -> None:
        self._own: dict[str, Limits] = {}
        for name, model in spec.robot_models.items():
            self._own |= {f"{name}.{what}": limits for what, limits in _of_robot(model)}
        for name, joint in spec.joint.items():
            if isinstance(joint, MovingJoint):
                numbers = in_si(joint, CELL_KEYS)
                ends = numbers["lower"], numbers["upper"]
                if all(map(math.isfinite, ends)):
                    self._own[f"{name}.Position"] = ends
        for name, changer in spec.tool_changer.items():
            self._own[f"{name}.AirPressure"] = 0.0, changer.supply_bar

    def of(self, name: str) -> Limits | None:
        """Least and greatest value of a number; None if nobody knows."""
        if is_lever(name):
            return lever_range(name)
        return self._own.get(name) or BY_DEFINITION.get(name.partition(".")[2])


def _of_robot(model: RobotModel) -> Iterator[tuple[str, Limits]]:
    for k, axis in enumerate(model.axes, start=1):
        both_ways = {"JointVelocity": axis.velocity, "JointTorque": axis.effort}
        found = {what: (-most, most) for what, most in both_ways.items()}
        found |= dict.fromkeys(
            ("JointTarget", "JointPosition", "JointReference"), (axis.lower, axis.upper)
        )
        for what, (least, most) in found.items():
            if math.isfinite(least) and math.isfinite(most) and least < most:
                yield f"{what}.{k}", (least, most)

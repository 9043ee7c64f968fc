"""The commands a controller may give to a robot, and the kind of value each takes."""

from typing import Literal

Kind = Literal["Boolean", "Int32", "Double"]

AXIS = "JointTarget."  # target of one axis, followed by its number


def robot_commands(robot: str, n_axes: int) -> dict[str, Kind]:
    """Names and kinds of a robot's commands; axes count from 1, from the root outwards."""
    kinds: dict[str, Kind] = {"Stop": "Boolean", "JointSetPoint": "Int32"}
    kinds |= {f"{AXIS}{k}": "Double" for k in range(1, n_axes + 1)}
    kinds |= {"TcpSetPoint": "Int32"}
    kinds |= {f"TcpTarget.{component}": "Double" for component in "XYZABC"}
    return {f"{robot}.{quantity}": kind for quantity, kind in kinds.items()}

"""The commands a controller may give to a robot, and the kind of value each takes."""

from twincell.sim.signals import Kind

AXIS = "JointTarget."  # target of one axis, followed by its number


def robot_commands(robot: str, n_axes: int) -> dict[str, Kind]:
    """Names and kinds of a robot's commands; axes count from 1, from the root outwards."""
    kinds = {"Stop": Kind.BOOLEAN, "JointSetPoint": Kind.INT32}
    kinds |= {f"{AXIS}{k}": Kind.DOUBLE for k in range(1, n_axes + 1)}
    kinds |= {"TcpSetPoint": Kind.INT32}
    kinds |= {f"TcpTarget.{component}": Kind.DOUBLE for component in "XYZABC"}
    return {f"{robot}.{quantity}": kind for quantity, kind in kinds.items()}

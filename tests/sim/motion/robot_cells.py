"""Small cells with one robot, for tests of its motion."""

from pathlib import Path

import numpy as np

from twincell.sim.cell import Cell
from twincell.sim.spec import load_text

ROBOTS = Path(__file__).parents[3] / "config" / "robots"
START_DEG = [0, -20, 40, 0, 70, 0]


def arm_cell(drive: str = "ideal", more: str = "", robot: str = "") -> Cell:
    """A cell with the shipped six-axis arm `Arm`, its tool centre point upright."""
    return Cell(
        load_text(
            f"""
            name = "One arm"
            [robot.Arm]
            model = "{ROBOTS / "arm6.urdf"}"
            drive = "{drive}"
            start_deg = {START_DEG}
            tcp_orientation_deg = [0, 180, 0]
            {robot}
            {more}
            """
        )
    )


def joints(cell: Cell, quantity: str = "JointReference") -> np.ndarray:
    """A quantity of all joints in the last row."""
    return np.array([cell[f"Arm.{quantity}.{k}"] for k in range(1, 7)])


def column(cell: Cell, rows: np.ndarray, signal: str) -> np.ndarray:
    """A signal in all rows."""
    return rows[:, cell.signals[f"Arm.{signal}"].column]


def send(cell: Cell, target: np.ndarray, count: int) -> None:
    """Send a set point of joint positions."""
    for k, value in enumerate(target):
        cell[f"Arm.JointTarget.{k + 1}"] = value
    cell["Arm.JointSetPoint"] = count


def send_tcp(cell: Cell, pose: list[float], count: int) -> None:
    """Send a set point of the tool centre point."""
    for name, value in zip("XYZABC", pose, strict=True):
        cell[f"Arm.TcpTarget.{name}"] = value
    cell["Arm.TcpSetPoint"] = count

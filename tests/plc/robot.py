"""Who moves the arm of tool_changer_atc: down to a tool, and up when the PLC has done its part."""

from tests.plc.coupling import Coupling
from tests.plc.image import HAS_LET_GO, HAS_TOOL

OVER_S, AT_S = 20.0, 10.0  # simulated: a move, what the changer does
ABOVE_M, AT_TOOL_M = 1.1, 0.78
STANDS = {"Gripper": ([1.0, 0.0], 0.0), "Screwdriver": ([0.7, 0.45], 90.0)}


class Robot:
    """The arm."""

    def __init__(self, coupling: Coupling) -> None:
        self._coupling = coupling

    def go(self, tool: str, height_m: float) -> None:
        """Move over the place of a tool; the PLC goes on meanwhile."""
        (place, turn), cell = STANDS[tool], self._coupling.cell
        pose = {"position_m": [*place, height_m], "orientation_deg": [0.0, 0.0, turn]}
        cell.move_linear("Robot1", **pose, speed_m_s=0.5)
        self._coupling.cycle()
        self._coupling.until(lambda: not cell["Robot1.Moving"], OVER_S)

    def fetch(self, tool: str) -> None:
        self.go(tool, ABOVE_M)
        self.go(tool, AT_TOOL_M)
        self._coupling.until(lambda: self._coupling.outputs.has(HAS_TOOL), AT_S)
        self.go(tool, ABOVE_M)

    def bring_back(self, tool: str) -> None:
        self.go(tool, AT_TOOL_M)
        self._coupling.until(lambda: self._coupling.outputs.has(HAS_LET_GO), AT_S)
        self.go(tool, ABOVE_M)


def change_tools(coupling: Coupling, count: int) -> None:
    """Fetch a tool and bring it back, now the one, now the other; none may be missed."""
    robot, cell = Robot(coupling), coupling.cell
    for number in range(count):
        tool = list(STANDS)[number % 2]
        robot.fetch(tool)
        assert cell[f"{tool}.Partner"] == "Robot1Flange"
        robot.bring_back(tool)
        assert cell[f"{tool}.Partner"].startswith("Holder")
        coupling.until(lambda n=number: coupling.outputs.changes == n + 1, AT_S)

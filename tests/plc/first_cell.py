"""The story of first_cell: its flange goes its way, and the PLC has to be in time."""

from tests.plc.coupling import Coupling
from tests.plc.image import HAS_TOOL


def change_tools(coupling: Coupling, count: int) -> None:
    """Fetch the tool and bring it back, from the start again each time; none may be missed."""
    cell = coupling.cell
    for number in range(1, count + 1):
        coupling.until(lambda: coupling.outputs.has(HAS_TOOL), within_s=4.0)
        assert cell["Gripper.Partner"] == "Flange"
        coupling.until(lambda n=number: coupling.outputs.changes == n, within_s=8.0)
        assert cell["Gripper.Partner"] == "Holder"
        cell.reset()

"""The tool change of the cell tool_change_bridge, commanded by some PLC over the bridge."""

from pathlib import Path

from tests.server.bridge.bridged_cell import bridged
from tests.server.running_cell import wait_until

CELL = Path(__file__).parents[3] / "config" / "cells" / "tool_change_bridge.toml"
PORT = "127.0.0.1:4850"
SPEED = 2  # the robot waits half a second for the flange: fifty cycles of the PLC


def change_tool(folder: Path, port: int) -> None:
    """Let the PLC at this port change the tool, from the start of the cell to the other holder."""
    text = CELL.read_text(encoding="utf-8")
    assert PORT in text
    text = text.replace(PORT, f"127.0.0.1:{port}")
    with bridged(folder, text, "--paused", "--speed", SPEED) as cell:
        cell.until("Plc1.Connected", True)
        assert cell["Plc1.Problems"] == 0, cell.cell.notes
        cell.call("Simulation.Resume")
        cell.until("Tool1.Partner", "Robot1Flange")
        assert cell["Cell.Control"] == "bridge Plc1"
        cell.until("Tool1.Partner", "Holder2")
        wait_until(lambda: cell["Robot1.Pose.Z"] > 1.05)  # the PLC waits for 1.0

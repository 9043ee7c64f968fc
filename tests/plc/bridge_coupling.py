"""The PLC behind our bridge: the cell connects to an OPC UA server that has its process image.

Time goes on by the clock, in the cell and in the PLC, as it does in a plant.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from asyncua import ua

from bench.plc_server import PlcServer
from tests.plc.awl_plc import AwlPlc
from tests.plc.coupling import Coupling
from tests.plc.image import (
    CHANGER,
    INPUT_BITS,
    N_OUTPUT,
    OUTPUT_BITS,
    TOOL_ID,
    Outputs,
    input_image,
)
from tests.server.bridge.bridged_cell import BridgedCell, bridged
from twincell.server.client.robot_calls import calls_of
from twincell.server.files.cells import find_cell
from twincell.server.kit.scenario import Step
from twincell.sim.spec.robot import MoveLinear

VARIABLES = {
    "Inputs": ua.Variant(0, ua.VariantType.UInt16),
    "ToolId": ua.Variant(0, ua.VariantType.UInt16),
    "Outputs": ua.Variant(0, ua.VariantType.UInt16),
}
LOOK_S = 0.02


class PanelCell:
    """The cell, as somebody at a panel sees it who moves the robot."""

    def __init__(self, panel: BridgedCell) -> None:
        self._panel = panel

    def __getitem__(self, signal: str) -> Any:
        return self._panel[signal]

    @property
    def time_s(self) -> float:
        """Simulated time."""
        return float(self["Simulation.Time"])

    def move_linear(self, robot: str, **move: Any) -> None:
        """Begin a move."""
        line = MoveLinear.model_validate(move)
        (call,) = calls_of(Step(name="move", move_linear={robot: line}), {})
        self._panel.call(f"{robot}.{call.method}", *call.arguments)

    def reset(self) -> None:
        """Back to the start."""
        self._panel.call("Simulation.Reset")


class BridgeCoupling(Coupling):
    """A PLC whose inputs and outputs the bridge carries."""

    def __init__(self, cell: PanelCell, image: "ProcessImage") -> None:
        super().__init__(cell)
        self._image = image

    @property
    def outputs(self) -> Outputs:
        """What the PLC tells now."""
        self._image.check()
        return self._image.outputs

    def cycle(self) -> None:
        """Both go on by themselves."""
        time.sleep(LOOK_S)


class ProcessImage:
    """Carries the variables of the server into the PLC, and its outputs back, again and again."""

    def __init__(self, server: PlcServer, plc: AwlPlc) -> None:
        self._server = server
        self._plc = plc
        self._has_ended = threading.Event()
        self._failure: Exception | None = None
        plc.follow_outputs(N_OUTPUT, period_s=0.001)
        self.outputs = Outputs.of(plc.next_outputs())
        self._thread = threading.Thread(target=self._carry)

    def __enter__(self) -> "ProcessImage":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._has_ended.set()
        self._thread.join()

    def check(self) -> None:
        """Raise what has ended it."""
        if self._failure is not None:
            raise self._failure

    def _carry(self) -> None:
        try:
            while not self._has_ended.is_set():
                image = input_image(self._server["Inputs"], self._server["ToolId"], cycle=0)
                self._plc.write_inputs(image)
                seen = Outputs.of(self._plc.next_outputs())
                if seen.bits != self.outputs.bits:
                    self._server["Outputs"] = seen.bits
                self.outputs = seen
                time.sleep(0.001)
        except Exception as error:  # the test shall fail with it
            self._failure = error


@contextmanager
def coupled(
    folder: Path, shipped: str, plc: AwlPlc, speed: float
) -> Iterator[tuple[BridgeCoupling, PlcServer]]:
    """A shipped cell with a bridge to the PLC, from its start."""
    with PlcServer(VARIABLES) as server, ProcessImage(server, plc) as image:
        text = _bridged(shipped, server.endpoint)
        with bridged(folder, text, "--speed", speed) as panel:
            panel.until("Plc1.Connected", True)
            assert panel["Plc1.Problems"] == 0, panel.cell.notes
            cell = PanelCell(panel)
            cell.reset()  # as a cell without a PLC it has begun already
            yield BridgeCoupling(cell, image), server


def _bridged(shipped: str, endpoint: str) -> str:
    """A shipped cell without its timeline: its changer is wired to the PLC instead."""
    text = find_cell(shipped).read_text(encoding="utf-8").partition("[[timeline]]")[0]
    lines = [f'[[bridge]]\nname = "Plc1"\nendpoint = "{endpoint}"\nsecurity = "None"']
    for bit, name in enumerate(OUTPUT_BITS):
        lines.append(_wire("command", "Outputs", name, bit))
    for bit, name in enumerate(INPUT_BITS):
        lines.append(_wire("feedback", "Inputs", name, bit))
    lines.append(_wire("feedback", "ToolId", TOOL_ID))
    return "\n".join([text, *lines, ""])


def _wire(direction: str, variable: str, signal: str, bit: int | None = None) -> str:
    at = "" if bit is None else f"\nbit = {bit}"
    node = f'node = "nsu=urn:plc;s={variable}"'
    return f'[[bridge.{direction}]]\n{node}\nsignal = "{CHANGER}.{signal}"{at}'

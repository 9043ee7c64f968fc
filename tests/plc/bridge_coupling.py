"""The PLC behind our bridge: the cell connects to an OPC UA server that has its process image.

Time goes on by the clock, in the cell and in the PLC, as it does in a plant.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from asyncua import ua

from bench.plc_server import PlcServer
from server.cell_files import find_cell
from server.kit import CellUnderTest
from server.kit.running import Time
from tests.plc.awl_plc import AwlPlc
from tests.plc.image import (
    CHANGER,
    INPUT_BITS,
    N_OUTPUT,
    OUTPUT_BITS,
    TOOL_ID,
    Outputs,
    input_image,
)
from tests.server.running_cell import running, wait_until

VARIABLES = {
    "Inputs": ua.Variant(0, ua.VariantType.UInt16),
    "ToolId": ua.Variant(0, ua.VariantType.UInt16),
    "Outputs": ua.Variant(0, ua.VariantType.UInt16),
}
LOOK_S = 0.05  # simulated


class BridgeCoupling:
    """A cell and its PLC, as somebody beside them sees them."""

    def __init__(self, cell: CellUnderTest, image: "ProcessImage") -> None:
        self.cell = cell
        self._image = image

    @property
    def outputs(self) -> Outputs:
        """What the PLC tells now."""
        self._image.check()
        return self._image.outputs

    def cycle(self) -> None:
        """Let them go on for a moment."""
        self.cell.advance(LOOK_S)

    def until(self, fulfilled: Callable[[], bool], within_s: float) -> None:
        """Let them go on until something is so."""
        begun_s = self.cell.time_s
        while not fulfilled():
            seen = self.cell.read(f"{CHANGER}.State", f"{CHANGER}.FaultText")
            late = f"not within {within_s:g} s: {self.outputs}, {seen}"
            assert self.cell.time_s - begun_s < within_s, late
            self.cycle()


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
        file = folder / f"{shipped}_bridged.toml"
        file.write_text(_bridged(shipped, server.endpoint), encoding="utf-8")
        options = ("--port", 0, "--speed", speed)
        with running(folder, file, *options) as cell:
            under_test = CellUnderTest(cell.url, Time.REALTIME)
            try:
                connected = [f"Plc1.{name}" for name in ("Connected", "Problems")]
                wait_until(lambda: under_test.connection.read(connected) == [True, 0])
                under_test.reset()
                yield BridgeCoupling(under_test, image), server
            finally:
                under_test.close()


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

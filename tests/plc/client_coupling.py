"""The PLC as a client of the cell: in each of its cycles it sees the cell, and the cell obeys it.

The cell is in lock step. So the PLC may take as long as it likes: nothing depends on the machine.
"""

from collections.abc import Callable

from server.kit import CellUnderTest
from tests.plc.awl_plc import AwlPlc
from tests.plc.image import (
    ACKNOWLEDGE,
    ALARM,
    CHANGER,
    INPUT_BITS,
    N_OUTPUT,
    TOOL_ID,
    Outputs,
    bits_of,
    input_image,
)

CYCLE_S = 0.05  # simulated time that passes in a cycle of the PLC; chosen: a slow one
SIGNALS = [f"{CHANGER}.{name}" for name in (*INPUT_BITS, TOOL_ID)]


class ClientCoupling:
    """A cell and its PLC."""

    def __init__(self, cell: CellUnderTest, plc: AwlPlc) -> None:
        self.cell = cell
        self._plc = plc
        self._cycle = 0
        self._acknowledges = False  # the operator's button
        plc.follow_outputs(N_OUTPUT, period_s=0.001)
        self.outputs = self._seen_by_plc()

    def cycle(self) -> None:
        """One cycle of the PLC, and what the cell makes of it."""
        self.outputs = self._seen_by_plc()
        self.cell.set(self.outputs.commands)
        self.cell.advance(CYCLE_S)

    def until(self, fulfilled: Callable[[], bool], within_s: float) -> None:
        """Cycles until something is so."""
        begun_s = self.cell.time_s
        while not fulfilled():
            seen = self.cell.read(f"{CHANGER}.State", f"{CHANGER}.FaultText")
            late = f"not within {within_s:g} s: {self.outputs}, {seen}"
            assert self.cell.time_s - begun_s < within_s, late
            self.cycle()

    def acknowledge(self, within_s: float) -> None:
        """The operator presses his button again and again until the alarm is over."""

        def press() -> bool:
            self._acknowledges = not self._acknowledges
            return not self.outputs.has(ALARM)

        self.until(press, within_s)
        self._acknowledges = False

    def _seen_by_plc(self) -> Outputs:
        """Show the PLC what the cell shows; what it tells once it has seen that."""
        values = dict(zip(SIGNALS, self.cell.read(*SIGNALS), strict=True))
        self._cycle = (self._cycle + 1) % 2**15
        bits = bits_of(values) | self._acknowledges << ACKNOWLEDGE
        image = input_image(bits, values[f"{CHANGER}.{TOOL_ID}"], self._cycle)
        self._plc.write_inputs(image)
        while (outputs := Outputs.of(self._plc.next_outputs())).cycle != self._cycle:
            pass
        return outputs

"""The PLC as a client of the cell: in each of its cycles it sees the cell, and the cell obeys it.

The cell is in lock step. So the PLC may take as long as it likes: nothing depends on the machine.
"""

from tests.plc.awl_plc import AwlPlc
from tests.plc.coupling import Coupling
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
from twincell import CellUnderTest

CYCLE_S = 0.05  # simulated time that passes in a cycle of the PLC; chosen: a slow one
SIGNALS = [f"{CHANGER}.{name}" for name in (*INPUT_BITS, TOOL_ID)]


class ClientCoupling(Coupling):
    """A PLC that writes its outputs to the cell itself."""

    def __init__(self, cell: CellUnderTest, plc: AwlPlc) -> None:
        super().__init__(cell)
        self._client = cell
        self._plc = plc
        self._cycle = 0
        self._acknowledges = False  # the operator's button
        plc.follow_outputs(N_OUTPUT, period_s=0.001)
        self._outputs = self._seen_by_plc()

    @property
    def outputs(self) -> Outputs:
        """What the PLC told in its last cycle."""
        return self._outputs

    def cycle(self) -> None:
        """One cycle of the PLC, and what the cell makes of it."""
        self._outputs = self._seen_by_plc()
        self._client.set(self._outputs.commands)
        self._client.advance(CYCLE_S)

    def acknowledge(self, within_s: float) -> None:
        """The operator presses his button again and again until the alarm is over."""

        def press() -> bool:
            self._acknowledges = not self._acknowledges
            return not self._outputs.has(ALARM)

        self.until(press, within_s)
        self._acknowledges = False

    def _seen_by_plc(self) -> Outputs:
        """Show the PLC what the cell shows; what it tells once it has seen that."""
        values = dict(zip(SIGNALS, self._client.read(*SIGNALS), strict=True))
        self._cycle = (self._cycle + 1) % 2**15
        bits = bits_of(values) | self._acknowledges << ACKNOWLEDGE
        image = input_image(bits, values[f"{CHANGER}.{TOOL_ID}"], self._cycle)
        self._plc.write_inputs(image)
        while (outputs := Outputs.of(self._plc.next_outputs())).cycle != self._cycle:
            pass
        return outputs

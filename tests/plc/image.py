"""Which signal of a tool changer is which bit of the PLC: see tool_change.awl."""

from typing import Any, NamedTuple

CHANGER = "Changer1"
INPUT_BITS = (
    *("Locked", "Unlocked", "ReadyToLock1", "ReadyToLock2"),
    *("ToolPresent", "ToolInStandA", "ToolInStandB", "AirPressureOk"),
    *("ToolPowerOk", "ToolBusOk", "UnlockEnabled", "Fault"),
)
ACKNOWLEDGE = 12  # bit of the inputs: the button of an operator
TOOL_ID = "ToolId"
OUTPUT_BITS = ("LockValve", "UnlockValve", "ToolPowerEnable", "FaultReset")
HAS_TOOL, HAS_LET_GO, ALARM = 4, 5, 7  # bits of the outputs
N_OUTPUT = 8  # bytes


class Outputs(NamedTuple):
    """What the PLC tells."""

    bits: int
    changes: int  # how many it has made
    cycle: int  # the one that it has seen

    @classmethod
    def of(cls, image: bytes) -> "Outputs":
        """Out of its output bytes."""
        return cls(image[0], int.from_bytes(image[2:4], "big"), int.from_bytes(image[4:6], "big"))

    @property
    def commands(self) -> dict[str, bool]:
        """What it commands the changer."""
        return {f"{CHANGER}.{name}": self.has(bit) for bit, name in enumerate(OUTPUT_BITS)}

    def has(self, bit: int) -> bool:
        return bool(self.bits >> bit & 1)


def bits_of(values: dict[str, Any]) -> int:
    """Input bits from what the changer shows."""
    return sum(1 << bit for bit, name in enumerate(INPUT_BITS) if values[f"{CHANGER}.{name}"])


def input_image(bits: int, tool_id: int, cycle: int) -> bytes:
    """Input bytes: EB0 has the lower eight bits, words have their higher byte first."""
    words = tool_id.to_bytes(2, "big") + cycle.to_bytes(2, "big")
    return bits.to_bytes(2, "little") + words + b"\0\0"

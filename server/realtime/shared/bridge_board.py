"""How each bridge is: written by its process, read by whoever shows it."""

import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from twincell.server.logging.log_line import printable

TEXT = 512
SILENCE_S = 5.0  # a bridge that gives no sign of life for so long has no controller; chosen

BRIDGE = np.dtype(
    [
        ("beat_ns", "i8"),  # monotonic clock at its last sign of life, 0 before the first one
        ("connected", "i8"),  # whether values go to and fro
        ("reconnects", "i8"),  # connections after the first one
        ("received", "i8"),  # values from the controller that became commands
        ("sent", "i8"),  # values that the controller took
        ("problems", "i8"),  # wires that do not work now
        ("error", f"S{TEXT}"),  # what went wrong last
    ]
)


class BridgeState:
    """One bridge on the board."""

    def __init__(self, name: str, array: npt.NDArray[np.void], place: int) -> None:
        self.name = name
        self._record = array[place]

    def __getitem__(self, field: str) -> int:
        """A whole number."""
        return int(self._record[field])

    def __setitem__(self, field: str, value: int) -> None:
        self._record[field] = value

    @property
    def is_connected(self) -> bool:
        """Whether values go to and fro, as a process says that has lately been alive."""
        silence_s = (time.monotonic_ns() - self["beat_ns"]) * 1e-9
        return bool(self._record["connected"]) and silence_s < SILENCE_S

    def beat(self) -> None:
        """Give a sign of life."""
        self["beat_ns"] = time.monotonic_ns()

    @property
    def error(self) -> str:
        return bytes(self._record["error"]).decode("utf-8", "ignore")

    @error.setter
    def error(self, text: str) -> None:
        """Write a text, shortened to what fits; a controller may have chosen its words."""
        self._record["error"] = printable(text).encode("utf-8", "replace")[:TEXT]


class BridgeBoard:
    """The bridges of a cell, in the order of the cell file."""

    def __init__(self, names: Sequence[str], array: npt.NDArray[np.void]) -> None:
        self.bridges = tuple(BridgeState(name, array, k) for k, name in enumerate(names))

    def is_connected(self, name: str) -> bool:
        """Whether there is such a bridge, and it has its controller."""
        return any(bridge.is_connected for bridge in self.bridges if bridge.name == name)

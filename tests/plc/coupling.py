"""A cell and the PLC that commands it, whichever way they are connected."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

from tests.plc.image import CHANGER, Outputs


class WatchedCell(Protocol):
    """A cell, for whoever looks at it and moves its robot."""

    def __getitem__(self, signal: str) -> Any:
        """Value of a signal now."""

    @property
    def time_s(self) -> float:
        """Simulated time."""

    def move_linear(self, robot: str, **move: Any) -> None:
        """Begin a move."""

    def reset(self) -> None:
        """Back to the start."""


class Coupling(ABC):
    """Both of them, on their way."""

    def __init__(self, cell: WatchedCell) -> None:
        self.cell = cell

    @property
    @abstractmethod
    def outputs(self) -> Outputs:
        """What the PLC tells."""

    @abstractmethod
    def cycle(self) -> None:
        """Let the PLC and the cell go on for a moment."""

    def until(self, fulfilled: Callable[[], bool], within_s: float) -> None:
        """Let them go on until something is so."""
        begun_s = self.cell.time_s
        while not fulfilled():
            state, fault = self.cell[f"{CHANGER}.State"], self.cell[f"{CHANGER}.FaultText"]
            late = f"not within {within_s:g} s: {self.outputs}, {state} {fault}"
            assert self.cell.time_s - begun_s < within_s, late
            self.cycle()

"""The one list of a cell's signals: every name, unit and type outside the simulation comes from it.

A tick's row of float64 has one column a signal. Strings are stored as codes: the value is an
index into the signal's `texts`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class Kind(StrEnum):
    """Type of a signal's value, as OPC UA calls it."""

    BOOLEAN = "Boolean"
    INT32 = "Int32"
    UINT16 = "UInt16"
    DOUBLE = "Double"
    STRING = "String"


WHOLE = {  # kinds of whole numbers: the least and the greatest
    Kind.INT32: (-(2**31), 2**31 - 1),
    Kind.UINT16: (0, 2**16 - 1),
}


class Direction(StrEnum):
    """Who decides a signal: the controller, whoever breaks something on purpose, or the cell."""

    COMMAND = "command"
    FAULT = "fault"
    FEEDBACK = "feedback"


Declared = tuple[str, Kind, str, str]  # quantity, kind, unit, description


def lever_range(limits: tuple[float, float] | None) -> tuple[float, float]:
    """Between which values a lever of such limits means something; one without is a switch."""
    return limits or (0.0, 1.0)


@dataclass(frozen=True)
class Signal:
    """One column of a row."""

    name: str  # <object>.<quantity>[.<component>]
    column: int
    kind: Kind
    unit: str  # SI, "" for none
    direction: Direction
    description: str
    texts: tuple[str, ...] = ()  # what its codes mean, if they have a meaning: always of a String
    limits: tuple[float, float] | None = None  # least and greatest number, where there are
    by_hand: bool = False  # of a lever: no fault, but what a person does at a device

    def value(self, number: float) -> bool | int | float | str:
        """What a number in this column means."""
        if self.kind is Kind.DOUBLE:
            return float(number)
        if self.kind is Kind.BOOLEAN:
            return bool(number)
        if self.kind in WHOLE:
            return int(number)
        return self.texts[int(number)]


class SignalTable:
    """All signals of a cell, in the order of a row's columns."""

    def __init__(self, signals: Iterable[Signal]) -> None:
        self._signals = tuple(signals)

    def __iter__(self) -> Iterator[Signal]:
        return iter(self._signals)

    def __len__(self) -> int:
        return len(self._signals)

    def __getitem__(self, name: str) -> Signal:
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    @cached_property
    def by_name(self) -> Mapping[str, Signal]:
        return {signal.name: signal for signal in self._signals}

    @cached_property
    def commands(self) -> tuple[Signal, ...]:
        """Signals that a controller sets; they stand first in a row, so column = number."""
        return self._of(Direction.COMMAND)

    @cached_property
    def faults(self) -> tuple[Signal, ...]:
        """Levers that break something: 0 while the fault is not there; behind the commands."""
        return self._of(Direction.FAULT)

    @cached_property
    def latched(self) -> tuple[Signal, ...]:
        """What a tick latches at its start: commands, then fault levers; column = number."""
        return self.commands + self.faults

    def _of(self, direction: Direction) -> tuple[Signal, ...]:
        return tuple(s for s in self._signals if s.direction is direction)

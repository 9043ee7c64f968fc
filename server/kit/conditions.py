"""What a signal is to be: a value, or above, below or between bounds; and by how much it is.

    margin of `above = a`             value - a
    margin of `below = b`             b - value
    margin of `between = [a, b]`      min(value - a, b - value)

A margin below 0 says by how much a condition is missed. Texts, Booleans and whole numbers that are
to have one value have no margin: they have it or they do not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from twincell.server.kit.samples import Floats
from twincell.server.kit.traces import Trace, Value
from twincell.sim.spec.problems import number

Bools = npt.NDArray[np.bool_]
BOUNDS = ("above", "below", "between")


@dataclass(frozen=True)
class Condition:
    """What one signal is to be; several bounds hold together."""

    signal: str
    equals: Any = None  # a value, or something that knows what is equal to it, as pytest.approx
    differs: Value | None = None
    above: float | None = None
    below: float | None = None
    between: tuple[float, float] | None = None
    fulfils: Callable[[Any], bool] | None = None

    def holds(self, trace: Trace) -> Bools:
        """In which ticks it holds."""
        met = np.ones(len(trace), dtype=bool)
        if self.equals is not None:
            met &= _each(trace, lambda value: bool(value == self.equals))
        if self.differs is not None:
            met &= _each(trace, lambda value: bool(value != self.differs))
        if self.fulfils is not None:
            met &= _each(trace, self.fulfils)
        if self.above is not None:
            met &= trace.numbers > self.above
        if self.below is not None:
            met &= trace.numbers < self.below
        if self.between is not None:
            met &= (trace.numbers >= self.between[0]) & (trace.numbers <= self.between[1])
        return met

    def margins(self, numbers: Floats) -> Floats | None:
        """How far inside its bounds each number is; None where there are no bounds."""
        room = []
        if self.above is not None:
            room.append(numbers - self.above)
        if self.below is not None:
            room.append(self.below - numbers)
        if self.between is not None:
            room += [numbers - self.between[0], self.between[1] - numbers]
        return np.min(room, axis=0) if room else None

    @property
    def bounds(self) -> list[float]:
        """The bounds, to be drawn as lines."""
        found = [self.above, self.below, *(self.between or ())]
        return [bound for bound in found if bound is not None]

    def wanted(self, unit: str = "") -> str:
        """What the signal is to be, in words."""
        unit = f" {unit}" if unit else ""
        parts = []
        if self.equals is not None:
            parts.append(shown(self.equals, unit))
        if self.differs is not None:
            parts.append(f"not {shown(self.differs, unit)}")
        if self.fulfils is not None:
            parts.append(f"as {getattr(self.fulfils, '__name__', 'asked')} wants it")
        if self.above is not None:
            parts.append(f"above {number(self.above)}{unit}")
        if self.below is not None:
            parts.append(f"below {number(self.below)}{unit}")
        if self.between is not None:
            low, high = self.between
            parts.append(f"between {number(low)} and {number(high)}{unit}")
        return " and ".join(parts)

    def __str__(self) -> str:
        return f"{self.signal} {self.wanted()}"


def condition_of(signal: str, wanted: Any = None, **bounds: Any) -> Condition:
    """A condition as it is written: a value, a table of bounds, a function, or bounds."""
    if isinstance(wanted, Mapping):
        bounds, wanted = {**wanted, **bounds}, None
    if "between" in bounds and bounds["between"] is not None:
        low, high = bounds["between"]
        bounds["between"] = (float(low), float(high))
    differs = bounds.pop("not", None)
    unknown = bounds.keys() - set(BOUNDS)
    if unknown:
        raise TypeError(f"{signal}: no condition is called {', '.join(sorted(unknown))}")
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    if callable(wanted):
        return Condition(signal, fulfils=wanted, differs=differs, **given)
    if wanted is None and differs is None and not given:
        raise TypeError(f"{signal}: say what it is to be: a value, above=, below= or between=")
    return Condition(signal, equals=wanted, differs=differs, **given)


def conditions_of(
    wanted: str | Mapping[str, Any], value: Any = None, **bounds: Any
) -> list[Condition]:
    """One condition, or several of a table: signals and what each is to be."""
    if isinstance(wanted, str):
        return [condition_of(wanted, value, **bounds)]
    return [condition_of(signal, one) for signal, one in wanted.items()]


def shown(value: Any, unit: str = "") -> str:
    """A value as a person reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value + 0.0:.6g}{unit}"  # no -0
    if isinstance(value, int):
        return f"{value}{unit}"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _each(trace: Trace, test: Callable[[Any], bool]) -> Bools:
    """Ask of every value once, not of every tick: most signals change seldom."""
    different, place = np.unique(trace.numbers, return_inverse=True)
    met = np.array([bool(test(trace.value(float(one)))) for one in different], dtype=bool)
    return met[place] if len(different) else np.zeros(0, dtype=bool)

"""Signals that belong together: a pose, a vector, a quaternion, a list with a number a joint.

They are found by their names, so that a new signal needs no change here: signals that stand side by
side in a row, are called the same up to the last dot, and have one of these last parts:

    X Y Z          3DVector            Tool1.Force
    X Y Z A B C    3DFrame             Tool1.Pose
    W X Y Z        Double[4]           Tool1.Quaternion
    1 2 .. n       array of n          Robot1.JointPosition, Robot1.Overload
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from twincell.server.opcua.space.layout import (
    BOOLEAN,
    DOUBLE,
    FRAME,
    INT32,
    TEXT,
    UINT16,
    VECTOR,
    Layout,
    array,
)
from twincell.sim.signals import Direction, Kind, Signal

LAYOUTS = {
    Kind.BOOLEAN: BOOLEAN,
    Kind.INT32: INT32,
    Kind.UINT16: UINT16,
    Kind.DOUBLE: DOUBLE,
    Kind.STRING: TEXT,
}
QUATERNION = ("W", "X", "Y", "Z")
STRUCTURES = {("X", "Y", "Z"): VECTOR, ("X", "Y", "Z", "A", "B", "C"): FRAME}


@dataclass(frozen=True)
class Group:
    """Signals that are one value together; a single signal is a group of its own."""

    name: str
    layout: Layout
    signals: tuple[Signal, ...]
    is_counted: bool = False  # its parts are numbered: how many there are differs among robots

    @property
    def is_single(self) -> bool:
        return len(self.signals) == 1 and self.signals[0].name == self.name

    @property
    def is_command(self) -> bool:
        return all(signal.direction is Direction.COMMAND for signal in self.signals)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(signal.column for signal in self.signals)

    @property
    def unit(self) -> str:
        """The unit that all its signals have; "" if they differ."""
        units = {signal.unit for signal in self.signals}
        return units.pop() if len(units) == 1 else ""

    @property
    def limits(self) -> tuple[float, float] | None:
        """Between which numbers all of them stay; None if nobody knows, or their units differ."""
        all_limits = [signal.limits for signal in self.signals]
        known = [limits for limits in all_limits if limits is not None]
        if len(known) < len(all_limits) or len({signal.unit for signal in self.signals}) > 1:
            return None
        return min(least for least, _ in known), max(most for _, most in known)

    @property
    def description(self) -> str:
        """What its signals' descriptions share: "Where joint k is"."""
        words = [signal.description.split(" ") for signal in self.signals]
        if len({len(sentence) for sentence in words}) > 1:
            return self.signals[0].description
        return " ".join(
            same[0] if len(set(same)) == 1 else "k" for same in zip(*words, strict=True)
        )


def last_part(name: str) -> str:
    """What stands behind the last dot."""
    return name.rpartition(".")[2]


def find_groups(signals: Iterable[Signal]) -> list[Group]:
    """The groups among the signals of one object, in their order."""
    groups = []
    for stem, same in groupby(signals, key=lambda signal: signal.name.rpartition(".")[0]):
        found = list(same)
        layout = _layout_of(found) if "." in stem else None
        if layout is None:
            groups += [single(signal) for signal in found]
        else:
            counted = last_part(found[0].name) == "1"
            groups.append(Group(stem, layout, tuple(found), counted))
    return groups


def single(signal: Signal) -> Group:
    """A signal by itself."""
    return Group(signal.name, LAYOUTS[signal.kind], (signal,))


def _layout_of(signals: list[Signal]) -> Layout | None:
    """How these signals form one value; None if they do not."""
    kinds = {signal.kind for signal in signals}
    parts = tuple(last_part(signal.name) for signal in signals)
    if len(kinds) > 1 or Kind.STRING in kinds:
        return None
    if kinds == {Kind.DOUBLE} and parts in STRUCTURES:
        return STRUCTURES[parts]
    counted = tuple(str(k + 1) for k in range(len(signals)))
    if parts == counted or (kinds == {Kind.DOUBLE} and parts == QUATERNION):
        return array(LAYOUTS[signals[0].kind], len(signals))
    return None

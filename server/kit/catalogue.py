"""The signals of a cell as its server lists them: what a test may set, read and trace."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from asyncua import ua

from twincell.server.client.mistake import Mistake
from twincell.server.client.nodes import CELL, facts_of
from twincell.server.client.session import Session, value_of
from twincell.server.client.tree import TAKES, tree_below
from twincell.sim.signals import lever_range
from twincell.sim.spec.problems import nearest

# values that do not come from a tick, or that say again what others say
NOT_TRACED = ("Bulk.", "Cell.", "Simulation.")
INJECT_FAULT, CLEAR_FAULTS = "Simulation.InjectFault", "Simulation.ClearFaults"
FAULT = ".Fault."  # in the name of a fault lever
RANGE = ".EURange"
CLOCK = ("Simulation.Tick", "Simulation.Time")


class Kind(StrEnum):
    """What the values of a signal are."""

    BOOLEAN = "Boolean"
    WHOLE = "whole number"
    NUMBER = "number"
    TEXT = "text"


KINDS = {
    ua.ObjectIds.Boolean: Kind.BOOLEAN,
    ua.ObjectIds.Int32: Kind.WHOLE,
    ua.ObjectIds.UInt16: Kind.WHOLE,
    ua.ObjectIds.Int64: Kind.WHOLE,
    ua.ObjectIds.Double: Kind.NUMBER,
    ua.ObjectIds.String: Kind.TEXT,
}


@dataclass(frozen=True)
class SignalFacts:
    """What a signal is."""

    name: str
    kind: Kind
    unit: str
    is_command: bool  # we may set it
    description: str
    data_type: ua.NodeId
    range: tuple[float, float]  # between which it stays, as its server says; a switch: 0 and 1


class Catalogue(Mapping[str, SignalFacts]):
    """All signals by name, and the methods that can be called."""

    def __init__(
        self, signals: list[SignalFacts], methods: Mapping[str, list[ua.Argument]]
    ) -> None:
        self._by_name = {signal.name: signal for signal in signals}
        self.methods = methods  # and what each of them takes
        self._handles = {name: place for place, name in enumerate(self._by_name)}

    def __getitem__(self, name: str) -> SignalFacts:
        if name not in self._by_name:
            raise unknown(name, self)
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def handle(self, name: str) -> int:
        """Its place in the list."""
        return self._handles[self[name].name]

    @property
    def commands(self) -> list[str]:
        """Names of the signals that we may set."""
        return [name for name, signal in self._by_name.items() if signal.is_command]

    @property
    def levers(self) -> list[str]:
        """Names of the fault levers."""
        return [name for name in self._by_name if FAULT in name]

    @property
    def robots(self) -> list[str]:
        """Names of the robots: they can be moved."""
        ending = ".MoveLinear"
        return [name.removesuffix(ending) for name in self.methods if name.endswith(ending)]


async def catalogue_of(session: Session) -> Catalogue:
    """Ask a server for everything that is in its cell."""
    if not session.has_cell:
        raise Mistake("that server has no twincell cell", "start one with 'twincell run CELL'")
    cell = await tree_below(session, session.node_id(CELL))
    methods: dict[str, list[ua.Argument]] = {}
    names: list[str] = []
    for _, branch in cell.walk():
        name = session.name_of(branch.node)
        if branch.node_class == ua.NodeClass.Method:
            takes = await session.read([branch.about[TAKES]] if TAKES in branch.about else [])
            methods[name] = [argument for one in takes for argument in value_of(one) or ()]
        elif branch.node_class == ua.NodeClass.Variable and _is_traced(name):
            names.append(name)
    # a constant has no time of its own: it belongs to no tick
    values = await session.read([session.node_id(name) for name in names])
    ranges = _ranges(names, values)
    names = [name for name, value in zip(names, values, strict=True) if value.SourceTimestamp]
    signals = [
        SignalFacts(
            one.name,
            KINDS[one.data_type.Identifier],
            one.unit,
            one.is_writable,
            one.description,
            one.data_type,
            lever_range(ranges.get(one.name)),
        )
        for one in await facts_of(session, names)
        if one.value_rank < 0 and one.data_type.Identifier in KINDS
    ]
    return Catalogue(signals, methods)


def _ranges(names: list[str], values: Sequence[ua.DataValue]) -> dict[str, tuple[float, float]]:
    """What is said about variables by their EURange."""
    found = {
        name.removesuffix(RANGE): value_of(value)
        for name, value in zip(names, values, strict=True)
        if name.endswith(RANGE)
    }
    return {name: (one.Low, one.High) for name, one in found.items()}


def _is_traced(name: str) -> bool:
    return name in CLOCK or not name.startswith(NOT_TRACED)


def unknown(name: str, catalogue: Catalogue) -> Mistake:
    """What to say about a signal that is not there."""
    return Mistake(f"there is no signal {name}", hint_at(name, list(catalogue)))


def hint_at(name: str, known: list[str]) -> str:
    """The signal that was probably meant: the object first, as all objects have alike signals."""
    wanted_object, _, quantity = name.partition(".")
    objects = list(dict.fromkeys(one.partition(".")[0] for one in known))
    meant = nearest(wanted_object, objects)
    own = [one for one in known if meant and one.startswith(f"{meant}.")]
    near = nearest(quantity, [one.partition(".")[2] for one in own]) if quantity else None
    if near:
        return f"did you mean {meant}.{near}?"
    if own:
        return f"{meant} has {', '.join(own[:12])}{', ...' if len(own) > 12 else ''}"
    return f"its objects are {', '.join(objects[:24])}{', ...' if len(objects) > 24 else ''}"

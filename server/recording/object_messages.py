"""Rows as JSON messages, one topic an object: what Foxglove and PlotJuggler plot as it is.

The topic of Tool1 is /Tool1, and its signals are nested by their names, so a signal is found under
its own name: /Tool1.Pose.X. Every message also has the tick and the simulated time.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from twincell.server.offline import time_of
from twincell.server.recording.mcap_file import McapFile
from twincell.sim.signals import Kind, Signal

TYPES = {
    Kind.BOOLEAN: "boolean",
    Kind.INT32: "integer",
    Kind.UINT16: "integer",
    Kind.DOUBLE: "number",
    Kind.STRING: "string",
}
ITSELF = "value"  # of a signal whose name is also the beginning of others

Write = Callable[[float], str]


class ObjectMessages:
    """Topics for some signals in a file; `digits` of a number are kept, or all of them."""

    def __init__(
        self, file: McapFile, signals: Iterable[Signal], step_s: float, digits: int | None = None
    ) -> None:
        self._file = file
        self._step_s = step_s
        self._number = _plain if digits is None else _short(digits)
        by_object: dict[str, list[Signal]] = {}
        for signal in signals:
            by_object.setdefault(signal.name.partition(".")[0], []).append(signal)
        self._topics = [self._topic(name, members) for name, members in by_object.items()]

    def add(self, tick: int, time_ns: int, row: list[float]) -> None:
        """A message for each object, from a row of all signals."""
        begin = f'{{"tick":{tick},"time":{time_of(tick, self._step_s)!r}'
        for channel, template, members in self._topics:
            values = tuple(write(row[column]) for column, write in members)
            self._file.add_message(channel, time_ns, (begin + template % values).encode())

    def _topic(self, name: str, members: list[Signal]) -> tuple[int, str, list[tuple[int, Write]]]:
        """Its channel, how its messages look after tick and time, and what goes into them."""
        tree = _tree(members)
        properties = {"tick": {"type": "integer"}, "time": {"type": "number"}} | _properties(tree)
        schema = {"title": name, "type": "object", "properties": properties}
        number = self._file.add_schema(name, "jsonschema", json.dumps(schema).encode())
        channel = self._file.add_channel(f"/{name}", "json", number)
        written = [(signal.column, self._write(signal)) for signal in _leaves(tree)]
        return channel, f",{_template(tree)[1:]}", written

    def _write(self, signal: Signal) -> Write:
        if signal.kind is Kind.DOUBLE:
            return self._number
        if signal.kind is Kind.STRING:
            texts = [json.dumps(text) for text in signal.texts]
            return lambda number: texts[int(number)]
        if signal.kind is Kind.BOOLEAN:
            return lambda number: "true" if number else "false"
        return lambda number: str(int(number))


Tree = dict[str, Any]  # of signals


def _tree(signals: list[Signal]) -> Tree:
    """The signals of an object, nested by their names."""
    tree: Tree = {}
    for signal in signals:
        *path, last = signal.name.split(".")[1:]
        place = tree
        for part in path:
            inner = place.setdefault(part, {})
            if isinstance(inner, Signal):
                inner = place[part] = {ITSELF: inner}
            place = inner
        if isinstance(place.get(last), dict):
            place[last][ITSELF] = signal
        else:
            place[last] = signal
    return tree


def _leaves(tree: Tree) -> Iterator[Signal]:
    for part in tree.values():
        if isinstance(part, Signal):
            yield part
        else:
            yield from _leaves(part)


def _template(tree: Tree) -> str:
    """The JSON text of an object, with a place for each value."""
    parts = (
        f"{json.dumps(name)}:{'%s' if isinstance(part, Signal) else _template(part)}"
        for name, part in tree.items()
    )
    return f"{{{','.join(parts)}}}"


def _properties(tree: Tree) -> dict[str, Any]:
    """The same, as JSON schema."""
    return {
        name: {"type": TYPES[part.kind], "description": _described(part)}
        if isinstance(part, Signal)
        else {"type": "object", "properties": _properties(part)}
        for name, part in tree.items()
    }


def _described(signal: Signal) -> str:
    return f"{signal.description} [{signal.unit}]" if signal.unit else signal.description


def _plain(number: float) -> str:
    """All digits; JSON knows no infinity, and nothing that is no number."""
    return repr(number) if math.isfinite(number) else "null"


def _short(digits: int) -> Write:
    form = f"%.{digits}g"
    return lambda number: form % number if math.isfinite(number) else "null"

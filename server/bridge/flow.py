"""One direction: what a subscription brings is converted, and what has changed is written.

Commands go one by one: a value that changes twice within one message is written twice, so that no
pulse is lost. Of feedback only the newest value counts.

The status goes along with feedback: Bad here becomes Bad at the controller, if that takes a status.
A Bad value of the controller is told, and leaves our last command as it is.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from asyncua import ua

from twincell.server.bridge.peer import AT_ONCE
from twincell.server.bridge.route import Route
from twincell.server.bridge.telling import Telling
from twincell.server.bridge.wire import Unfit, Value, variant_of, word_of
from twincell.server.client.session import Session, status_of, value_of

AGAIN_S = 1.0  # after which a refused value is tried again
MOST_WAITING = 64  # requests that wait for a slow server; beyond, the newest values count; chosen

VALUE, WRITING = "value", "writing"  # what can be wrong with a wire
KEEPS = "it keeps the last good value: watch Simulation.Tick there to notice"
GOOD = ua.StatusCode()
REMEDIES = {
    ua.StatusCodes.BadNotWritable: "make the node writable, in the controller's project",
    ua.StatusCodes.BadUserAccessDenied: "let our user write it, in the controller's project",
    ua.StatusCodes.BadTypeMismatch: "the node's type has changed? twincell bridge check tells",
    ua.StatusCodes.BadOutOfRange: "choose scale and offset so that it fits",
    ua.StatusCodes.BadNodeIdUnknown: "the node has gone: twincell bridge check tells",
    ua.StatusCodes.BadInvalidState: "the cell has a fault: Simulation.Fault says why",
    ua.StatusCodes.BadNoCommunication: "the real-time process is down: it is started again",
}


class _Output(NamedTuple):
    """What a sink shall have."""

    variant: ua.Variant
    status: ua.StatusCode

    @property
    def written(self) -> ua.DataValue:
        # a good value goes without status and times: some servers take it only so
        return ua.DataValue(self.variant, None if self.status.is_good() else self.status)


class Flow:
    """The routes of one direction, between two sessions."""

    def __init__(
        self,
        is_command: bool,
        sink: Session,
        telling: Telling,
        count: Callable[[int], None],
    ) -> None:
        self._is_command = is_command
        self._by_source: dict[ua.NodeId, list[Route]] = {}
        self._by_sink: dict[ua.NodeId, list[Route]] = {}
        self._sink = sink
        self._telling = telling
        self._count = count
        self._latest: dict[Route, tuple[Value | None, ua.StatusCode]] = {}
        self._wanted: dict[ua.NodeId, _Output] = {}
        self._waiting: deque[dict[ua.NodeId, _Output]] = deque()
        self._refused: set[ua.NodeId] = set()
        self._again_at_s: float | None = None  # when they are tried again
        self._heard: dict[ua.NodeId, ua.DataValue] = {}  # the newest of each source
        self._answered: set[ua.NodeId] = set()  # sinks that have taken or refused one
        self._news = asyncio.Event()

    def add(self, routes: Sequence[Route]) -> None:
        """Carry more; what was heard already goes over these as well."""
        for route in routes:
            self._by_source.setdefault(route.source, []).append(route)
            self._by_sink.setdefault(route.sink, []).append(route)
        heard = {route.source for route in routes} & self._heard.keys()
        self.take([(source, self._heard[source]) for source in heard])

    @property
    def sources(self) -> list[ua.NodeId]:
        return list(self._by_source)

    @property
    def routes(self) -> list[Route]:
        return [route for routes in self._by_source.values() for route in routes]

    @property
    def unheard(self) -> list[Route]:
        """Routes whose source has not sent any value."""
        return [route for route in self.routes if route.source not in self._heard]

    @property
    def is_answered(self) -> bool:
        """Whether every sink has taken or refused what it shall have."""
        return self._wanted.keys() <= self._answered

    def take(self, changes: Iterable[tuple[ua.NodeId, ua.DataValue]]) -> None:
        """Take note of the changes that came in one message, in their order."""
        touched: dict[ua.NodeId, None] = {}
        seen: set[ua.NodeId] = set()
        for source, found in changes:
            if source in seen and self._is_command:
                self._put(touched)
                touched, seen = {}, set()
            seen.add(source)
            self._heard[source] = found
            for route in self._by_source.get(source, ()):
                if self._note(route, found):
                    touched[route.sink] = None
        self._put(touched)

    def write_all_again(self) -> None:
        """Our side has forgotten everything: it was put back."""
        self._waiting.append(dict(self._wanted))
        self._news.set()

    async def write_on(self) -> None:
        """Write what is waiting, for ever; raises what breaks the connection."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._again_at_s):
                    await self._news.wait()
            self._news.clear()
            if self._again_at_s is not None and _now_s() >= self._again_at_s:
                self._again_at_s = None
                self._waiting.append({sink: self._wanted[sink] for sink in self._refused})
            while self._waiting:
                outputs = list(self._waiting.popleft().items())
                for first in range(0, len(outputs), AT_ONCE):
                    await self._write(outputs[first : first + AT_ONCE])

    def _note(self, route: Route, found: ua.DataValue) -> bool:
        """Whether a value can be carried; what cannot is told."""
        wire, status = route.wire, status_of(found)
        if status.is_bad() and wire.is_command:
            problem = f"the controller's value is {status.name}: the last command stays"
            self._telling.problem(wire, VALUE, problem, "see why it is Bad there")
            return False
        try:
            if status.is_bad():
                # the last value, or none, with the status that tells not to trust it
                value = self._latest.get(route, (None, status))[0]
            else:
                value = wire.carried(value_of(found))
                variant_of(value, route.type)  # has it room?
        except Unfit as unfit:
            self._telling.problem(wire, VALUE, f"{unfit}: the last value stays", unfit.remedy)
            return False
        self._latest[route] = value, status
        self._telling.works(wire, VALUE)
        return True

    def _put(self, sinks: Iterable[ua.NodeId]) -> None:
        """Let what has changed be written."""
        changed: dict[ua.NodeId, _Output] = {}
        for sink in sinks:
            output = self._output(sink)
            if output is not None and output != self._wanted.get(sink):
                self._wanted[sink] = changed[sink] = output
        if not changed:
            return
        is_full = len(self._waiting) >= MOST_WAITING
        if self._waiting and (is_full or not self._is_command):
            self._waiting[-1].update(changed)
        else:
            self._waiting.append(changed)
        self._news.set()

    def _output(self, sink: ua.NodeId) -> _Output | None:
        """What a sink shall have now; None until it is known, of a word every bit of it."""
        routes = self._by_sink[sink]
        latest = [self._latest.get(route, (None, GOOD)) for route in routes]
        values = [value for value, _ in latest if value is not None]
        if len(values) < len(routes):
            return None
        bad = (status for _, status in latest if not status.is_good())
        status = GOOD if self._is_command else next(bad, GOOD)
        first = routes[0]
        if self._is_command or first.wire.bit is None:
            return _Output(variant_of(values[0], first.type), status)
        bits = {
            route.wire.bit: bool(value)
            for route, value in zip(routes, values, strict=True)
            if route.wire.bit is not None
        }
        return _Output(word_of(bits, first.type), status)

    async def _write(self, outputs: Sequence[tuple[ua.NodeId, _Output]]) -> None:
        nodes = [sink for sink, _ in outputs]
        values = [output.written for _, output in outputs]
        answers = await self._sink.client.uaclient.write_attributes(nodes, values)
        self._answered.update(nodes)
        taken = 0
        for (sink, output), answer in zip(outputs, answers, strict=True):
            wires = [route.wire for route in self._by_sink[sink]]
            if not answer.is_bad():
                taken += 1
                self._refused.discard(sink)
                for wire in wires:
                    self._telling.works(wire, WRITING)
            elif not output.status.is_good():
                problem = f"is {output.status.name} here, which the controller does not take"
                for wire in wires:
                    self._telling.problem(wire, WRITING, f"{problem} ({answer.name})", KEEPS)
            else:
                self._refused.add(sink)
                remedy = REMEDIES.get(answer.value, "see what the controller's log says")
                for wire in wires:
                    self._telling.problem(wire, WRITING, f"refused: {answer.name}", remedy)
        if not self._refused:
            self._again_at_s = None
        elif self._again_at_s is None:
            self._again_at_s = _now_s() + AGAIN_S
        self._count(taken)


def _now_s() -> float:
    """On the clock of timeout_at."""
    return asyncio.get_running_loop().time()

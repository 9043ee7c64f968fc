"""A connection to a cell that ordinary, waiting code can use.

asyncua lives in an event loop, which runs here in a thread of its own: tests are written as they
are read, one line after the other, and run under any test runner.
"""

import asyncio
import threading
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from asyncua import ua
from asyncua.ua.ua_binary import variant_to_binary

from twincell.server.client.login import Login
from twincell.server.client.mistake import Mistake
from twincell.server.client.session import Session, connected, status_of, value_of
from twincell.server.kit.catalogue import Catalogue, Kind, catalogue_of, unknown
from twincell.server.kit.watching import Watching
from twincell.sim.spec.problems import did_you_mean

HANG_S = 120.0  # wall clock; chosen: nothing that works takes so long
ANSWER_S = 30.0  # the same for one answer, half a session's time-out: a busy machine fails no test
AWAKE_S = 60.0  # how often an idle subscription shows that its client is there
NAME = "twincell test"

Result = TypeVar("Result")


class Connection:
    """One client's session, with everything that it hears about the cell."""

    def __init__(
        self, url: str, login: Login | None = None, fetch_every_s: float = AWAKE_S
    ) -> None:
        self.url = url
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._stack = AsyncExitStack()
        self._fetching: asyncio.Task[None] | None = None
        try:
            self.session: Session = self.ask(
                self._stack.enter_async_context(connected(url, NAME, login, ANSWER_S))
            )
            self.catalogue: Catalogue = self.ask(catalogue_of(self.session))
            self.watching = Watching(self.session, self.catalogue)
            self.ask(self.watching.begin())
            self.ask(self._fetch_from_time_to_time(fetch_every_s))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the session and the thread."""
        try:
            if self._fetching is not None:
                self._loop.call_soon_threadsafe(self._fetching.cancel)
            self.ask(self._stack.aclose())
        except (OSError, TimeoutError, ua.UaError):
            pass  # the server is gone already
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def ask(self, work: Awaitable[Result]) -> Result:
        """Do it, and wait until it is done."""
        future = asyncio.run_coroutine_threadsafe(_coroutine(work), self._loop)
        try:
            return future.result(HANG_S)
        except TimeoutError:
            future.cancel()
            raise ConnectionError(f"{self.url}: does not answer") from None

    async def _fetch_from_time_to_time(self, every_s: float) -> None:
        async def fetch_for_ever() -> None:
            while True:
                await asyncio.sleep(every_s)
                await self.watching.fetch()

        self._fetching = asyncio.create_task(fetch_for_ever())

    def check_alive(self) -> None:
        """Raise what went wrong while nobody waited."""
        if self._fetching is not None and self._fetching.done() and not self._fetching.cancelled():
            error = self._fetching.exception()
            if error is not None:
                raise error

    # ---------------------------------------------------------------- the cell

    def read(self, names: Sequence[str]) -> list[Any]:
        """Values of nodes, all of the same tick."""
        nodes = [self.session.node_id(name) for name in names]
        answers = self.ask(self.session.read(nodes))
        for name, answer in zip(names, answers, strict=True):
            status = status_of(answer)
            if status.value == ua.StatusCodes.BadNodeIdUnknown:
                raise unknown(name, self.catalogue)
            # a sensor that failed has a value: what its wire shows
            if status.is_bad() and status.value != ua.StatusCodes.BadSensorFailure:
                raise Mistake(f"{name}: has no value: {status.name}")
        return [value_of(answer) for answer in answers]

    def write(self, values: Mapping[str, Any]) -> None:
        """Set commands in one request: they take effect in the same tick."""
        if not values:
            return
        written = [ua.DataValue(self._variant(name, value)) for name, value in values.items()]
        nodes = [self.session.node_id(name) for name in values]
        statuses = self.ask(self.session.client.uaclient.write_attributes(nodes, written))
        for (name, value), status in zip(values.items(), statuses, strict=True):
            if not status.is_good():
                problem = f"{name} = {value!r}: was refused: {status.name}"
                raise Mistake(problem, status.doc)

    def call(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method with plain values; what it gives back."""
        if method not in self.catalogue.methods:
            hint = did_you_mean(method, sorted(self.catalogue.methods))
            raise Mistake(f"there is no method {method}", hint)
        takes = self.catalogue.methods[method]
        if len(arguments) != len(takes):
            wanted = ", ".join(argument.Name for argument in takes) or "nothing"
            raise Mistake(f"{method}: {len(arguments)} arguments are given", f"it takes {wanted}")
        owner = method.rpartition(".")[0]
        request = ua.CallMethodRequest(
            self.session.node_id(owner),
            self.session.node_id(method),
            [argument_of(*pair) for pair in zip(takes, arguments, strict=True)],
        )
        (result,) = self.ask(self.session.client.uaclient.call([request]))
        if not result.StatusCode.is_good():
            raise Mistake(f"{method}: was refused: {result.StatusCode.name}", result.StatusCode.doc)
        return [one.Value for one in result.OutputArguments or []]

    def _variant(self, name: str, value: Any) -> ua.Variant:
        """A value as the command wants it; a mistake says what it wants."""
        signal = self.catalogue[name]
        if not signal.is_command:
            commands = [
                one for one in self.catalogue.commands if one.startswith(name.split(".")[0])
            ]
            hint = f"commands are {', '.join(commands[:12])}" if commands else "it has no commands"
            raise Mistake(f"{name} is not a command: the cell decides it itself", hint)
        if not is_of(signal.kind, value):
            raise Mistake(f"{name}: {value!r} is no {signal.kind.value}", WANTED[signal.kind])
        plain = float(value) if signal.kind is Kind.NUMBER else value
        return ua.Variant(plain, ua.VariantType(signal.data_type.Identifier))


WANTED = {
    Kind.BOOLEAN: "true or false is wanted",
    Kind.WHOLE: "a whole number is wanted",
    Kind.NUMBER: "a number is wanted",
    Kind.TEXT: "a text is wanted",
}


def is_of(kind: Kind, value: object) -> bool:
    """Whether a value can be one of a kind of signal."""
    if kind is Kind.BOOLEAN or isinstance(value, bool):
        return kind is Kind.BOOLEAN and isinstance(value, bool)
    if kind is Kind.TEXT:
        return isinstance(value, str)
    return isinstance(value, int) or (kind is Kind.NUMBER and isinstance(value, float))


def argument_of(wanted: ua.Argument, value: Any) -> ua.Variant:
    """A value as a method wants it; a Mistake when it cannot be that."""
    if isinstance(value, ua.Variant):
        return value
    type_ = ua.VariantType(wanted.DataType.Identifier)
    try:
        if type_ is ua.VariantType.Double:
            value = [float(one) for one in value] if isinstance(value, list) else float(value)
        variant = ua.Variant(value, type_, is_array=isinstance(value, list))
        variant_to_binary(variant)  # a number that its type has no room for
    except (ValueError, TypeError, ua.UaError):
        described = wanted.Description.Text or f"a {type_.name} is wanted"
        raise Mistake(f"{wanted.Name} cannot be {value!r}", described) from None
    return variant


async def _coroutine(work: Awaitable[Result]) -> Result:
    return await work

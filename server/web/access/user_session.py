"""A visitor's own connection to the OPC UA server: what he does, he does with his own rights.

It is made when it is first needed, made again when the server was restarted, and ended when no
page of the visitor is open any more: then the cell knows that nobody commands it from here.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import Any

from asyncua import ua

from twincell.server.client.login import Login
from twincell.server.client.mistake import Mistake
from twincell.server.client.session import Session, connected
from twincell.sim.signals import WHOLE, Kind, Signal

REST_S = 20.0  # without a page, until the connection ends; chosen: longer than a reload takes
TYPES = {
    Kind.BOOLEAN: (ua.VariantType.Boolean, bool),
    Kind.INT32: (ua.VariantType.Int32, int),
    Kind.UINT16: (ua.VariantType.UInt16, int),
    Kind.DOUBLE: (ua.VariantType.Double, float),
}
UNREACHABLE = (OSError, asyncio.TimeoutError, ua.UaError)
WORDS = {
    ua.StatusCodes.BadUserAccessDenied: "you may not do that: log in as somebody who may",
    ua.StatusCodes.BadInvalidState: "not now: the cell has stopped itself, or is not in that mode",
    ua.StatusCodes.BadNoCommunication: "the real-time process is down; it is started again",
    ua.StatusCodes.BadResourceUnavailable: "too many commands wait already",
    ua.StatusCodes.BadOutOfRange: "out of range",
    ua.StatusCodes.BadInvalidArgument: "out of range",
    ua.StatusCodes.BadTypeMismatch: "no value of that type",
    ua.StatusCodes.BadNotFound: "there is no such thing",
}


class UserSession:
    """Writes, calls and reads for one visitor."""

    def __init__(self, endpoint: str, login: Login) -> None:
        self._endpoint = endpoint
        self._login = login
        self._stack: AsyncExitStack | None = None
        self._session: Session | None = None
        self._opening = asyncio.Lock()
        self._used_s = time.monotonic()
        self._is_closed = False
        self.pages = 0  # that are open

    async def connect(self) -> Session:
        """The open connection; a Mistake says why there is none."""
        async with self._opening:
            if self._is_closed:
                raise Mistake("you are logged out", "log in again")
            self._used_s = time.monotonic()
            if self._session is not None and self._session.is_open:
                return self._session
            await self._end()
            name = f"web page of {self._login.user}" if self._login.user else "web page"
            stack = AsyncExitStack()
            try:
                opened = connected(self._endpoint, name, self._login)
                self._session = await stack.enter_async_context(opened)
            except Mistake as mistake:
                raise Mistake(str(mistake).partition(": ")[2], mistake.hint) from None
            except UNREACHABLE:
                raise Mistake("the OPC UA server does not answer", "try again") from None
            self._stack = stack
            return self._session

    async def write(self, signal: Signal, value: Any) -> None:
        """Write a command; a Mistake says why it was not taken."""
        kind, cast = TYPES[signal.kind]
        least, most = WHOLE.get(signal.kind, (value, value))
        if not least <= value <= most:
            hint = f"a whole number of {least} to {most}"
            raise Mistake(f"{signal.name}: {value:g} is out of range", hint)
        session = await self.connect()
        written = ua.DataValue(ua.Variant(cast(value), kind))
        with _told(signal.name):
            (status,) = await session.client.uaclient.write_attributes(
                [session.node_id(signal.name)], [written]
            )
            _check(signal.name, status)

    async def call(self, owner: str, method: str, *arguments: ua.Variant) -> list[Any]:
        """Call a method; what it gives back."""
        session = await self.connect()
        request = ua.CallMethodRequest(
            session.node_id(owner), session.node_id(f"{owner}.{method}"), list(arguments)
        )
        with _told(method):
            (result,) = await session.client.uaclient.call([request])
            _check(method, result.StatusCode)
        return [one.Value for one in result.OutputArguments or []]

    async def rest(self) -> None:
        """End a connection that no page needs any more."""
        if self.pages:
            self._used_s = time.monotonic()
        elif self._session is not None and time.monotonic() - self._used_s > REST_S:
            async with self._opening:
                await self._end()

    async def close(self) -> None:
        """End it for good: pages that are still open can do nothing with it any more."""
        self._is_closed = True
        async with self._opening:
            await self._end()

    async def _end(self) -> None:
        stack, self._stack, self._session = self._stack, None, None
        if stack is not None:
            with suppress(*UNREACHABLE):
                await stack.aclose()


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Turn what goes wrong on the way into words."""
    try:
        yield
    except ua.UaStatusCodeError as error:
        _check(what, ua.StatusCode(error.code))
        raise
    except UNREACHABLE:
        raise Mistake("the connection to the OPC UA server was lost", "try again") from None


def _check(what: str, status: ua.StatusCode) -> None:
    if not status.is_good():
        words = WORDS.get(status.value, f"the server refused it: {status.name}")
        raise Mistake(f"{what}: {words}")

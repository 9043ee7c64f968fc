"""Methods of the Simulation object for the recorder: start and stop.

A recording begins with a row before which the loop has noted the whole state of the cell, so that
it can be replayed from there. Then the recorder, a process of its own, is told.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any

from asyncua import ua

from twincell.server.opcua.command.arbitration import Commander, Control
from twincell.server.opcua.method.arguments import out_of_range
from twincell.server.opcua.method.methods import Method
from twincell.server.opcua.method.ordering import LOOK_AGAIN_S, PATIENCE_S, Orders
from twincell.server.realtime.limits import MOST_EVERY
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind
from twincell.server.realtime.shared.record_box import Asked, Outcome, Reply, Request

NAME, EVERY, SIGNALS = range(3)  # arguments of StartRecording

log = logging.getLogger("twincell.opcua")


class RecordingMethods:
    """What a client may tell the recorder."""

    def __init__(self, link: Link, orders: Orders, control: Control) -> None:
        self._link = link
        self._orders = orders
        self._control = control
        self._one_at_a_time = asyncio.Lock()

    def by_name(self) -> dict[str, Method]:
        """The methods, by the names of their nodes."""
        return {
            "Simulation.StartRecording": self.start,
            "Simulation.StopRecording": self.stop,
        }

    async def start(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Record into a new file; its name in the server's folder."""
        name, every, signals = arguments
        if not 1 <= every <= MOST_EVERY:
            raise out_of_range(EVERY, 3)
        self._control.check(session)
        async with self._one_at_a_time:
            # before the loop notes its state: that costs it time, and would be in the other file
            if file := self._link.recording.file:
                log.warning("recording: it records into %s already", file)
                raise ua.uaerrors.BadInvalidState
            first_row = int(await self._orders.give(Kind.RECORD))
            wanted = tuple(signal or "" for signal in signals)
            asked = Request(Asked.START, name or "", every, wanted, first_row)
            reply = await self._ask(asked)
        if reply.outcome is Outcome.BAD_NAME:
            raise out_of_range(NAME, 3)
        if reply.outcome is Outcome.BAD_SIGNALS:
            raise out_of_range(SIGNALS, 3)
        _check(reply)
        return [reply.text]

    async def stop(self, session: Commander, _: list[Any]) -> Sequence[Any]:
        """End the recording; how many rows it has."""
        self._control.check(session)
        async with self._one_at_a_time:
            _check(await self._ask(Request(Asked.STOP)))
        return [self._link.recording.rows]

    async def _ask(self, request: Request) -> Reply:
        """Tell the recorder and wait for what it says; what it refuses is logged."""
        try:
            number = self._link.recording.post(request)
        except ValueError:
            raise out_of_range(NAME, 3) from None
        end = time.monotonic() + PATIENCE_S
        while True:
            reply = self._link.recording.reply_to(number)
            if reply is not None:
                break
            if time.monotonic() > end:
                raise ua.uaerrors.BadTimeout
            await asyncio.sleep(LOOK_AGAIN_S)
        if reply.outcome is not Outcome.DONE:
            log.warning("recording: %s", reply.text)
        return reply


def _check(reply: Reply) -> None:
    if reply.outcome is Outcome.NOT_NOW:
        raise ua.uaerrors.BadInvalidState
    if reply.outcome is Outcome.EXISTS:
        raise ua.uaerrors.BadEntryExists
    if reply.outcome is not Outcome.DONE:
        raise ua.uaerrors.BadResourceUnavailable

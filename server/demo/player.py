"""Plays a script again and again, and yields as soon as somebody else commands.

It follows the cell by a subscription, as a PLC would: simulated time, whether each robot moves,
and who commands. A robot gets its next move when it is at rest, so the script may lag a little.
Each round begins with a reset; while a fault is injected it waits, as a reset would end the fault.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any

from asyncua import Node, ua

from twincell.server.client.mistake import Mistake
from twincell.server.client.robot_calls import Call
from twincell.server.client.session import Session
from twincell.server.demo.script import DemoScript, Scene

PUBLISHING_MS = 10.0
SHORTEST_MS = 1.0  # a tick of most cells; the server takes what is nearest
PAUSE_S = 2.0  # simulated, between the end of the script and its next beginning
LOOK_S = 0.2  # between two looks whether a fault is still there
LITTLE_S = 0.5  # simulated: a cell that is not older has no script to be put back from

TIME = "Simulation.Time"
CONTROL = "Cell.Control"
FAULTS = "Simulation.ActiveFaults"
LEVER = ".Fault."  # in the name of a fault that a reset ends
FREE = ("nobody", "timeline")  # who yields to us
OURS = "demo"  # the one that belongs to the cell
SOMEBODY = "somebody else"


class Yielded(Exception):
    """Somebody else commands; the text says who."""


class _StartedAnew(Exception):
    """Simulated time went back: the cell was reset, or its process was restarted."""


class Player:
    """A script on its way."""

    def __init__(
        self, session: Session, script: DemoScript, robots: Collection[str], own_name: str = OURS
    ) -> None:
        self._session = session
        self._own_name = own_name  # what the server calls us while we command
        self._script = script
        self._robots = robots
        self._signals = [TIME, CONTROL, *(f"{robot}.Moving" for robot in robots)]
        self._seen: dict[str, Any] = {}
        self._news = asyncio.Event()
        self._went_back = False
        self._has_commanded = False

    async def play(self) -> None:
        """Play for ever; raise Yielded, or what went wrong."""
        while True:
            await self._reset()
            async with self._following():
                with suppress(_StartedAnew):
                    await self._tell()

    async def _tell(self) -> None:
        for scene in self._script.scenes:
            await self._until_time(scene.at_s)
            await self._do(scene)
        await self._until_time(self._script.end_s)
        await self._until_rest(self._robots)
        await self._until_time(self._seen[TIME] + PAUSE_S)

    async def _do(self, scene: Scene) -> None:
        if scene.values:
            await self._check_control()
            await self._write(scene.values)
        if scene.calls:
            await self._until_rest([call.robot for call in scene.calls])
            await self._check_control()
            await asyncio.gather(*(self._call(call) for call in scene.calls))
            self._has_commanded = True
            # what was seen up to now may be older than the moves
            called_s = await self._session.value(TIME)
            await self._until(lambda: bool(self._seen[TIME] > called_s))

    async def _reset(self) -> None:
        """Put the cell back to its start, and see it there."""
        await self._until_repaired()
        await self._check_control()
        before_s = await self._session.value(TIME)
        await self._method("Simulation", "Simulation.Reset")
        while before_s > LITTLE_S and await self._session.value(TIME) >= before_s:
            await asyncio.sleep(0.001)

    async def _until_repaired(self) -> None:
        """Wait while somebody has broken something: a reset would repair it behind his back."""
        told = ""
        while broken := [one for one in await self._session.value(FAULTS) if LEVER in one]:
            if told != (told := ", ".join(broken)):
                print(
                    f"demo: waits before it begins again, as that would end {told};"
                    " clear the faults to see it go on",
                    flush=True,
                )
            await self._check_control()
            await asyncio.sleep(LOOK_S)

    @asynccontextmanager
    async def _following(self) -> AsyncIterator[None]:
        """Follow the cell by a subscription of its own: nothing in it is older than the reset."""
        self._seen, self._went_back = {}, False
        subscription = await self._session.client.create_subscription(PUBLISHING_MS, self)
        try:
            for name in self._signals:
                node = self._session.client.get_node(self._session.node_id(name))
                # what a robot does is never older than the time that is seen
                period_ms = PUBLISHING_MS if name == TIME else SHORTEST_MS
                await subscription.subscribe_data_change(node, sampling_interval=period_ms)
            await self._until(lambda: len(self._seen) == len(self._signals))
            yield
        finally:
            await subscription.delete()

    def datachange_notification(self, node: Node, value: Any, _: object) -> None:
        """Take note of what a publish brought; a value without a good status changes nothing."""
        name = self._session.name_of(node.nodeid)
        if value is None:
            return
        if name == TIME:
            self._went_back |= value < self._seen.get(TIME, 0.0)
        if name == CONTROL:
            # who commanded for a moment only may be gone again when we look
            was_ours = self._seen.get(CONTROL) == self._own_name
            value = SOMEBODY if was_ours and value in FREE else value
        self._seen[name] = value
        self._news.set()

    async def _until(self, fulfilled: Callable[[], bool]) -> None:
        """Wait for news until a condition is fulfilled."""
        while True:
            if self._seen.get(CONTROL, self._own_name) not in (*FREE, self._own_name):
                raise Yielded(_quoted(self._seen[CONTROL]))
            if self._went_back:
                raise _StartedAnew
            if self._seen and fulfilled():
                return
            self._news.clear()
            await self._session.unless_lost(self._news.wait())

    async def _until_time(self, at_s: float) -> None:
        await self._until(lambda: bool(self._seen[TIME] >= at_s))

    async def _until_rest(self, robots: Collection[str]) -> None:
        moving = [f"{robot}.Moving" for robot in robots]
        await self._until(lambda: not any(self._seen[name] for name in moving))

    async def _check_control(self) -> None:
        """Before a command: did somebody else command since our last one?"""
        control = await self._session.value(CONTROL)
        if control == self._own_name or (control in FREE and not self._has_commanded):
            return
        raise Yielded(_quoted(SOMEBODY if control in FREE else control))

    async def _write(self, values: dict[str, ua.Variant]) -> None:
        nodes = [self._session.node_id(name) for name in values]
        written = [ua.DataValue(value) for value in values.values()]
        statuses = await self._session.client.uaclient.write_attributes(nodes, written)
        for status in statuses:
            await self._check(status)
        self._has_commanded = True

    async def _call(self, call: Call) -> None:
        await self._method(call.robot, f"{call.robot}.{call.method}", *call.arguments)

    async def _method(self, owner: str, method: str, *arguments: ua.Variant) -> None:
        request = ua.CallMethodRequest(
            self._session.node_id(owner), self._session.node_id(method), list(arguments)
        )
        (result,) = await self._session.client.uaclient.call([request])
        await self._check(result.StatusCode)

    async def _check(self, status: ua.StatusCode) -> None:
        """Raise a Bad status; the one for a demo that may not command any more means: yield."""
        if status.value == ua.StatusCodes.BadUserAccessDenied:
            control = await self._session.value(CONTROL)
            if control in FREE and not self._has_commanded and self._own_name != OURS:
                raise Mistake("this client may not command there", "an engineer may: --user NAME")
            raise Yielded(_quoted(SOMEBODY if control in FREE else control))
        status.check()


def _quoted(control: str) -> str:
    """Who commands, with a session's name in quotes: it may be any words."""
    kind, _, name = control.partition(" ")
    return f"session {name!r}" if kind == "session" else control

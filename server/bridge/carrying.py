"""One connection at work: what can be carried is, and what cannot is looked at again.

Both sessions stay as long as the controller does: a node that appears later is added to what runs.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from asyncua import ua

from twincell.server.bridge.flow import VALUE, Flow
from twincell.server.bridge.listening import FASTEST, Changes, Listening
from twincell.server.bridge.route import Route, find_routes
from twincell.server.bridge.telling import Telling
from twincell.server.bridge.wire import Wire
from twincell.server.client.mistake import Mistake
from twincell.server.client.session import Session, value_of
from twincell.server.realtime.shared.bridge_board import BridgeState

# they count when the cell is put back, and its commands with it
PUT_BACK = ("Simulation.Resets", "Simulation.Restarts")
PUT_BACK_MS = 100.0  # how often to look at them
LOOK_S = 1.0  # between two looks at what should have happened
FIRST_S = 5.0  # how long to wait for the first value of every node; chosen
AGAIN_S = 10.0  # between two looks at nodes that could not be used
PULSES = 20  # values of one node that the controller keeps for one message; chosen
NODES = "node"

Result = TypeVar("Result")


class Carrying:
    """Values on their way, over a session with the controller and one with our own server."""

    def __init__(
        self,
        peer: Session,
        own: Session,
        wires: Sequence[Wire],
        state: BridgeState,
        telling: Telling,
    ) -> None:
        self._peer, self._own = peer, own
        self._unusable = list(wires)  # those that have no route
        self._state = state
        self._telling = telling
        self._commands = Flow(True, own, telling, partial(self._count, "received"))
        self._feedback = Flow(False, peer, telling, partial(self._count, "sent"))
        self._from_peer = Listening(self._commands.take)
        self._from_own = Listening(self._hear_own)
        self._counts: dict[ua.NodeId, int | None] = {own.node_id(name): None for name in PUT_BACK}

    async def begin(self, publishing_ms: float) -> float:
        """Subscribe to everything that can be used; how often the controller will tell [ms]."""
        await self._from_peer.begin(self._peer, publishing_ms)
        await self._from_own.begin(self._own, publishing_ms)
        await self._from_own.add(list(self._counts), PUT_BACK_MS, 1)
        await self._use()
        return self._from_peer.publishing_ms

    async def carry(self, note_up: Callable[[], None]) -> None:
        """Carry values until something breaks, which is raised; say when all is up to date."""
        await _first_to_fail(
            ours(self._own.unless_lost(self._commands.write_on())),
            self._peer.unless_lost(self._feedback.write_on()),
            self._watch(note_up),
            self._look_again(),
        )

    def _hear_own(self, changes: Changes) -> None:
        if self._was_put_back(changes):
            self._commands.write_all_again()
        self._feedback.take(changes)

    def _was_put_back(self, changes: Changes) -> bool:
        """Whether the cell was reset, restored or begun anew meanwhile."""
        before = dict(self._counts)
        for node, value in changes:
            if node in self._counts and value_of(value) is not None:
                self._counts[node] = value_of(value)
        return any(count not in (None, self._counts[node]) for node, count in before.items())

    async def _watch(self, note_up: Callable[[], None]) -> None:
        """Say when both sides are up to date, then see that both still talk."""
        until_s = time.monotonic() + FIRST_S
        flows = self._commands, self._feedback
        while not all(flow.is_answered for flow in flows) or (
            self._unheard() and time.monotonic() < until_s
        ):
            await asyncio.sleep(0.005)
            self._check()
        self._tell_unheard()
        note_up()
        while True:
            await asyncio.sleep(LOOK_S)
            self._check()
            self._telling.say_late()

    def _check(self) -> None:
        self._from_peer.check()
        self._from_own.check()

    async def _look_again(self) -> None:
        """Use what could not be used before, if it can be now."""
        while True:
            await asyncio.sleep(AGAIN_S)
            self._tell_unheard()
            if self._unusable or self._from_peer.refused or self._from_own.refused:
                await self._use()

    async def _use(self) -> None:
        """Find routes for wires that have none, and listen to all sources that are not heard."""
        found = await find_routes(self._peer, self._own, self._unusable) if self._unusable else []
        self._unusable = [one.wire for one in found if one.route is None]
        routes = [one.route for one in found if one.route]
        self._commands.add([route for route in routes if route.wire.is_command])
        self._feedback.add([route for route in routes if not route.wire.is_command])
        await self._from_peer.add(self._commands.sources, FASTEST, PULSES)
        await self._from_own.add(self._feedback.sources, FASTEST, 1)
        for one in found:
            if one.route is None:
                self._telling.problem(one.wire, NODES, one.problem, one.remedy)
        for flow, source in self._ways():
            self._tell_refused(flow.routes, source)

    def _ways(self) -> Sequence[tuple[Flow, Listening]]:
        return (self._commands, self._from_peer), (self._feedback, self._from_own)

    def _unheard(self) -> list[Route]:
        """Routes whose source is monitored and has not sent any value."""
        return [
            route
            for flow, source in self._ways()
            for route in flow.unheard
            if route.source not in source.refused
        ]

    def _tell_unheard(self) -> None:
        for route in self._unheard():
            remedy = "see whether its server sends a first value of what is monitored"
            self._telling.problem(route.wire, VALUE, "no value has come yet", remedy)

    def _tell_refused(self, routes: Sequence[Route], source: Listening) -> None:
        for route in routes:
            status = source.refused.get(route.source)
            if status is None:
                self._telling.works(route.wire, NODES)
            else:
                remedy = "see whether its server limits monitored items"
                self._telling.problem(route.wire, NODES, f"not monitored: {status.name}", remedy)

    def _count(self, field: str, values: int) -> None:
        self._state[field] += values


async def ours(work: Awaitable[Result]) -> Result:
    """What goes wrong with our own server is not the controller's fault."""
    try:
        return await work
    except Exception as error:
        problem = f"our own server: {str(error) or type(error).__name__}"
        raise Mistake(problem, "if it has ended, it is started again by itself") from error


async def _first_to_fail(*works: Awaitable[None]) -> None:
    """Wait for the first of them to end, and raise what it raised; the others end too."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

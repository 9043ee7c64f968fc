"""Keeps a bridge up: connect to both sides, bring both up to date, carry changes, begin again.

A bridge has two ordinary sessions: one with the controller, one with our own server. When it loses
the controller it ends the other one too: so the cell sees a controller that is lost. Every new
connection begins with the newest value of every wire, so nothing is lost by its ends.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import NoReturn, TypeVar

from asyncua import ua

from server.bridge.backoff import Backoff
from server.bridge.ends import Ends
from server.bridge.flow import Flow
from server.bridge.listening import FASTEST, Changes, Listening
from server.bridge.peer import connected_peer, told
from server.bridge.route import Found, Route, find_routes
from server.bridge.telling import Telling
from server.bridge.wire import Wire
from server.client.login import Login
from server.client.mistake import Mistake
from server.client.session import Session, connected, value_of
from server.opcua.attribute.control import BRIDGE_NAMES
from server.realtime.bridge_board import BridgeState
from sim.build.bridges import kind_of
from sim.signals import SignalTable
from sim.spec.bridge import Bridge, BridgeWire

TICK = "Simulation.Tick"  # goes back when the cell is reset or restored
TICK_MS = 100.0  # how often to look at it; chosen: it would be news every time
LOOK_S = 1.0  # between two looks at what should have happened
AGAIN_S = 10.0  # between two looks at nodes that could not be used
PULSES = 20  # values of one node that the controller keeps for one message; chosen
GOODBYE_S = 2.0  # how long a goodbye may take
NODES = "node"

Result = TypeVar("Result")


def wires_of(bridge: Bridge, signals: SignalTable) -> list[Wire]:
    """All wires of a bridge, commands first."""

    def wire(one: BridgeWire, is_command: bool) -> Wire:
        kind = kind_of(one.signal, signals)
        return Wire(
            is_command, one.node, one.signal, kind, one.scale, one.offset, one.invert, one.bit
        )

    commands = [wire(one, True) for one in bridge.command]
    return commands + [wire(one, False) for one in bridge.feedback]


class Crossing:
    """Carries values until something breaks, again and again."""

    def __init__(self, ends: Ends, state: BridgeState, telling: Telling) -> None:
        self._ends = ends
        self._state = state
        self._telling = telling
        self._wires = wires_of(ends.bridge, ends.signals)
        self._backoff = Backoff()
        self._has_been_up = False
        self._down = ""  # why there is no connection, as it was last said
        self._tick = 0

    async def run(self) -> NoReturn:
        """For ever: whatever a controller does, the cell goes on."""
        while True:
            stack = AsyncExitStack()
            try:
                await self._cross(stack)
            except Exception as error:  # of a network, a library, a controller: all mean the same
                self._note_down(error)
            finally:
                self._state["connected"] = 0
                with suppress(Exception):
                    async with asyncio.timeout(GOODBYE_S):
                        await stack.aclose()
            await asyncio.sleep(self._backoff.next_s())

    async def _cross(self, stack: AsyncExitStack) -> None:
        """One connection from its beginning to its end, which is an exception."""
        peer, own = await self._connect(stack)
        found = await find_routes(peer, own, self._wires)
        self._tell_unusable(found)
        routes = [one.route for one in found if one.route]
        commands = self._flow(routes, own, "received")
        feedback = self._flow(routes, peer, "sent")
        from_peer = Listening(commands.take)
        tick = own.node_id(TICK)
        self._tick = 0

        def hear_own(changes: Changes) -> None:
            if self._went_back(tick, changes):
                commands.write_all_again()
            feedback.take(changes)

        from_own = Listening(hear_own)
        publishing_ms = self._ends.bridge.publishing_ms
        await from_peer.begin(peer, _fastest(commands.sources), publishing_ms, PULSES)
        ours = {tick: TICK_MS} | _fastest(feedback.sources)
        await from_own.begin(own, ours, publishing_ms, 1)
        for node, status in from_peer.refused.items():
            commands.wait_no_longer_for(node)
            self._tell_refused(node, status, found)
        await _first_to_fail(
            _ours(own.unless_lost(commands.write_on())),
            peer.unless_lost(feedback.write_on()),
            self._watch((commands, feedback), (from_peer, from_own)),
            self._look_again(peer, own, [one.wire for one in found if one.route is None]),
        )

    async def _connect(self, stack: AsyncExitStack) -> tuple[Session, Session]:
        """The session with the controller, then the one with our own server, which ends first."""
        ends = self._ends
        reached = connected_peer(ends.bridge, ends.cell_file, ends.folder)
        peer = await stack.enter_async_context(reached)
        user = f"{BRIDGE_NAMES}{ends.bridge.name}"
        ours = connected(ends.own, user, Login(user, ends.password, folder=ends.folder))
        return peer, await _ours(stack.enter_async_context(ours))

    def _flow(self, routes: Sequence[Route], sink: Session, counted: str) -> Flow:
        way = [route for route in routes if route.wire.is_command is (counted == "received")]
        return Flow(way, sink, self._telling, partial(self._count, counted))

    def _went_back(self, tick: ua.NodeId, changes: Changes) -> bool:
        """Whether the cell was put back meanwhile, and its commands with it."""
        before = self._tick
        for node, value in changes:
            if node == tick and value_of(value) is not None:
                self._tick = value_of(value)
        return self._tick < before

    async def _watch(self, flows: Sequence[Flow], sources: Sequence[Listening]) -> None:
        """Say when both sides are up to date, then see that both still talk."""
        while not all(flow.is_settled for flow in flows):
            await asyncio.sleep(0.005)
            for source in sources:
                source.check()
        self._note_up(sources[0])
        while True:
            await asyncio.sleep(LOOK_S)
            for source in sources:
                source.check()
            self._telling.say_late()

    async def _look_again(self, peer: Session, own: Session, unusable: Sequence[Wire]) -> None:
        """Begin anew when a node that could not be used has become usable."""
        while True:
            await asyncio.sleep(AGAIN_S)
            if any(one.route for one in await find_routes(peer, own, unusable)):
                raise Mistake("the controller's nodes have changed", "nothing: it begins anew")

    def _count(self, field: str, values: int) -> None:
        self._state[field] += values

    def _tell_unusable(self, found: Sequence[Found]) -> None:
        for one in found:
            if one.route is None:
                self._telling.problem(one.wire, NODES, one.problem, one.remedy)
            else:
                self._telling.works(one.wire, NODES)

    def _tell_refused(self, node: ua.NodeId, status: ua.StatusCode, found: Sequence[Found]) -> None:
        for one in found:
            if one.route and one.route.source == node:
                remedy = "see whether the controller limits monitored items"
                self._telling.problem(one.wire, NODES, f"not monitored: {status.name}", remedy)

    def _note_up(self, source: Listening) -> None:
        self._backoff.begin_anew()
        self._state["connected"] = 1
        self._state["reconnects"] += self._has_been_up
        again = " again" if self._has_been_up else ""
        self._has_been_up, self._down = True, ""
        problems = self._state["problems"]
        broken = f"; {problems} of {len(self._wires)} wires do not work" if problems else ""
        granted = f"publishing every {source.publishing_ms:g} ms"
        self._telling.connection(
            f"connected{again} to {self._ends.bridge.endpoint}, {granted}{broken}"
        )

    def _note_down(self, error: Exception) -> None:
        was_up = self._state.is_connected
        problem, remedy = told(error, self._ends.bridge.endpoint)
        self._state.error = problem
        text = f"{'lost: ' if was_up else 'not connected: '}{problem}; {remedy}"
        if text != self._down:
            self._down = text
            self._telling.connection(f"{text}; it is tried again and again, the cell goes on")


def _fastest(nodes: Sequence[ua.NodeId]) -> dict[ua.NodeId, float]:
    return dict.fromkeys(nodes, FASTEST)


async def _ours(work: Awaitable[Result]) -> Result:
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

"""Keeps a bridge up: connect to both sides, bring both up to date, carry changes, begin again.

A bridge has two ordinary sessions: one with the controller, one with our own server. When it loses
the controller it ends the other one too: so the cell sees a controller that is lost. Every new
connection begins with the newest value of every wire, so nothing is lost by its ends.
"""

import asyncio
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import NoReturn

from twincell.server.bridge.backoff import Backoff
from twincell.server.bridge.carrying import Carrying, ours
from twincell.server.bridge.ends import Ends
from twincell.server.bridge.peer import connected_peer, told
from twincell.server.bridge.telling import Telling
from twincell.server.bridge.wire import Wire
from twincell.server.client.login import Login
from twincell.server.client.session import Session, connected
from twincell.server.opcua.command.arbitration import BRIDGE_NAMES
from twincell.server.realtime.shared.bridge_board import BridgeState
from twincell.sim.build.bridges import kind_of
from twincell.sim.signals import SignalTable
from twincell.sim.spec.bridge import Bridge, BridgeWire

GOODBYE_S = 2.0  # how long a goodbye may take


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
        carrying = Carrying(peer, own, self._wires, self._state, self._telling)
        granted_ms = await carrying.begin(self._ends.bridge.publishing_ms)
        await carrying.carry(partial(self._note_up, granted_ms))

    async def _connect(self, stack: AsyncExitStack) -> tuple[Session, Session]:
        """The session with the controller, then the one with our own server, which ends first."""
        ends = self._ends
        reached = connected_peer(ends.bridge, ends.cell_file, ends.folder)
        peer = await stack.enter_async_context(reached)
        user = f"{BRIDGE_NAMES}{ends.bridge.name}"
        inside = connected(ends.own, user, Login(user, ends.password, folder=ends.folder))
        return peer, await ours(stack.enter_async_context(inside))

    def _note_up(self, granted_ms: float) -> None:
        self._backoff.begin_anew()
        self._state["connected"] = 1
        self._state["reconnects"] += self._has_been_up
        again = " again" if self._has_been_up else ""
        self._has_been_up, self._down = True, ""
        problems = self._state["problems"]
        broken = f"; {problems} of {len(self._wires)} wires do not work" if problems else ""
        granted = f"publishing every {granted_ms:g} ms"
        self._telling.connection(
            f"connected{again} to {self._ends.bridge.endpoint}, {granted}{broken}", is_up=True
        )

    def _note_down(self, error: Exception) -> None:
        was_up = self._state.is_connected
        problem, remedy = told(error, self._ends.bridge.endpoint)
        self._state.error = problem
        text = f"{'lost: ' if was_up else 'not connected: '}{problem}; {remedy}"
        if text != self._down:
            self._down = text
            goes_on = "it is tried again and again, the cell goes on"
            self._telling.connection(f"{text}; {goes_on}", is_up=False)

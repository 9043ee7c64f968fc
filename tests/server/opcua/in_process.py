"""A cell, its server and its clients in one process: the test itself plays the loop.

The ticks are the loop's own, but its clock is made up and moves with the ticks only. So every row
is known, stamps are equally spaced, and nothing depends on how fast the machine is.
"""

import asyncio
import time
from pathlib import Path
from types import TracebackType

import numpy as np
from asyncua import Client, ua

from tests.server.opcua.made_security import PASSWORD, made_security
from twincell.server.opcua.server import CellServer
from twincell.server.opcua.space.namespaces import cell_id
from twincell.server.realtime.cell_runner import CellRunner
from twincell.server.realtime.clock import Clock
from twincell.server.realtime.orders import OrderDesk
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Floats
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import ON_THE_CLOCK, TimeMode
from twincell.server.security.folder import SecurityFolder
from twincell.sim.cell import Cell

CELLS = Path(__file__).parents[3] / "config" / "cells"
LOOK_S = 0.001
TICKS_A_LOOK = 10  # when ticks run by themselves: faster than real time


class MadeUpClock:
    """Time passes only while somebody sleeps."""

    def __init__(self) -> None:
        self._passed_ns = 0
        self._monotonic_ns, self._wall_ns = time.monotonic_ns(), time.time_ns()

    def clock(self) -> Clock:
        return Clock(
            lambda: self._monotonic_ns + self._passed_ns,
            lambda: self._wall_ns + self._passed_ns,
            self.sleep,
            self.sleep,
        )

    def sleep(self, duration_ns: int) -> None:
        self._passed_ns += duration_ns


class InProcess:
    """A served cell whose ticks the test runs.

        async with InProcess("tool_change_single") as cell:
            cell.tick(10)
            client = await cell.client()

    `cell` is the name of a shipped cell or a file. With `begin=False` there is no row before the
    first call of `begin`. A cell with a security folder can be given users and certificates.
    """

    def __init__(
        self,
        cell: str | Path = "tool_change_single",
        timeline: bool = False,
        begin: bool = True,
        folder: SecurityFolder | None = None,
    ) -> None:
        self.cell = Cell.load(CELLS / f"{cell}.toml" if isinstance(cell, str) else cell)
        self.signals = self.cell.signals
        self.link = Link(len(self.signals))
        self.security = made_security(folder)
        self.folder = self.security.trust.folder
        self.server = CellServer(
            self.cell.spec, self.cell.compiled, self.link, self.security, port=0
        )
        self.runs = False  # whether ticks run by themselves
        self.beats = True  # whether the loop gives signs of life
        self.takes_orders = True  # whether orders are carried out
        self.takes_cycles = True  # whether the cycles of a handshake are
        self._timeline = timeline
        self._course = CellRunner(self.cell, self.link, MadeUpClock().clock())
        self._desk = OrderDesk(self._course, self.link.orders)
        self._clients: list[Client] = []
        self._living: asyncio.Task[None] | None = None
        self.link.vitals["state"] = LoopState.RUNNING
        self._beat()
        if begin:
            self.begin()

    async def __aenter__(self) -> "InProcess":
        await self.server.start()
        self._living = asyncio.create_task(self._live())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.disconnect()
        if self._living is not None:
            self._living.cancel()
            await asyncio.gather(self._living, return_exceptions=True)
        await self.server.stop()

    # ---------------------------------------------------------------- the loop

    def begin(self) -> None:
        """Run the first tick: tick 0."""
        self._course.begin(ON_THE_CLOCK, timeline=self._timeline)
        self._beat()

    async def begin_anew(self) -> None:
        """As if just begun: nobody connected, nothing commanded, the newest row is tick 0."""
        await self.disconnect()
        self.server.sessions.end_all()  # also those that have lost their connection
        for left in list(self.server.subscriptions.subscriptions.values()):
            self.server.subscriptions._remove(left)
        self.runs, self.beats, self.takes_orders, self.takes_cycles = False, True, True, True
        self.server.faults.clear()
        self.server.faults._over.clear()  # what they have left in rows is forgotten too
        self.carry_out_orders()
        self._course.resume()
        self._course.set_mode(TimeMode.FREE_RUN, 10)
        self._course.set_speed(1.0)
        self._course.reset()
        self._course.run()
        self.link.vitals["timeline_on"] = 0
        self.server.control.take_lost()
        self.link.vitals["controller_lost"] = 0
        self._beat()

    def tick(self, count: int = 1) -> None:
        """Run ticks of a cell that is not paused, as the loop would."""
        end = self.link.ring.written + count
        while self.link.ring.written < end and self._course.state is LoopState.RUNNING:
            self._course.wait()
            self._course.latch()
            self._course.run()
        self._beat()

    def latch(self) -> None:
        """Latch what waits without a tick, as the loop does while it is paused."""
        self._course.latch()

    def carry_out_orders(self) -> None:
        """Carry out what was ordered, without a tick that does not belong to it."""
        while self.link.orders.next() is not None:
            self._course.latch()
            self._desk.take()
            self._course.run()
            self._desk.answer()

    def turn(self, count: int = 1) -> None:
        """Go around as the loop does: orders, cycles, and ticks if they run by themselves."""
        for _ in range(count):
            self._beat()
            if self.takes_orders:
                self.carry_out_orders()
            if self.takes_cycles and self.link.vitals.mode is not TimeMode.FREE_RUN:
                self._course.latch()
                self._course.run()
            if self.runs:
                self.tick(TICKS_A_LOOK)

    async def _live(self) -> None:
        while True:
            self.turn()
            await asyncio.sleep(LOOK_S)

    def _beat(self) -> None:
        if self.beats:
            self.link.vitals["beat_ns"] = time.monotonic_ns()

    # ---------------------------------------------------------------- rows

    def column(self, signal: str) -> int:
        """Where a signal stands in a row."""
        return self.signals[signal].column

    def newest(self, signal: str) -> float:
        """Value of a signal in the newest row."""
        return float(self._newest_row()[self.column(signal)])

    @property
    def newest_stamp(self) -> int:
        """Source time of the newest row."""
        rows = self.link.ring.newest()
        assert rows is not None
        return int(rows.stamp[0])

    @property
    def newest_tick(self) -> int:
        """Tick of the newest row."""
        return int(self._newest_row()[self.link.ring.tick_column])

    def _newest_row(self) -> Floats:
        rows = self.link.ring.newest()
        assert rows is not None
        return np.asarray(rows.values[0])

    # ---------------------------------------------------------------- clients

    async def client(self, name: str = "test", user: str | None = "engineer") -> Client:
        """A connected client; its session's name begins with this name.

        `user` is the name of a role, whose user has that name; None is anonymous.
        """
        client = Client(self.server.endpoint, timeout=20)
        client.description = name
        if user is not None:
            client.set_user(user)
            client.set_password(PASSWORD)
        await client.connect()
        self._clients.append(client)
        return client

    async def disconnect(self) -> None:
        """Close the sessions of all clients that still have one."""
        for client in self._clients:
            try:
                await client.disconnect()
            except (OSError, ua.UaError, TimeoutError):
                client.disconnect_socket()
        self._clients.clear()

    @staticmethod
    def id(name: str) -> ua.NodeId:
        """Id of a signal, an object, a method or another node of the cell."""
        return cell_id(name)

"""The real-time loop: wait, latch, orders, tick; a thousand times a second, or when asked to."""

import gc
import signal

from twincell.server.realtime.cell_runner import CellRunner
from twincell.server.realtime.clock import REAL_TIME, Clock
from twincell.server.realtime.orders import OrderDesk
from twincell.server.realtime.scheduling import claim_rights
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import ON_THE_CLOCK, Timing
from twincell.sim.cell import Cell


class Loop:
    """A cell in real time, from its first tick until it is told to end."""

    def __init__(self, cell: Cell, link: Link, clock: Clock = REAL_TIME) -> None:
        self._cell_runner = CellRunner(cell, link, clock)
        self._desk = OrderDesk(self._cell_runner, link.orders)
        self._is_ending = False

    def warm_up(self) -> None:
        """Touch everything that a tick needs, before the clock counts."""
        self._cell_runner.warm_up()

    def begin(self, timing: Timing = ON_THE_CLOCK, timeline: bool = True) -> None:
        """Run the first tick, and from there on go or stand still.

        A cell that stands still has run tick 0 as well, because only a tick makes a row: so a
        reader finds everything at t = 0. After a reset this is the same.
        """
        self._desk.refuse_all()
        self._cell_runner.begin(timing, timeline)

    def turn(self) -> None:
        """Once around: a tick if one is due, an order if there is one."""
        self._cell_runner.wait()
        self._cell_runner.latch()
        self._desk.take()
        self._cell_runner.run()
        self._desk.answer()

    def run(self) -> None:
        """Go around until told to end."""
        while not self._is_ending:
            self.turn()

    def end(self) -> None:
        """Let the turn at hand be the last."""
        self._is_ending = True


def serve_loop(
    cell: Cell,
    link: Link,
    timing: Timing = ON_THE_CLOCK,
    timeline: bool = True,
    core: int | None = None,
) -> None:
    """Run a cell in this process, which has nothing else to do, until SIGTERM."""
    # a loop that stands still is woken up by its wake signal
    clock = REAL_TIME._replace(rest=link.loop_wake_signal.wait)
    loop = Loop(cell, link, clock)
    signal.signal(signal.SIGTERM, lambda _signal, _frame: loop.end())
    loop.warm_up()

    # no garbage collection in a tick: the loop makes no cycles, and what exists is here to stay
    gc.collect()
    gc.freeze()
    gc.disable()
    link.vitals.write_text("rights", claim_rights(core).text)

    loop.begin(timing, timeline)
    loop.run()
    link.vitals["state"] = LoopState.DOWN

"""Methods of the Simulation object: pause, step, reset, speed, time mode, snapshot, restore.

They do not command the cell, so whoever commands it goes on doing so. But the demo may not call
them while a client commands: a demo that resets a cell under a PLC's hands is no help.
"""

from collections.abc import Sequence
from typing import Any

from twincell.server.opcua.command.arbitration import Commander, Control
from twincell.server.opcua.method.arguments import out_of_range
from twincell.server.opcua.method.methods import Method
from twincell.server.opcua.method.ordering import PATIENCE_S, Orders
from twincell.server.realtime.limits import FASTEST, MOST_STEPS, SLOWEST
from twincell.server.realtime.shared.order_box import Kind
from twincell.server.realtime.time_mode import TimeMode
from twincell.sim.spec.controller import ticks_of_cycle

STEP_PATIENCE_S = 0.001  # more for each tick: in real time it takes no longer
MODES = {mode.text: mode for mode in TimeMode}
KEEP = 0  # ticks of a cycle: as many as there are


class SimulationMethods:
    """What a client may tell the clock of the cell."""

    def __init__(self, orders: Orders, control: Control, step_s: float) -> None:
        self._orders = orders
        self._control = control
        self._step_s = step_s

    def by_name(self) -> dict[str, Method]:
        """The methods, by the names of their nodes."""
        return {
            "Simulation.Pause": self.pause,
            "Simulation.Resume": self.resume,
            "Simulation.Reset": self.reset,
            "Simulation.Step": self.step,
            "Simulation.SetSpeed": self.set_speed,
            "Simulation.SetTimeMode": self.set_time_mode,
            "Simulation.Snapshot": self.snapshot,
            "Simulation.Restore": self.restore,
        }

    async def pause(self, session: Commander, _: list[Any]) -> Sequence[Any]:
        """Stop the clock between two ticks."""
        return await self._order(session, Kind.PAUSE)

    async def resume(self, session: Commander, _: list[Any]) -> Sequence[Any]:
        """Let the clock go on."""
        return await self._order(session, Kind.RESUME)

    async def reset(self, session: Commander, _: list[Any]) -> Sequence[Any]:
        """Put the cell back to its start."""
        return await self._order(session, Kind.RESET)

    async def step(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Run some ticks of a cell that stands still; the number of the next tick."""
        (count,) = arguments
        if not 1 <= count <= MOST_STEPS:
            raise out_of_range(0, 1)
        self._control.check(session)
        patience_s = PATIENCE_S + count * STEP_PATIENCE_S
        self._control.heard(session)
        return [int(await self._orders.give(Kind.STEP, count, patience_s=patience_s))]

    async def set_speed(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Run slower or faster than real time."""
        (speed,) = arguments
        if not SLOWEST <= speed <= FASTEST:
            raise out_of_range(0, 1)
        return await self._order(session, Kind.SPEED, speed)

    async def set_time_mode(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Let the clock, the controller's cycles or steps move simulated time."""
        name, cycle_ms = arguments
        mode = MODES.get(name)
        if mode is None:
            raise out_of_range(0, 2)
        ticks = ticks_of_cycle(cycle_ms, self._step_s) if cycle_ms else KEEP
        if ticks is None:
            raise out_of_range(1, 2)
        self._control.check(session)
        await self._orders.give(Kind.MODE, mode, str(ticks).encode())
        return ()

    async def snapshot(self, session: Commander, _: list[Any]) -> Sequence[Any]:
        """Keep the state of the cell; the number to restore it by."""
        self._control.check(session)
        return [int(await self._orders.give(Kind.SNAPSHOT))]

    async def restore(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Put the cell back to a kept state."""
        (number,) = arguments
        return await self._order(session, Kind.RESTORE, float(number))

    async def _order(self, session: Commander, kind: Kind, argument: float = 0.0) -> Sequence[Any]:
        """An order that gives nothing back."""
        self._control.check(session)
        await self._orders.give(kind, argument)
        return ()

"""Methods of the robots: planned here, from where the robot holds, and begun by the loop.

A move is planned in a thread, so that values go on reaching clients meanwhile; one at a time, as
the kernels of all arms share their working memory.
"""

import asyncio
import logging
import pickle
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from asyncua import ua

from twincell.server.opcua.attribute.loop_status import is_down
from twincell.server.opcua.command.arbitration import Commander, Control
from twincell.server.opcua.method.arguments import out_of_range
from twincell.server.opcua.method.methods import Method
from twincell.server.opcua.method.ordering import LOOK_AGAIN_S, Orders
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind
from twincell.server.realtime.shared.ring import Floats
from twincell.server.realtime.shared.vitals import LoopState
from twincell.sim.build.compile import Compiled
from twincell.sim.plan import Plan, Refused, plan_joint, plan_joint_to_pose, plan_linear, plan_via
from twincell.sim.state import MOST_PIECES

POINT = 8  # numbers a point of MoveVia: position, quaternion, blend
MOST_POINTS = MOST_PIECES  # no path of more can be planned
LONGEST_STOP_S = 10.0  # simulated; chosen: no robot brakes that long

log = logging.getLogger("twincell.opcua")


class RobotMethods:
    """The moves of all robots of a cell."""

    def __init__(self, compiled: Compiled, link: Link, control: Control, orders: Orders) -> None:
        planning = asyncio.Lock()
        self._robots = [
            _Robot(compiled, number, link, control, orders, planning)
            for number in range(len(compiled.arms))
        ]

    def by_name(self) -> dict[str, Method]:
        """The methods, by the names of their nodes."""
        return {
            f"{robot.name}.{name}": method
            for robot in self._robots
            for name, method in robot.methods().items()
        }


class _Robot:
    """The moves of one robot."""

    def __init__(
        self,
        compiled: Compiled,
        number: int,
        link: Link,
        control: Control,
        orders: Orders,
        planning: asyncio.Lock,
    ) -> None:
        self._arm = compiled.arms[number]
        self.name = self._arm.name
        self._number = number
        self._link = link
        self._control = control
        self._orders = orders
        self._planning = planning
        self._longest_stop = round(LONGEST_STOP_S / compiled.model.step)  # ticks
        signals = compiled.signals
        self._stop = signals[f"{self.name}.Stop"].column
        self._moving = signals[f"{self.name}.Moving"].column
        axes = range(1, self._arm.n_axis + 1)
        self._held = [signals[f"{self.name}.JointReference.{k}"].column for k in axes]

    def methods(self) -> dict[str, Method]:
        return {
            "MoveJoint": self.move_joint,
            "MoveJointToPose": self.move_joint_to_pose,
            "MoveLinear": self.move_linear,
            "MoveVia": self.move_via,
            "StopMove": self.stop_move,
        }

    async def move_joint(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """All joints together to positions."""
        target, speed = arguments
        return await self._move(session, plan_joint, target, speed)

    async def move_joint_to_pose(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """All joints together, until the tool centre point is at a pose."""
        position, quaternion, speed = arguments
        return await self._move(session, plan_joint_to_pose, position, quaternion, speed)

    async def move_linear(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """The tool centre point on a straight line to a pose."""
        position, quaternion, tcp_speed, tcp_turn = arguments
        return await self._move(session, plan_linear, position, quaternion, tcp_speed, tcp_turn)

    async def move_via(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """The tool centre point on lines past points."""
        numbers, tcp_speed, tcp_turn = arguments
        count, rest = divmod(len(numbers), POINT)
        if rest or not 1 <= count <= MOST_POINTS:
            raise out_of_range(0, len(arguments))
        points = [
            (numbers[k : k + 3], numbers[k + 3 : k + 7], numbers[k + 7])
            for k in range(0, len(numbers), POINT)
        ]
        return await self._move(session, plan_via, points, tcp_speed, tcp_turn)

    async def stop_move(self, session: Commander, _: list[Any]) -> Sequence[Any]:
        """Brake, wait until the robot holds, and make it ready for the next move.

        The command Stop is a level. One that was set before stays set.
        """
        row = self._row()
        if self._link.vitals.state is not LoopState.RUNNING:
            raise ua.uaerrors.BadInvalidState  # without ticks nothing brakes
        was_set = row[self._stop] > 0.5
        self._control.command(session, [] if was_set else [(self._stop, 1.0)])
        try:
            await self._wait_for_rest()
        finally:
            # also when the client has gone meanwhile: nobody else would free the robot
            if not was_set and not self._link.commands.put([(self._stop, 0.0)]):
                log.warning("%s.Stop stays set: too many commands wait already", self.name)
        return ()

    async def _wait_for_rest(self) -> None:
        # counted in rows: they go on through a reset, which takes the stop away and the time back
        last = self._link.ring.written + self._longest_stop
        while True:
            row = self._row()
            if row[self._stop] > 0.5 and row[self._moving] < 0.5:
                return
            if self._link.vitals.state is not LoopState.RUNNING:
                raise ua.uaerrors.BadInvalidState
            if self._link.ring.written > last:
                raise ua.uaerrors.BadTimeout
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _move(
        self, session: Commander, plan: Callable[..., Plan], *asked: Any
    ) -> Sequence[Any]:
        """Plan a move from where the robot holds, and let it begin with the next tick."""
        self._control.check(session)
        async with self._planning:
            row = self._row()
            self._check_ready(row)
            planning = partial(plan, self._arm, row[self._held], *asked)
            try:
                planned = await asyncio.to_thread(planning)
            except Refused as refusal:
                log.warning("%s: the move was refused: %s", self.name, refusal)
                raise ua.uaerrors.BadOutOfRange from None
        # planning took its time: who asked may be gone, or somebody else commands by now
        self._control.command(session, [])
        await self._orders.give(Kind.MOVE, self._number, pickle.dumps(planned))
        return ()

    def _check_ready(self, row: Floats) -> None:
        """Before planning: a plan from where it is not would be for nothing."""
        reasons = {
            "the cell has stopped": self._link.vitals.state is LoopState.FAULT,
            "it is moving": row[self._moving] > 0.5,
            "its command Stop is set": row[self._stop] > 0.5,
        }
        for reason, holds in reasons.items():
            if holds:
                log.warning("%s: the move was refused: %s", self.name, reason)
                raise ua.uaerrors.BadInvalidState

    def _row(self) -> Floats:
        """The newest row; raises Bad... when there is none, or nobody makes new ones."""
        if is_down(self._link.vitals):
            raise ua.uaerrors.BadNoCommunication
        rows = self._link.ring.newest()
        if rows is None:
            raise ua.uaerrors.BadInvalidState
        return np.asarray(rows.values[0])

"""A robot of a running cell: give it moves. Positions in metres and radians, poses in the world."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from twincell.sim.model import Floats
from twincell.sim.motion.robot_orders import STOP
from twincell.sim.motion.targets import HOLD
from twincell.sim.plan import Plan, Refused, plan_joint, plan_joint_to_pose, plan_linear, plan_via
from twincell.sim.plan.begin import begin_move
from twincell.sim.spec.robot import MoveLinear

if TYPE_CHECKING:
    from twincell.sim.cell import Cell

# [m/s, rad/s]: as in a cell file
TCP_SPEED = float(MoveLinear.model_fields["speed_m_s"].default)
TCP_TURN = math.radians(MoveLinear.model_fields["speed_deg_s"].default)


class RobotControl:
    """Moves of one robot; each begins with the next tick, or raises Refused and changes nothing.

    `speed`, `acceleration` and `jerk` are shares (0 to 1) of the joints' limits; a quaternion is
    (w, x, y, z).
    """

    def __init__(self, cell: "Cell", number: int) -> None:
        self._cell = cell
        self._number = number
        self._arm = cell.compiled.arms[number]

    @property
    def is_moving(self) -> bool:
        """Whether it follows a move or a stream, or brakes."""
        return bool(self._cell.state.robots.mode[self._number] != HOLD)

    @property
    def target(self) -> Floats:
        """Joint positions that it holds."""
        robots = self._cell.model.robots
        own = slice(int(robots.first[self._number]), int(robots.end[self._number]))
        return self._cell.state.robots.hold[own].copy()

    def move_joint(self, joints: Sequence[float] | Floats, **shares: float) -> Plan:
        """All joints together to positions [m, rad]."""
        self._check_ready()
        return self._begin(plan_joint(self._arm, self.target, joints, **shares))

    def move_joint_to_pose(self, position: Any, quaternion: Any, **shares: float) -> Plan:
        """All joints together, until the tool centre point is at a pose."""
        self._check_ready()
        plan = plan_joint_to_pose(self._arm, self.target, position, quaternion, **shares)
        return self._begin(plan)

    def move_linear(
        self,
        position: Any,
        quaternion: Any,
        speed_m_s: float = TCP_SPEED,
        speed_rad_s: float = TCP_TURN,
        **shares: float,
    ) -> Plan:
        """The tool centre point on a straight line to a pose."""
        self._check_ready()
        speeds = (speed_m_s, speed_rad_s)
        plan = plan_linear(self._arm, self.target, position, quaternion, *speeds, **shares)
        return self._begin(plan)

    def move_via(
        self,
        points: Sequence[tuple[Any, Any, float]],
        speed_m_s: float = TCP_SPEED,
        speed_rad_s: float = TCP_TURN,
        **shares: float,
    ) -> Plan:
        """The tool centre point on lines past points (position, quaternion, blend in metres)."""
        self._check_ready()
        plan = plan_via(self._arm, self.target, points, speed_m_s, speed_rad_s, **shares)
        return self._begin(plan)

    def _check_ready(self) -> None:
        """Before planning: a plan from where it is not would be for nothing."""
        if self._cell.fault:
            raise Refused(f"the cell has stopped: {self._cell.fault.object}")
        if self.is_moving:
            raise Refused(f"{self._arm.name} is moving: wait until it is at rest, or stop it")
        command = self._cell.model.robots.command[self._number] + STOP
        if self._cell.commands.values[command] > 0.5:
            raise Refused(f"{self._arm.name}.Stop is set: clear it first")

    def _begin(self, plan: Plan) -> Plan:
        begin_move(self._cell.model, self._cell.state, self._number, plan)
        return plan

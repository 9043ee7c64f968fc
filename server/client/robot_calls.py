"""Moves of robots, as a cell file or a scenario writes them, as calls of the robots' methods."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from asyncua import ua

from twincell.sim.pose import quaternion, rotation_matrix
from twincell.sim.spec.robot import MoveJoint, MoveLinear, MoveVia, ViaPoint


class Call(NamedTuple):
    """A method of a robot, called."""

    robot: str
    method: str
    arguments: tuple[ua.Variant, ...]


class Moves(Protocol):
    """What begins together: an entry of a timeline, or a step of a scenario."""

    @property
    def move_joint(self) -> Mapping[str, MoveJoint]: ...
    @property
    def move_linear(self) -> Mapping[str, MoveLinear]: ...
    @property
    def move_via(self) -> Mapping[str, MoveVia]: ...


def calls_of(moves: Moves, angular: Mapping[str, Sequence[bool]]) -> list[Call]:
    """The calls that begin moves; their shares of acceleration and jerk have no argument.

    `angular` says of each robot which of its axes have angles; the others have lengths.
    """
    calls = [_joint_call(robot, angular[robot], move) for robot, move in moves.move_joint.items()]
    for robot, line in moves.move_linear.items():
        speeds = (_number(line.speed_m_s), _number(math.radians(line.speed_deg_s)))
        calls.append(Call(robot, "MoveLinear", (*_pose(line), *speeds)))
    for robot, via in moves.move_via.items():
        points = [number for point in via.points for number in _eight(point)]
        speeds = (_number(via.speed_m_s), _number(math.radians(via.speed_deg_s)))
        calls.append(Call(robot, "MoveVia", (_numbers(points), *speeds)))
    return calls


def _joint_call(robot: str, angular: Sequence[bool], move: MoveJoint) -> Call:
    if move.position_m is None:
        angles, lengths = iter(move.joints_deg or ()), iter(move.joints_m or ())
        target = [math.radians(next(angles)) if turns else next(lengths) for turns in angular]
        return Call(robot, "MoveJoint", (_numbers(target), _number(move.speed)))
    return Call(robot, "MoveJointToPose", (*_pose(move), _number(move.speed)))


def _pose(move: MoveJoint | MoveLinear) -> tuple[ua.Variant, ua.Variant]:
    turn = quaternion(rotation_matrix(move.orientation_deg))
    return _numbers(list(move.position_m or ())), _numbers(turn.tolist())


def _eight(point: ViaPoint) -> list[float]:
    turn = quaternion(rotation_matrix(point.orientation_deg))
    return [*point.position_m, *turn.tolist(), point.blend_m]


def _number(value: float) -> ua.Variant:
    return ua.Variant(float(value), ua.VariantType.Double)


def _numbers(values: list[float]) -> ua.Variant:
    numbers = [float(value) for value in values]
    return ua.Variant(numbers, ua.VariantType.Double, is_array=True)

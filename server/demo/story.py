"""What the demo does and when: the timeline of the cell file, as a PLC would write and call it."""

import math
from typing import NamedTuple

from asyncua import ua

from sim.build import Compiled
from sim.build.moves import joints_of
from sim.plan import Arm
from sim.pose import quaternion, rotation_matrix
from sim.signals import Direction
from sim.spec.cell import CellSpec, TimelineEntry
from sim.spec.robot import MoveJoint, MoveLinear, ViaPoint


class Call(NamedTuple):
    """A method of a robot, called."""

    robot: str
    method: str
    arguments: tuple[ua.Variant, ...]


class Scene(NamedTuple):
    """What happens at one time."""

    at_s: float
    values: dict[str, ua.Variant]  # to be written in one request
    calls: tuple[Call, ...]


class Story(NamedTuple):
    """All of it."""

    scenes: tuple[Scene, ...]
    end_s: float  # when the last scene has begun, and movers have followed all their waypoints


def story_of(spec: CellSpec, compiled: Compiled) -> Story:
    """The story that a cell file tells."""
    arms = dict(zip(spec.robot, compiled.arms, strict=True))
    scenes = [
        Scene(entry.at_s, _values(entry, compiled), tuple(_calls(entry, arms)))
        for entry in sorted(spec.timeline, key=lambda entry: entry.at_s)
    ]
    ends = [point.at_s for mover in spec.mover.values() for point in mover.waypoints or ()]
    return Story(tuple(scenes), max([scene.at_s for scene in scenes] + ends, default=0.0))


def _values(entry: TimelineEntry, compiled: Compiled) -> dict[str, ua.Variant]:
    """What a PLC can write: fault levers are not its own."""
    signals = [(compiled.signals[name], value) for name, value in entry.set.items()]
    return {
        signal.name: ua.Variant(signal.value(value), ua.VariantType[signal.kind.value])
        for signal, value in signals
        if signal.direction is Direction.COMMAND
    }


def _calls(entry: TimelineEntry, arms: dict[str, Arm]) -> list[Call]:
    """The moves of an entry; their shares of acceleration and jerk have no argument."""
    calls = [_joint_call(robot, arms[robot], move) for robot, move in entry.move_joint.items()]
    for robot, line in entry.move_linear.items():
        calls.append(Call(robot, "MoveLinear", (*_pose(line), *_tcp_speeds(line))))
    for robot, via in entry.move_via.items():
        points = [number for point in via.points for number in _eight(point)]
        speeds = (_number(via.speed_m_s), _number(math.radians(via.speed_deg_s)))
        calls.append(Call(robot, "MoveVia", (_numbers(points), *speeds)))
    return calls


def _joint_call(robot: str, arm: Arm, move: MoveJoint) -> Call:
    if move.position_m is None:
        target = _numbers(joints_of(arm, move).tolist())
        return Call(robot, "MoveJoint", (target, _number(move.speed)))
    return Call(robot, "MoveJointToPose", (*_pose(move), _number(move.speed)))


def _tcp_speeds(move: MoveLinear) -> tuple[ua.Variant, ua.Variant]:
    return _number(move.speed_m_s), _number(math.radians(move.speed_deg_s))


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

"""The moves of a timeline, planned before the first tick: one that cannot be done is a mistake.

A robot's moves follow each other, so where one begins is where the one before it ended.
"""

import math
from typing import NamedTuple

import numpy as np

from twincell.sim.model import Floats, Model
from twincell.sim.plan import (
    Arm,
    Plan,
    Refused,
    plan_joint,
    plan_joint_to_pose,
    plan_linear,
    plan_via,
    sample,
)
from twincell.sim.pose import quaternion, rotation_matrix
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.problems import Problems, key_of, number
from twincell.sim.spec.robot import MoveJoint, MoveLinear, MoveVia
from twincell.sim.spec.table import Vector

AnyMove = MoveJoint | MoveLinear | MoveVia
LEADING = ("Stop", "JointSetPoint", "TcpSetPoint")  # commands that move a robot off its plan


class Move(NamedTuple):
    """A move of the timeline, planned."""

    tick: int  # at which it begins
    robot: int
    plan: Plan


def plan_timeline(
    spec: CellSpec, arms: tuple[Arm, ...], model: Model, hold: Floats, problems: Problems
) -> tuple[Move, ...]:
    """Plan all moves of a cell's timeline; those that cannot be done are problems."""
    asked = [
        (round(entry.at_s / spec.step_s), key_of(["timeline", place, kind, robot]), robot, move)
        for place, entry in enumerate(spec.timeline)
        for kind in ("move_joint", "move_linear", "move_via")
        for robot, move in getattr(entry, kind).items()
    ]
    asked.sort(key=lambda item: item[0])
    names = list(spec.robot)
    own = [slice(f, e) for f, e in zip(model.robots.first, model.robots.end, strict=True)]
    at = [hold[s].copy() for s in own]
    free = [0] * len(names)  # first tick at which each robot can begin a move
    led = _first_led(spec)
    lost: set[str] = set()  # robots of which nobody knows where they are after a refused move
    moves = []
    for tick, key, name, move in asked:
        robot = names.index(name)
        if name in lost:
            continue
        if tick < free[robot]:
            text = f"{name} is on its last move until {_s(free[robot], spec)}"
            problems.add(key, text, hint="begin later, or make the last move faster")
            lost.add(name)
            continue
        if tick >= led.get(name, math.inf):
            text = f"{name} is stopped or streamed to at {_s(led[name], spec)}: nobody knows where"
            problems.add(key, text, hint="leave moves after that to a controller")
            lost.add(name)
            continue
        try:
            plan = plan_move(arms[robot], at[robot], move)
        except Refused as refused:
            problems.add(key, str(refused), hint="the robot cannot do this move: change it")
            lost.add(name)
            continue
        moves.append(Move(tick, robot, plan))
        at[robot] = sample(plan, plan.law[-1, 0])[0]
        # the tick that finds its law over makes it hold; the one after that can begin another
        free[robot] = tick + math.ceil(plan.law[-1, 0] / spec.step_s) + 1
    return tuple(moves)


def _first_led(spec: CellSpec) -> dict[str, int]:
    """First tick at which the timeline stops a robot or streams to it: then no plan is certain."""
    led: dict[str, int] = {}
    for entry in spec.timeline:
        for signal, value in entry.set.items():
            robot, _, command = signal.partition(".")
            if robot in spec.robot and command in LEADING and value:
                tick = round(entry.at_s / spec.step_s)
                led[robot] = min(tick, led.get(robot, tick))
    return led


def _s(tick: int, spec: CellSpec) -> str:
    return f"{number(tick * spec.step_s)} s"


def plan_move(arm: Arm, start: Floats, move: AnyMove) -> Plan:
    """Plan a move as a cell file writes it."""
    pace = {"speed": move.speed, "acceleration": move.acceleration, "jerk": move.jerk}
    if isinstance(move, MoveJoint):
        if move.position_m is None:
            return plan_joint(arm, start, joints_of(arm, move), **pace)
        return plan_joint_to_pose(arm, start, *_pose(move.position_m, move.orientation_deg), **pace)
    pace |= {"speed_m_s": move.speed_m_s, "speed_rad_s": math.radians(move.speed_deg_s)}
    if isinstance(move, MoveLinear):
        return plan_linear(arm, start, *_pose(move.position_m, move.orientation_deg), **pace)
    points = [(*_pose(p.position_m, p.orientation_deg), p.blend_m) for p in move.points]
    return plan_via(arm, start, points, **pace)


def joints_of(arm: Arm, move: MoveJoint) -> Floats:
    """Joint positions of a move: angles and lengths in the order of the axes."""
    angles = iter(np.radians(move.joints_deg or []))
    lengths = iter(move.joints_m or [])
    return np.array([next(angles if angular else lengths) for angular in arm.angular])


def _pose(position_m: Vector, orientation_deg: Vector) -> tuple[Floats, Floats]:
    return np.array(position_m, dtype=float), quaternion(rotation_matrix(orientation_deg))

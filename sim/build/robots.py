"""Robots of a cell: first as bodies, joints and frames like any others, then as arrays.

Robot1.link_3    a body (or a frame, if it has no mass)         Robot1.joint_3    a joint
Robot1           the frame of its tool centre point
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from twincell.sim.build.assembly import Assembly
from twincell.sim.build.bodies import floats, ints
from twincell.sim.mechanics.joint_type import FileUnit
from twincell.sim.mechanics.joints import joint_type
from twincell.sim.model import NONE, Axes, Floats, Joints, Robots
from twincell.sim.motion.robot_orders import FIRST_TARGET, N_TCP_TARGET
from twincell.sim.spec.cell import (
    WORLD,
    Body,
    CellSpec,
    Frame,
)
from twincell.sim.spec.joint import JOINT_TABLES, FixedJoint, Joint
from twincell.sim.spec.joint_keys import CELL_KEYS, ROBOT_KEYS, from_si, to_si
from twincell.sim.spec.robot import Robot
from twincell.sim.spec.robot_model import ModelJoint, RobotModel
from twincell.sim.spec.table import Table, Vector

FRICTION_SPEED = 0.05  # [rad/s, m/s] at which dry friction has reached tanh 1; chosen


class AxisPlace(NamedTuple):
    """An axis of a robot, and where the cell's lists have it."""

    robot: str
    joint: str  # its name in the cell
    model: ModelJoint
    place: int  # among the joints of its robot that files have in the same unit


def axes_of(spec: CellSpec) -> list[AxisPlace]:
    """All axes of all robots, robot by robot, each after the one that carries it."""
    axes = []
    for name in spec.robot:
        counted = dict.fromkeys(ROBOT_KEYS, 0)
        for joint in spec.robot_models[name].axes:
            place = counted[joint.file_unit]
            counted[joint.file_unit] += 1
            axes.append(AxisPlace(name, f"{name}.{joint.name}", joint, place))
    return axes


def listed(
    axis: AxisPlace, table: Table, keys: dict[FileUnit, dict[str, str]], quantity: str
) -> float | None:
    """An axis's number among the lists of a table, one a unit; none if the list is left out."""
    key = keys[axis.model.file_unit][quantity]
    numbers = getattr(table, key)
    return None if numbers is None else to_si(key, numbers[axis.place])


def start_of(axis: AxisPlace, robot: Robot) -> float:
    """Joint position at the start [m, rad]."""
    return listed(axis, robot, ROBOT_KEYS, "start") or 0.0


def expand_robots(spec: CellSpec) -> CellSpec:
    """The same cell with its robots as bodies, joints and frames."""
    body, joint, frame = dict(spec.body), dict(spec.joint), dict(spec.frame)
    starts = {axis.joint: start_of(axis, spec.robot[axis.robot]) for axis in axes_of(spec)}
    for name, robot in spec.robot.items():
        model = spec.robot_models[name]
        root = f"{name}.{model.root}"
        place: dict[str, Any] = {
            "position_m": robot.position_m,
            "orientation_deg": robot.orientation_deg,
        }
        if model.links[model.root].inertial is None:
            frame[root] = Frame.model_construct(on=robot.on, **place)
        else:
            body[root] = _body(model, model.root)
            joint[root] = FixedJoint.model_construct(
                type="fixed", parent=robot.on or WORLD, child=root, **place
            )
        for inner in model.joints.values():
            child = f"{name}.{inner.child}"
            link = model.links[inner.child]
            if link.inertial is None and not inner.moves:
                frame[child] = _frame(inner, f"{name}.{inner.parent}")
                continue
            body[child] = _body(model, inner.child)
            full = f"{name}.{inner.name}"
            joint[full] = _joint(inner, name, starts.get(full, 0.0), robot.drive == "servo")
        frame[name] = Frame.model_construct(
            on=f"{name}.{robot.tip or model.ends[0]}",
            position_m=robot.tcp_position_m,
            orientation_deg=robot.tcp_orientation_deg,
        )
    return spec.model_copy(update={"body": body, "joint": joint, "frame": frame})


def _degrees(angles: tuple[float, float, float]) -> Vector:
    a, b, c = (math.degrees(x) for x in angles)
    return a, b, c


def _frame(joint: ModelJoint, carrier: str) -> Frame:
    return Frame.model_construct(
        on=carrier, position_m=joint.position, orientation_deg=_degrees(joint.angles)
    )


def _body(model: RobotModel, link: str) -> Body:
    """A link with its mass; without one, its mass is that of what is fixed to it."""
    inertial = model.links[link].inertial
    if inertial is None:
        return Body.model_construct(mass_kg=0.0, inertia_kg_m2=(0.0, 0.0, 0.0))
    return Body.model_construct(
        mass_kg=inertial.mass,
        inertia_kg_m2=inertial.inertia,
        center_of_mass_m=inertial.center,
    )


def _joint(joint: ModelJoint, robot: str, start: float, has_stops: bool) -> Joint:
    place: dict[str, Any] = {
        "parent": f"{robot}.{joint.parent}",
        "child": f"{robot}.{joint.child}",
        "position_m": joint.position,
        "orientation_deg": _degrees(joint.angles),
    }
    if joint.type == "fixed":
        return FixedJoint.model_construct(type="fixed", **place)
    own = joint_type(joint.type)
    numbers = {
        "start": start,
        "damping": joint.damping,
        "friction": joint.friction,
        "friction_speed": FRICTION_SPEED,
    }
    for end, limit in (("lower", joint.lower), ("upper", joint.upper)):
        if has_stops and math.isfinite(limit):
            numbers[end] = limit
    table = {**place, "type": joint.type, "axis": joint.axis}
    table |= zip(own.sizes, joint.sizes, strict=True)
    for quantity, value in numbers.items():
        key = CELL_KEYS[joint.file_unit][quantity]
        table[key] = from_si(key, value)
    made: Joint = JOINT_TABLES[joint.type].model_construct(**table)
    return made


def ideal_joints(spec: CellSpec) -> frozenset[str]:
    """Joints whose motion is given."""
    return frozenset(a.joint for a in axes_of(spec) if spec.robot[a.robot].drive == "ideal")


def gears(spec: CellSpec, joint_number: Mapping[str, int]) -> Floats:
    """Inertia of motor and gear at each joint of the cell."""
    gear = np.zeros(len(joint_number))
    for axis in axes_of(spec):
        robot = spec.robot[axis.robot]
        own = listed(axis, robot, ROBOT_KEYS, "gear")
        gear[joint_number[axis.joint]] = axis.model.gear if own is None else own
    return gear


def build_robots(
    spec: CellSpec,
    assembly: Assembly,
    joints: Joints,
    joint_number: Mapping[str, int],
    port: Mapping[str, int],
    first_command: int,
) -> tuple[Robots, Axes]:
    """Robots and their axes as arrays; the gains of servos are filled in by `build/servos.py`."""
    axes = axes_of(spec)
    number = [joint_number[axis.joint] for axis in axes]
    axis_of_child = {int(joints.child[j]): k for k, j in enumerate(number)}
    before = []
    for axis, j in zip(axes, number, strict=True):
        carrier = axis_of_child.get(int(joints.parent[j]), NONE)
        same = carrier != NONE and axes[carrier].robot == axis.robot
        before.append(carrier if same else NONE)
    names = list(spec.robot)
    first = [[a.robot for a in axes].index(name) for name in names]
    end = [f + len(spec.robot_models[n].axes) for f, n in zip(first, names, strict=True)]
    body_number = {name: k for k, name in enumerate((*assembly.driven, *assembly.moving))}
    last = [axis_of_child[body_number[assembly.mounts[name].group]] for name in names]
    on_way = np.zeros(len(axes), dtype=int)
    for way in last:
        while way != NONE:
            on_way[way] = 1
            way = before[way]
    sizes = [FIRST_TARGET + e - f + N_TCP_TARGET for f, e in zip(first, end, strict=True)]
    commands = [first_command + sum(sizes[:k]) for k in range(len(names))]
    robots = Robots(
        first=ints(first),
        end=ints(end),
        tcp=ints([port[name] for name in names]),
        last=ints(last),
        still=ints([int(_group_below(spec, assembly, name) == WORLD) for name in names]),
        command=ints(commands),
        period=ints([_ticks(r.set_point_period_s, spec.step_s) for r in spec.robot.values()]),
        watchdog=ints([_ticks(r.watchdog_s, spec.step_s) for r in spec.robot.values()]),
    )
    of = [spec.robot[a.robot] for a in axes]
    velocity = floats([a.model.velocity for a in axes])
    acceleration = velocity / floats([r.ramp_s for r in of])
    nothing = np.zeros(len(axes))
    servos = [r.drive == "servo" for r in of]
    return robots, Axes(
        joint=ints(number),
        before=ints(before),
        to_tcp=ints(list(on_way)),
        ideal=ints([int(not servo) for servo in servos]),
        lower=floats([a.model.lower for a in axes]),
        upper=floats([a.model.upper for a in axes]),
        velocity=velocity,
        acceleration=acceleration,
        jerk=acceleration / floats([r.jerk_ramp_s for r in of]),
        effort=floats([a.model.effort for a in axes]),
        stiffness=nothing,
        damping=nothing,
        integral=nothing,
        forward=ints([int(s and r.servo.feed_forward) for s, r in zip(servos, of, strict=True)]),
    )


def _group_below(spec: CellSpec, assembly: Assembly, robot: str) -> str:
    return assembly.mounts[f"{robot}.{spec.robot_models[robot].root}"].group


def _ticks(seconds: float, step: float) -> int:
    return max(1, round(seconds / step))

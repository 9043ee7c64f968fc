"""Spec to model: everything that can be decided before the first tick, decided once."""

from typing import Any, NamedTuple

import numpy as np

from sim.build.assembly import Assembly, assemble
from sim.build.bodies import (
    body_numbers,
    build_bodies,
    build_joints,
    build_movers,
    build_ports,
    floats,
    ints,
    joint_start,
    moving_joints,
)
from sim.build.network import build_collision, build_constrained
from sim.build.pose import Pose
from sim.build.signals import build_signals
from sim.build.stability import settle_joints
from sim.model import NONE, Floats, Ints, Model
from sim.signals import SignalTable
from sim.spec.cell import CellSpec
from sim.spec.problems import Problems
from sim.state import LONG_AGO, Commands, State


class Timeline(NamedTuple):
    """Commands of the cell file in the order of their ticks."""

    tick: Ints  # tick that latches it                              (n,)
    command: Ints  # which command                                  (n,)
    value: Floats  # (n,)


class Compiled(NamedTuple):
    """A cell ready to run: what never changes, and where it starts."""

    model: Model
    signals: SignalTable
    timeline: Timeline
    state: State
    commands: Commands
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]


def compile_cell(spec: CellSpec) -> Compiled:
    """Compile a checked cell; a SpecError names joints that the step cannot carry."""
    assembly = assemble(spec)
    number = body_numbers(assembly)
    joints_by_name = moving_joints(spec, assembly)
    bodies, trees = build_bodies(spec, assembly)
    joints = build_joints(spec, assembly)
    q, qd = joint_start(spec, assembly)
    movers, waypoints = build_movers(spec)
    ports, port = build_ports(assembly, number)
    collision, grid_cell, grid_mask = build_collision(spec, port)
    signals, columns = build_signals(spec, joints_by_name, port)

    rk4 = spec.integrator == "rk4"
    problems = Problems(spec.source)
    joints = settle_joints(
        bodies, trees, joints, list(joints_by_name), q, spec.step_s, rk4, problems
    )
    problems.raise_if_any()

    model = Model(
        bodies=bodies,
        trees=trees,
        joints=joints,
        movers=movers,
        waypoints=waypoints,
        ports=ports,
        collision=collision,
        constrained=build_constrained(spec, port),
        columns=columns,
        gravity=tuple(map(float, spec.gravity_m_s2)),  # type: ignore[arg-type]
        step=spec.step_s,
        n_stage=4 if rk4 else 1,
        n_driven=len(assembly.driven),
        grid_cell=grid_cell,
        grid_mask=grid_mask,
    )
    _freeze(model)
    closed = [o.closed for o in spec.collision_object.values() if o.mode == "control"]
    return Compiled(
        model,
        signals,
        _build_timeline(spec, signals),
        _start(spec, assembly, model, q, qd),
        Commands(floats([float(c) for c in closed])),
        tuple(number),
        tuple(joints_by_name),
    )


def _freeze(part: Any) -> None:
    """Make every array of a tuple read-only: a kernel that writes to one does not compile."""
    for value in part:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        elif isinstance(value, tuple):
            _freeze(value)


def _build_timeline(spec: CellSpec, signals: SignalTable) -> Timeline:
    entries = [
        (round(entry.at_s / spec.step_s), signals[name].column, float(value))
        for entry in spec.timeline
        for name, value in entry.set.items()
    ]
    entries.sort(key=lambda entry: entry[0])
    return Timeline(
        ints([e[0] for e in entries]),
        ints([e[1] for e in entries]),
        floats([e[2] for e in entries]),
    )


def _start(spec: CellSpec, assembly: Assembly, model: Model, q: Floats, qd: Floats) -> State:
    """The state at tick 0: nobody is held yet; the first tick catches what touches."""
    p_WB, q_WB, v_WB, w_WB = [], [], [], []
    for name, free in zip(assembly.moving, model.bodies.free[len(assembly.driven) :], strict=True):
        if free == NONE:
            continue
        body = spec.body[name]
        pose = Pose.of(body.position_m, body.orientation_deg)
        arm = pose.R @ assembly.groups[name].center
        w = np.radians(body.angular_velocity_deg_s)
        p_WB.append(pose.p + arm)
        q_WB.append(pose.q)
        v_WB.append(np.array(body.velocity_m_s) + np.cross(w, arm))
        w_WB.append(w)
    n = len(spec.constrained_object)
    return State(
        tick=ints([0]),
        p_WB=floats(p_WB, 3),
        q_WB=floats(q_WB, 4),
        v_WB=floats(v_WB, 3),
        w_WB=floats(w_WB, 3),
        q=q,
        qd=qd,
        partner=ints([NONE] * n),
        caught=ints([LONG_AGO] * n),
        p_BT=np.zeros((n, 3)),
        q_BT=np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
    )

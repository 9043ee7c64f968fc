"""Spec to model: everything that can be decided before the first tick, decided once."""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Floats, Ints, check, declared, leaves
from twincell.sim.build.arms import build_arms
from twincell.sim.build.assembly import assemble
from twincell.sim.build.bodies import (
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
from twincell.sim.build.bridges import check_wires
from twincell.sim.build.contact import build_laws, build_surfaces, check_support
from twincell.sim.build.moves import Move, plan_timeline
from twincell.sim.build.network import build_collision, build_constrained
from twincell.sim.build.robots import axes_of, build_robots, expand_robots, gears, ideal_joints
from twincell.sim.build.servos import given_gains
from twincell.sim.build.signals import build_signals, named_ports
from twincell.sim.build.stability import (
    place_of_axis,
    place_of_joint,
    settle_joints,
    trees_of_joints,
)
from twincell.sim.build.start import start_commands, start_state
from twincell.sim.devices import modules
from twincell.sim.model import NONE, Model
from twincell.sim.plan import Arm
from twincell.sim.signals import SignalTable
from twincell.sim.sizes import sizes_of
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.problems import Problems
from twincell.sim.state import Commands, State
from twincell.sim.subjects import LINES


class Timeline(NamedTuple):
    """Commands and fault levers of the cell file in the order of their ticks."""

    tick: Annotated[Ints, "n_setting"]  # tick that latches it
    command: Annotated[Ints, "n_setting"]  # which command or lever
    value: Annotated[Floats, "n_setting"]


class Compiled(NamedTuple):
    """A cell ready to run: what never changes, and where it starts."""

    model: Model
    signals: SignalTable
    timeline: Timeline
    moves: tuple[Move, ...]
    state: State
    commands: Commands
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    arms: tuple[Arm, ...]  # the robots, as planning sees them


def compile_cell(spec: CellSpec) -> Compiled:
    """Compile a checked cell; a SpecError names what the step, or a surface, cannot carry."""
    whole = expand_robots(spec)
    assembly = assemble(whole, ideal_joints(spec))
    number = body_numbers(assembly)
    joints_by_name = moving_joints(whole, assembly)
    joint_number = {name: k for k, name in enumerate(joints_by_name)}
    bodies, trees = build_bodies(whole, assembly)
    ports, port = build_ports(assembly, number, named_ports(spec))
    joints = build_joints(whole, assembly, gears(spec, joint_number), port)
    q, qd = joint_start(whole, assembly)
    movers, waypoints = build_movers(spec)
    collision, grid_cell, grid_mask = build_collision(spec, port)
    signals, columns = build_signals(spec, joints_by_name, joint_number, port)
    places = axes_of(spec)
    robots, axes = build_robots(
        spec, assembly, joints, joint_number, port, int((collision.command != NONE).sum())
    )
    axes = given_gains(spec, places, axes)

    rk4 = spec.integrator == "rk4"
    problems = Problems(spec.source)
    axis_places = {a.joint: place_of_axis(a.robot, a.model.name) for a in places}
    joints, axes = settle_joints(
        bodies,
        joints,
        axes,
        [spec.robot[a.robot].servo for a in places],
        trees_of_joints(bodies, trees, len(assembly.driven)),
        [axis_places.get(name) or place_of_joint(name) for name in joints_by_name],
        q,
        spec.step_s,
        rk4,
        problems,
    )
    surfaces = build_surfaces(spec, port, ports, bodies, len(assembly.driven))
    laws = build_laws(spec)
    check_support(spec, surfaces, bodies, laws, problems)
    problems.raise_if_any()

    devices = declared(Model)["devices"]
    model = Model(
        bodies=bodies,
        trees=trees,
        joints=joints,
        movers=movers,
        waypoints=waypoints,
        robots=robots,
        axes=axes,
        ports=ports,
        collision=collision,
        constrained=build_constrained(spec, port, ports, bodies),
        surfaces=surfaces,
        laws=laws,
        devices=devices(*(device.build(spec, signals) for device in modules("build").values())),
        columns=columns,
        addresses=ints([0] * len(LINES)),
        gravity=tuple(map(float, spec.gravity_m_s2)),  # type: ignore[arg-type]
        step=spec.step_s,
        contact_tolerance=spec.contact_tolerance,
        n_stage=4 if rk4 else 1,
        n_driven=len(assembly.driven),
        grid_cell=grid_cell,
        grid_mask=grid_mask,
    )
    sizes = sizes_of(model)
    for _, array in leaves(model):
        array.flags.writeable = False  # a kernel that writes to it does not compile
    arms = build_arms(spec, model)
    state = start_state(whole, assembly, model, sizes, q, qd)
    moves = plan_timeline(spec, arms, model, state.robots.hold, problems)
    check_wires(spec, signals, problems)
    problems.raise_if_any()
    timeline = _build_timeline(spec, signals)
    commands = start_commands(spec, model, arms, state.robots.hold, signals)
    check(timeline, {"n_setting": len(timeline.tick)})
    check(commands, {"n_latched": len(signals.latched)})
    return Compiled(
        model,
        signals,
        timeline,
        moves,
        state,
        commands,
        tuple(number),
        tuple(joints_by_name),
        arms,
    )


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

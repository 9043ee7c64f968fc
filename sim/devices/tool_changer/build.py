"""From the cell file to the arrays of tool changers and tools, and how they start."""

import math
from typing import Any

import numpy as np

from twincell.sim.arrays import Floats, Ints, declared
from twincell.sim.build.bodies import floats, ints
from twincell.sim.devices.parts.build import first_columns, wiring
from twincell.sim.devices.tool_changer.air import PASCAL_PER_BAR
from twincell.sim.devices.tool_changer.model import ToolChangers, ToolOutputs, Tools
from twincell.sim.devices.tool_changer.signals import N_DIGITAL, SIGNALS
from twincell.sim.devices.tool_changer.spec import Tool, ToolChanger, wired_outputs
from twincell.sim.devices.tool_changer.state import VALVE_LOCK, VALVE_UNLOCK
from twincell.sim.model import NONE, Model
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import CellSpec
from twincell.sim.state import State


def build(spec: CellSpec, signals: SignalTable) -> ToolChangers:
    """Tool changers, with the times of the file in ticks."""
    number = {name: k for k, name in enumerate(spec.collision_object)}
    named = spec.section("tool_changer", ToolChanger)
    changers = list(named.values())
    lever = first_columns(signals, named, SIGNALS.levers)
    wires: Any = declared(ToolChangers)["wires"]

    def ticks(key: str) -> list[int]:
        return [changer.ticks(key, spec.step_s) for changer in changers]

    def times(key: str) -> Ints:
        return ints(ticks(key))

    def pressures(key: str) -> Floats:
        return floats([getattr(changer, key) * PASCAL_PER_BAR for changer in changers])

    def sizes(key: str, factor: float = 1.0) -> Floats:
        return floats([changer.size(key) * factor for changer in changers])

    limits = ("axial_limit_n", "shear_limit_n", "moment_limit_nm")
    return ToolChangers(
        flange=ints([number[changer.flange] for changer in changers]),
        command=first_columns(signals, named, SIGNALS.commands),
        lever=lever,
        column=first_columns(signals, named, SIGNALS.feedback),
        valve_delay=times("valve_delay_s"),
        fill=floats(ticks("fill_s")),
        stroke=floats(ticks("stroke_s")),
        gap=sizes("gap_tolerance_m"),
        tilt=sizes("tilt_tolerance_deg", math.radians(1.0)),
        sensor_radius=sizes("sensor_radius_m"),
        present=floats([changer.present_m for changer in changers]),
        supply=pressures("supply_bar"),
        ok=pressures("ok_bar"),
        stall=pressures("stall_bar"),
        air_share=floats([-math.expm1(-spec.step_s / changer.air_s) for changer in changers]),
        limit=floats([[changer.size(key) for key in limits] for changer in changers], 3),
        power_start=times("power_start_s"),
        power_off=times("power_off_s"),
        bus_start=times("bus_start_s"),
        power_time_out=times("power_time_out_s"),
        bus_time_out=times("bus_time_out_s"),
        stroke_time_out=times("stroke_time_out_s"),
        discrepancy=times("discrepancy_s"),
        air_time_out=times("air_time_out_s"),
        wires=wiring(wires, lever, [c.signals for c in changers], N_DIGITAL, spec.step_s),
        tools=_build_tools(spec),
        outputs=_build_outputs(spec),
    )


def start(spec: CellSpec, model: Model, state: State) -> None:
    """At tick 0: air on, pistons where the flanges say, nothing coupled."""
    changers, own = model.devices.tool_changer, state.devices.tool_changer
    named = spec.section("tool_changer", ToolChanger)
    locked = ints([spec.collision_object[c.flange].closed for c in named.values()])
    own.pressure[:] = changers.supply
    own.valve[:] = np.where(locked, VALVE_LOCK, VALVE_UNLOCK)
    own.filled[:] = changers.fill
    own.piston[:] = changers.stroke * locked
    own.coupled[:] = NONE
    own.wires.wire[:] = changers.wires.inverted


def signal_limits(changer: ToolChanger) -> dict[str, tuple[float, float]]:
    """Between which numbers signals stay that depend on the cell file."""
    return {"AirPressure": (0.0, changer.supply_bar)}


def _build_tools(spec: CellSpec) -> Tools:
    number = {name: k for k, name in enumerate(spec.constrained_object)}
    tools = spec.section("tool", Tool)
    return Tools(
        object=ints([number[name] for name in tools]),
        id=ints([tool.id for tool in tools.values()]),
        inputs=ints([tool.inputs for tool in tools.values()]),
        echo=ints([tool.echo for tool in tools.values()]),
    )


def _build_outputs(spec: CellSpec) -> ToolOutputs:
    number = {name: k for k, name in enumerate(spec.section("tool", Tool))}
    wired = wired_outputs(spec.section("tool", Tool))
    return ToolOutputs(
        tool=ints([number[tool] for tool, _ in wired.values()]),
        bit=ints([bit for _, bit in wired.values()]),
    )

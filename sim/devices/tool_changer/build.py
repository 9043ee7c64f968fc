"""Tool changers, tools and stands as arrays, and how they start."""

import math

import numpy as np

from twincell.sim.build.bodies import floats, ints
from twincell.sim.devices.tool_changer.air import PASCAL_PER_BAR, VALVE_LOCK, VALVE_UNLOCK
from twincell.sim.devices.tool_changer.signals import CHANGER_COMMANDS, CHANGER_LEVERS, N_DIGITAL
from twincell.sim.devices.tool_changer.spec import ChangerSignals, DigitalSignal
from twincell.sim.devices.tool_stand.signals import STAND_LEVERS
from twincell.sim.model import NONE, Changers, Floats, Ints, Model, Stands, Tools
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import CellSpec
from twincell.sim.state import State


def build_stands(spec: CellSpec, signals: SignalTable) -> Stands:
    """Tool stands, and where their levers are."""
    number = {name: k for k, name in enumerate(spec.collision_object)}
    stands = spec.tool_stand
    return Stands(
        holder=ints([number[stand.holder] for stand in stands.values()]),
        lever=ints([signals[f"{name}.{STAND_LEVERS[0][0]}"].column for name in stands]),
        tolerance=floats([stand.tolerance_m for stand in stands.values()]),
    )


def build_tools(spec: CellSpec) -> Tools:
    """What tool changers couple."""
    number = {name: k for k, name in enumerate(spec.constrained_object)}
    return Tools(
        object=ints([number[name] for name in spec.tool]),
        id=ints([tool.id for tool in spec.tool.values()]),
        inputs=ints([tool.inputs for tool in spec.tool.values()]),
        echo=ints([tool.echo for tool in spec.tool.values()]),
    )


def build_changers(spec: CellSpec, signals: SignalTable) -> Changers:
    """Tool changers, with the times of the file in ticks."""
    number = {name: k for k, name in enumerate(spec.collision_object)}
    changers = list(spec.tool_changer.values())

    def ticks(key: str) -> list[int]:
        return [changer.ticks(key, spec.step_s) for changer in changers]

    def times(key: str) -> Ints:
        return ints(ticks(key))

    def pressures(key: str) -> Floats:
        return floats([getattr(changer, key) * PASCAL_PER_BAR for changer in changers])

    def sizes(key: str, factor: float = 1.0) -> Floats:
        return floats([changer.size(key) * factor for changer in changers])

    def wiring(key: str) -> Ints:
        rows = [
            [round(value / spec.step_s) if key != "inverted" else int(value) for value in values]
            for values in (
                [getattr(signal, key) for signal in _digital(c.signals)] for c in changers
            )
        ]
        return ints(rows, N_DIGITAL)

    limits = ("axial_limit_n", "shear_limit_n", "moment_limit_nm")
    return Changers(
        flange=ints([number[changer.flange] for changer in changers]),
        command=_first(spec, signals, CHANGER_COMMANDS[0][0]),
        lever=_first(spec, signals, CHANGER_LEVERS[0][0]),
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
        inverted=wiring("inverted"),
        on_delay=wiring("on_delay_s"),
        off_delay=wiring("off_delay_s"),
    )


def start_devices(spec: CellSpec, model: Model, state: State) -> None:
    """What devices remember at tick 0: air on, pistons where the flanges say, nothing coupled."""
    locked = ints([spec.collision_object[c.flange].closed for c in spec.tool_changer.values()])
    state.pressure[:] = model.changers.supply
    state.valve[:] = np.where(locked, VALVE_LOCK, VALVE_UNLOCK)
    state.filled[:] = model.changers.fill
    state.piston[:] = model.changers.stroke * locked
    state.coupled[:] = NONE
    state.wire[:] = model.changers.inverted


def _first(spec: CellSpec, signals: SignalTable, quantity: str) -> Ints:
    return ints([signals[f"{name}.{quantity}"].column for name in spec.tool_changer])


def _digital(signals: ChangerSignals) -> list[DigitalSignal]:
    """The wiring of all digital signals, in the order of their declaration."""
    return [getattr(signals, key) for key in ChangerSignals.model_fields]

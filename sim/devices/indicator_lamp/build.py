"""From the cell file to the arrays of indicator lamps, and how they start."""

from typing import Any

from twincell.sim.arrays import Ints, declared
from twincell.sim.build.bodies import ints
from twincell.sim.devices.indicator_lamp.model import IndicatorLamps
from twincell.sim.devices.indicator_lamp.signals import N_DIGITAL, SIGNALS
from twincell.sim.devices.indicator_lamp.spec import IndicatorLamp
from twincell.sim.devices.parts.build import first_columns, wiring
from twincell.sim.model import Model
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import CellSpec
from twincell.sim.state import State


def build(spec: CellSpec, signals: SignalTable) -> IndicatorLamps:
    """Indicator lamps, with the times of the file in ticks."""
    lamps = spec.section("indicator_lamp", IndicatorLamp)
    lever = first_columns(signals, lamps, SIGNALS.levers)
    tables: list[Any] = [lamp.signals for lamp in lamps.values()]

    def times(key: str) -> Ints:
        return ints([round(getattr(lamp, key) / spec.step_s) for lamp in lamps.values()])

    return IndicatorLamps(
        command=first_columns(signals, lamps, SIGNALS.commands),
        lever=lever,
        column=first_columns(signals, lamps, SIGNALS.feedback),
        slow_blink=times("slow_blink_s"),
        fast_blink=times("fast_blink_s"),
        lit_time_out=times("lit_time_out_s"),
        press_time_out=times("press_time_out_s"),
        wires=wiring(declared(IndicatorLamps)["wires"], lever, tables, N_DIGITAL, spec.step_s),
    )


def start(spec: CellSpec, model: Model, state: State) -> None:
    """At tick 0: dark, and nobody presses."""
    own = state.devices.indicator_lamp
    own.wires.wire[:] = model.devices.indicator_lamp.wires.inverted

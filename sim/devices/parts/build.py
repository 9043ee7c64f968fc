"""From a device's tables to the arrays that devices have in common."""

from collections.abc import Mapping
from typing import Any

from twincell.sim.arrays import Ints
from twincell.sim.build.bodies import ints
from twincell.sim.devices.contract import DeviceSignal
from twincell.sim.signals import SignalTable
from twincell.sim.spec.table import Table


def first_columns(
    signals: SignalTable, names: Mapping[str, Any], declared: tuple[DeviceSignal, ...]
) -> Ints:
    """Where each device's block of these signals begins."""
    return ints([signals[f"{name}.{declared[0].quantity}"].column for name in names])


def wiring(kind: type, lever: Ints, tables: list[Table], n_wire: int, step_s: float) -> Any:
    """How signals are wired, by tables with an entry for each in their order; `kind`: a Wiring."""
    wires = [[getattr(table, key) for key in type(table).model_fields] for table in tables]

    def ticks(key: str) -> Ints:
        return ints([[round(getattr(w, key) / step_s) for w in row] for row in wires], n_wire)

    inverted = ints([[int(w.inverted) for w in row] for row in wires], n_wire)
    return kind(lever, inverted, ticks("on_delay_s"), ticks("off_delay_s"))

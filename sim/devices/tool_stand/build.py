"""From the cell file to the arrays of tool stands."""

from twincell.sim.build.bodies import floats, ints
from twincell.sim.devices.parts.build import first_columns
from twincell.sim.devices.tool_stand.model import ToolStands
from twincell.sim.devices.tool_stand.signals import SIGNALS
from twincell.sim.devices.tool_stand.spec import ToolStand
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import CellSpec


def build(spec: CellSpec, signals: SignalTable) -> ToolStands:
    """Tool stands, and where their levers are."""
    number = {name: k for k, name in enumerate(spec.collision_object)}
    stands = spec.section("tool_stand", ToolStand)
    return ToolStands(
        holder=ints([number[stand.holder] for stand in stands.values()]),
        lever=first_columns(signals, stands, SIGNALS.levers),
        column=first_columns(signals, stands, SIGNALS.feedback),
        tolerance=floats([stand.tolerance_m for stand in stands.values()]),
    )

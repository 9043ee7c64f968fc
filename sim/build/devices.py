"""Tool stands as arrays."""

from sim.build.bodies import ints
from sim.model import Stands
from sim.signals import SignalTable
from sim.spec.cell import CellSpec


def build_stands(spec: CellSpec, signals: SignalTable) -> Stands:
    """Tool stands, and where their levers are."""
    number = {name: k for k, name in enumerate(spec.collision_object)}
    return Stands(
        holder=ints([number[stand.holder] for stand in spec.tool_stand.values()]),
        lever=ints([signals[f"{name}.Fault.Empty"].column for name in spec.tool_stand]),
    )

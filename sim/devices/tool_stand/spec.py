"""What a cell file may say about a tool stand."""

from typing import TYPE_CHECKING

from twincell.sim.devices.contract import Holder
from twincell.sim.spec.table import Name, Positive, Table

if TYPE_CHECKING:
    from twincell.sim.spec.cell import CellSpec


class ToolStand(Table):
    """A place where a tool waits."""

    holder: Name
    """Passive collision object that holds the tool."""
    tolerance_m: Positive = 0.005
    """How near to the holder's frame a tool counts as being in the stand; our default."""


TABLES = {"tool_stand": ToolStand}


def holders(cell: "CellSpec") -> dict[str, Holder]:
    """Its holder catches, unless the stand is broken."""
    stands = cell.section("tool_stand", ToolStand)
    return {stand.holder: Holder(item) for item, stand in enumerate(stands.values())}

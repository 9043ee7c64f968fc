"""What compilation decides about tool stands."""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Floats, Ints


class ToolStands(NamedTuple):
    """Where tools wait."""

    holder: Annotated[Ints, "n_tool_stand"]  # collision object that holds the tool
    lever: Annotated[Ints, "n_tool_stand"]  # its first fault lever among what is latched
    column: Annotated[Ints, "n_tool_stand"]  # of its first signal in a row
    tolerance: Annotated[Floats, "n_tool_stand"]  # how near a tool is in the stand [m]


MODEL = ToolStands

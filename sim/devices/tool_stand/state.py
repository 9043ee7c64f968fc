"""What tool stands remember."""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Floats


class ToolStandState(NamedTuple):
    """Where they really are."""

    shift: Annotated[Floats, "n_tool_stand", 3]  # off where the file puts them, holder's axes [m]


STATE = ToolStandState

"""What a scenario file may say: a cell, and steps with what to do and what to expect.

    [[step]]
    name = "The flange takes the tool"
    when = { "Robot1.Moving" = false }
    set = { "Robot1Flange.Closed" = true }
    expect = { "Tool1.Partner" = "Robot1Flange", "Tool1.Force.Z" = { above = 5.0 } }
    within_s = 0.5
    for_s = 1.0

Read it aloud: when the robot has stopped, set Closed; expect the partner and the force within half
a second, and for one second from then on.
"""

from typing import Annotated, Any

from pydantic import Field, PrivateAttr

from twincell.sim.spec.cell import CommandValue
from twincell.sim.spec.problems import Source
from twincell.sim.spec.robot import MoveJoint, MoveLinear, MoveVia
from twincell.sim.spec.table import Name, NotNegative, Number, Positive, Table

LONGEST_WHEN_S = 60.0  # chosen: nobody waits longer for a robot


class Bounds(Table):
    """What a signal is to be, when it is not one value."""

    above: Number | None = None
    """Greater than this."""
    below: Number | None = None
    """Less than this."""
    between: Annotated[tuple[Number, Number], Field(strict=False)] | None = None
    """From the first to the second, both included."""
    is_not: bool | int | str | None = None
    """Anything but this value."""


Conditions = dict[str, bool | int | float | str | Bounds]
"""Signals and what each is to be: a value, or a table with above, below, between or is_not."""


class Call(Table):
    """A method of the cell, called."""

    method: Annotated[str, Field(min_length=1)]
    """Its name, such as Simulation.SetSpeed."""
    arguments: list[bool | int | float | str] = Field(default=[])
    """Its arguments, in their order."""


class Step(Table):
    """What is done together, and what must follow from it."""

    name: Annotated[str, Field(min_length=1)]
    """What happens here, in a few words."""
    at_s: NotNegative | None = None
    """Begin at this time since the start of the scenario; left out: after the step before."""
    when: Conditions = Field(default={})
    """Begin as soon as all of these hold."""
    when_within_s: Positive = LONGEST_WHEN_S
    """How long `when` may take."""
    clear_faults: bool = False
    """Take all faults away."""
    fault: dict[str, CommandValue] = Field(default={})
    """Fault levers and their values."""
    set: dict[str, CommandValue] = Field(default={})
    """Commands and their values; all take effect in the same tick."""
    call: list[Call] = Field(default=[])
    """Methods to call, one after the other; none that sets time back or stops it."""
    move_joint: dict[Name, MoveJoint] = Field(default={})
    """Robots and where to move their joints."""
    move_linear: dict[Name, MoveLinear] = Field(default={})
    """Robots and where to move their tool centre points, straight."""
    move_via: dict[Name, MoveVia] = Field(default={})
    """Robots and the poses past which to move their tool centre points."""
    expect: Conditions = Field(default={})
    """What must become true, all of it in one tick."""
    within_s: Positive | None = None
    """How long `expect` may take; left out: it must be true with the next tick."""
    for_s: Positive | None = None
    """How long it must stay true from then on; without `expect`: how long the step lasts."""
    never: Conditions = Field(default={})
    """What must not be true in any tick of this step."""

    @property
    def has_moves(self) -> bool:
        """Whether a robot is moved."""
        return bool(self.move_joint or self.move_linear or self.move_via)

    @property
    def does_something(self) -> bool:
        """Whether it does more than wait and look."""
        done = self.clear_faults or self.fault or self.set or self.call
        return bool(done) or self.has_moves


class Scenario(Table):
    """A test of a cell and of what drives it."""

    name: Annotated[str, Field(min_length=1)]
    """What is proved."""
    description: str = ""
    """Why, and what to look at."""
    cell: Annotated[str, Field(min_length=1)]
    """Name of a shipped cell, or a cell file seen from the folder of this file."""
    plot: list[str] = Field(default=[])
    """Signals to draw in the report besides those that are checked."""
    never: Conditions = Field(default={})
    """What must not be true in any tick of the whole scenario."""
    step: Annotated[list[Step], Field(min_length=1)]

    _source: Source = PrivateAttr(default=Source("<scenario>", {}))
    _fingerprint: str = PrivateAttr(default="")

    @property
    def source(self) -> Source:
        """Where its keys stand."""
        return self._source

    @property
    def fingerprint(self) -> str:
        """SHA-256 of its file, as it was when it was read."""
        return self._fingerprint


def plain(wanted: Any) -> Any:
    """A condition of a scenario as `condition_of` takes it."""
    if not isinstance(wanted, Bounds):
        return wanted
    bounds = wanted.model_dump(exclude_none=True)
    if "is_not" in bounds:
        bounds["not"] = bounds.pop("is_not")
    return bounds

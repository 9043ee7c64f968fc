"""What every type of joint declares: one file `joint_<type>.py` a type, listed in `joints.py`.

A joint has one coordinate q and an axis u, a unit vector that is fixed in both of its bodies. Its
child B moves along the motion subspace S, here about the joint's own point J:

    S = (slide u, turn u)                  linear part, angular part          turn: 1 or 0

    q_WB = q_WA ∘ q_AJ ∘ q(u turn q)       p_J = p_A + R_A p_AJ + u slide q
    ω_B  = ω_A + u turn q̇                  v_J = v_A + ω_A x (p_J - p_A) + u slide q̇
    ζ    = (2 ω_A x u slide q̇, ω_A x u turn q̇)       acceleration at q̈ = 0, beside centripetal

So whether it turns, and how far it slides for a unit of q, are all that the kernels know of a type,
and none of them asks for it. What turns has an angle for its coordinate.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from twincell.sim.signals import Declared

FileUnit = Literal["deg", "m"]


class Coordinate(NamedTuple):
    """What a joint's position is: its units in signals and in files."""

    file_unit: FileUnit  # in which files give it
    unit: str
    speed_unit: str
    effort_unit: str  # of what spring, damper, friction, stops and drive do along it


ANGLE = Coordinate("deg", "rad", "rad/s", "N.m")
LENGTH = Coordinate("m", "m", "m/s", "N")


class JointType(NamedTuple):
    """A type of joint. There are no defaults: one that leaves something out is not imported."""

    type: str  # what files call it
    word: str  # what a person calls it
    coordinate: Coordinate
    sizes: tuple[str, ...]  # keys of its table in a file, beside those of every joint, for S
    without_size: str  # what to write instead of a size of 0; "" if it has none
    motion: Callable[
        ..., tuple[int, float]
    ]  # turn (1 or 0) and slide [m a unit of q], of its sizes
    signals: tuple[Declared, Declared, Declared]  # position, velocity, effort: as `sense.py` writes

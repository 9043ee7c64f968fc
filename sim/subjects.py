"""Subjects of the tick that are compiled apart: which lines of `step` they are, and who has them.

A cell that has none of a subject neither compiles nor loads it. Everything else, that every cell
has (mechanics, constraint network, integrator, rows), is compiled into the tick itself.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # whose devices have kernels of their own
    from twincell.sim.model import Model


class Subject(NamedTuple):
    """Lines of the tick that are machine code of their own."""

    name: str
    lines: tuple[str, ...]  # the kernels that `step` calls
    is_used: Callable[["Model"], bool]  # whether a cell has it


def _has_surfaces(model: "Model") -> bool:
    return model.surfaces.port.size > 0


SUBJECTS = (  # what takes long to compile first
    Subject("contact detection", ("find_contacts",), _has_surfaces),
    Subject("contact forces", ("push_contacts", "shift_bodies"), _has_surfaces),
    Subject(
        "devices",
        ("advance_devices", "measure_loads"),
        lambda model: any(device.column.size for device in model.devices),
    ),
    Subject(
        "robots",
        ("take_orders", "aim", "feed_forward", "drive", "find_efforts"),
        lambda model: model.robots.first.size > 0,
    ),
)

LINES = tuple(line for subject in SUBJECTS for line in subject.lines)

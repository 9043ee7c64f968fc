"""What the demo does and when: the timeline of the cell file, as a PLC would write and call it."""

from typing import NamedTuple

from asyncua import ua

from twincell.server.client.robot_calls import Call, calls_of
from twincell.sim.build import Compiled
from twincell.sim.signals import Direction
from twincell.sim.spec.cell import CellSpec, TimelineEntry


class Scene(NamedTuple):
    """What happens at one time."""

    at_s: float
    values: dict[str, ua.Variant]  # to be written in one request
    calls: tuple[Call, ...]


class DemoScript(NamedTuple):
    """All of it."""

    scenes: tuple[Scene, ...]
    end_s: float  # when the last scene has begun, and movers have followed all their waypoints


def script_of(spec: CellSpec, compiled: Compiled) -> DemoScript:
    """The script that a cell file tells."""
    angular = {arm.name: arm.angular.tolist() for arm in compiled.arms}
    scenes = [
        Scene(entry.at_s, _values(entry, compiled), tuple(calls_of(entry, angular)))
        for entry in sorted(spec.timeline, key=lambda entry: entry.at_s)
    ]
    ends = [point.at_s for mover in spec.mover.values() for point in mover.waypoints or ()]
    return DemoScript(tuple(scenes), max([scene.at_s for scene in scenes] + ends, default=0.0))


def _values(entry: TimelineEntry, compiled: Compiled) -> dict[str, ua.Variant]:
    """What a PLC can write: fault levers are not its own."""
    signals = [(compiled.signals[name], value) for name, value in entry.set.items()]
    return {
        signal.name: ua.Variant(signal.value(value), ua.VariantType[signal.kind.value])
        for signal, value in signals
        if signal.direction is Direction.COMMAND
    }

"""The wires of bridges end at signals that the cell has, and that can take what they bring."""

from twincell.sim.signals import WHOLE, Direction, Kind, SignalTable
from twincell.sim.spec.bridge import BridgeWire
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.problems import Problems, did_you_mean

CLOCK = {  # of a running cell, beside its signals: signs of life for a controller
    "Simulation.Time": Kind.DOUBLE,
    "Simulation.Tick": Kind.INT32,
}


def check_wires(spec: CellSpec, signals: SignalTable, problems: Problems) -> None:
    """Note every wire whose signal is not there, or is not of the right kind."""
    commands = [signal.name for signal in signals.commands]
    told = [s.name for s in signals if s.direction is not Direction.FAULT]
    for place, bridge in enumerate(spec.bridge):
        for direction, wires in (("command", bridge.command), ("feedback", bridge.feedback)):
            known = commands if direction == "command" else [*told, *CLOCK]
            for number, wire in enumerate(wires):
                key = f"bridge[{place}].{direction}[{number}]"
                if wire.signal in known:
                    _check_kind(key, wire, kind_of(wire.signal, signals), problems)
                else:
                    _tell_unknown(key, wire.signal, direction, known, signals, problems)


def kind_of(name: str, signals: SignalTable) -> Kind:
    """What a signal or the clock of the cell is."""
    return CLOCK[name] if name in CLOCK else signals[name].kind


def _tell_unknown(
    key: str, name: str, direction: str, known: list[str], signals: SignalTable, problems: Problems
) -> None:
    hint = did_you_mean(name, known) or "the cell has none"
    if name in signals:
        kind = signals[name].direction
        text = f"{name} is a {'fault lever' if kind is Direction.FAULT else kind}"
        problems.add(f"{key}.signal", f"{text}: a bridge cannot carry it as {direction}", hint)
    else:
        what = "command" if direction == "command" else "signal"
        problems.add(f"{key}.signal", f"there is no {what} {name}", hint)


def _check_kind(key: str, wire: BridgeWire, kind: Kind, problems: Problems) -> None:
    is_number = kind is Kind.DOUBLE or kind in WHOLE
    for name in ("scale", "offset"):
        if name in wire.model_fields_set and not is_number:
            text = f"{wire.signal} is a {kind}, which has no {name}"
            problems.add(f"{key}.{name}", text, hint="remove it; invert turns a Boolean round")
    if wire.scale == 0.0:
        text = "0 would make every number the same"
        problems.add(f"{key}.scale", text, hint="give another number, such as 0.001")
    for name in ("invert", "bit"):
        if name in wire.model_fields_set and kind is not Kind.BOOLEAN:
            text = f"{wire.signal} is a {kind}, not a Boolean"
            problems.add(f"{key}.{name}", text, hint="remove it")

"""In which words a device says what it takes, shows and holds."""

from typing import NamedTuple

from twincell.sim.signals import Declared, Kind


class DeviceSignal(NamedTuple):
    """A command, a lever, or something that is shown."""

    quantity: str
    kind: Kind
    unit: str
    description: str
    texts: tuple[str, ...] = ()  # what its numbers mean, from 0
    names_of: str = ""  # table of the cell file whose names its numbers mean, from 1; 0: none
    limits: tuple[float, float] | None = None  # between which it stays, where that is known
    by_hand: bool = False  # a lever that is no fault: what a person does at the device

    @property
    def declared(self) -> Declared:
        """What every signal has, also one of no device."""
        return self.quantity, self.kind, self.unit, self.description


class Constant(NamedTuple):
    """A value of the cell file that clients may want to know."""

    name: str
    key: str  # of the device's table
    description: str


class DeviceSignals(NamedTuple):
    """Everything that a device takes and shows; columns follow this order."""

    commands: tuple[DeviceSignal, ...] = ()
    levers: tuple[DeviceSignal, ...] = ()  # 0 while nothing is wrong; all called `Fault.<what>`
    feedback: tuple[DeviceSignal, ...] = ()  # what really is, whatever sensors say: `Truth.<what>`
    constants: tuple[Constant, ...] = ()

    @property
    def settable(self) -> tuple[DeviceSignal, ...]:
        """What a timeline may set."""
        return self.commands + self.levers


class Holder(NamedTuple):
    """A collision object that catches when a device says so, not by a command of its own."""

    item: int  # by which the device knows it
    driver: str = ""  # of a control object: who opens and closes it, "the tool changer Changer1"
    hint: str = ""  # what to set instead of its Closed


def places(signals: tuple[DeviceSignal, ...]) -> dict[str, int]:
    """Where each quantity stands among these signals."""
    return {signal.quantity: place for place, signal in enumerate(signals)}


def plain_name(device: str) -> str:
    """What people call it: tool changer."""
    return device.replace("_", " ")


def type_name(device: str) -> str:
    """What programs call it: ToolChanger."""
    return "".join(word.capitalize() for word in device.split("_"))

"""The object Simulation: the clock of the cell, how well it keeps time, and the methods for it."""

from asyncua import ua
from asyncua.ua import VariantType

from twincell.server.opcua.space.layout import DOUBLE, INT64, UINT32
from twincell.server.opcua.space.space_groups import Group
from twincell.server.opcua.space.space_members import Members, Value
from twincell.server.opcua.space.space_methods import SIMULATION_METHODS
from twincell.server.opcua.space.variable import Variable
from twincell.sim.signals import Direction, Kind, Signal

SLOW = (
    Value("State", VariantType.String, "Running, Paused, Fault or Down"),
    Value("Speed", VariantType.Double, "Simulated over real time, as asked for"),
    Value("RealTimeFactor", VariantType.Double, "Simulated over real time, as measured"),
    Value("Overruns", VariantType.Int64, "Ticks that took longer than the step"),
    Value("Slips", VariantType.Int64, "How often the clock was set back to catch up"),
    Value("ContactsUnsettled", VariantType.Int64, "Contact forces that were found nearly only"),
    Value("ContactsLeftOut", VariantType.Int64, "Contact points for which there was no room"),
    Value("LatenessP99", VariantType.Double, "99 of 100 ticks began less late than this", "us"),
    Value("WorstLateness", VariantType.Double, "How late the latest tick began", "us"),
    Value("Heartbeat", VariantType.Int64, "Counts while the real-time process lives"),
    Value("Fault", VariantType.String, "Why the cell stopped itself, empty if it did not"),
    Value("Rights", VariantType.String, "What the system granted the real-time process"),
    Value("Restarts", VariantType.Int64, "How often the real-time process was started again"),
    Value("Resets", VariantType.Int64, "How often the cell was put back: reset or restored"),
    Value("TimeMode", VariantType.String, "Who moves time: FreeRun, Handshake or LockStep"),
    Value("CycleTime", VariantType.Double, "The controller's cycle in handshake", "ms"),
    Value(
        "CycleCounter",
        VariantType.UInt32,
        "In handshake: each new value is one cycle of the controller",
        is_command=True,
    ),
    Value("ControllerLost", VariantType.Boolean, "Whether it went or fell silent, until a command"),
    Value("Recording", VariantType.String, "File that is recorded into, empty if none is"),
    Value("RecordedRows", VariantType.Int64, "Rows in that recording, or the last one"),
    Value("LostRows", VariantType.Int64, "Rows that the recorder came too late for"),
    Value("RecordingError", VariantType.String, "Why the last recording failed, empty if not"),
    Value("ActiveFaults", VariantType.String, "Faults that were injected", is_list=True),
    Value("FaultCount", VariantType.Int64, "How many there are of these"),
)


def add_simulation(
    members: Members, parent: ua.NodeId, owner: str, n_signal: int
) -> tuple[list[Variable], dict[str, ua.NodeId], dict[str, ua.NodeId]]:
    """Its members: variables of rows, slow values by name, methods by name."""
    made = [
        variable
        for clock in _clock(owner, n_signal)
        for variable in members.add_group(parent, clock)
    ]
    slow = {f"{owner}.{value.name}": members.add_value(parent, owner, value) for value in SLOW}
    methods = {
        f"{owner}.{method.name}": members.add_method(parent, owner, method)
        for method in SIMULATION_METHODS
    }
    return made, slow, methods


def _clock(owner: str, n_signal: int) -> list[Group]:
    """Tick, time and echo stand behind the signals in a row; they are longer than any signal."""
    tick = (n_signal, Kind.INT32, "", Direction.FEEDBACK, "Number of the newest tick")
    time = (n_signal + 1, Kind.DOUBLE, "s", Direction.FEEDBACK, "Simulated time of that tick")
    echo_text = "Counter of the newest cycle that has ended, with the feedback of its last tick"
    echo = (n_signal + 2, Kind.INT32, "", Direction.FEEDBACK, echo_text)
    return [
        Group(f"{owner}.Tick", INT64, (Signal(f"{owner}.Tick", *tick),)),
        Group(f"{owner}.Time", DOUBLE, (Signal(f"{owner}.Time", *time),)),
        Group(f"{owner}.CycleEcho", UINT32, (Signal(f"{owner}.CycleEcho", *echo),)),
    ]

"""What tool changers remember from tick to tick, and derive in one."""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Floats, Ints, Sizes
from twincell.sim.devices.parts.fault_latch import FaultLatch, fault_limits
from twincell.sim.devices.parts.wire import WireState, wire_counts, wire_limits
from twincell.sim.devices.tool_changer.signals import FAULTS, N_DIGITAL, STATES

VALVE_UNLOCK, VALVE_LOCK = 0, 1
N_WATCH = 4  # what must not be wrong for long
WATCH_STAND, WATCH_POWER, WATCH_BUS, WATCH_AIR = range(N_WATCH)


class ToolChangerState(NamedTuple):
    """Air and piston, the coupling, the tool's side, and what the changer makes of its wires."""

    pressure: Annotated[Floats, "n_tool_changer"]  # supply at the changer [Pa]
    valve: Annotated[Ints, "n_tool_changer"]  # VALVE_UNLOCK, VALVE_LOCK
    pulled: Annotated[Ints, "n_tool_changer"]  # ticks that one solenoid pulled against the valve
    filled: Annotated[Floats, "n_tool_changer"]  # ticks of its filling done
    piston: Annotated[Floats, "n_tool_changer"]  # ticks of its stroke done: 0 is unlocked
    ordered: Annotated[Ints, "n_tool_changer"]  # tick of the last order
    under_way: Annotated[Ints, "n_tool_changer"]  # 1 until its end is seen
    # coupling and tool side
    coupled: Annotated[Ints, "n_tool_changer"]  # tool that it holds, or NONE
    load: Annotated[Floats, "n_tool_changer", 3]  # axial, shear [N], moment [Nm] of the last tick
    unlatching: Annotated[Ints, "n_tool_changer"]  # ticks since an unlock order
    powered: Annotated[Ints, "n_tool_changer"]  # ticks that the tool has been switched on
    bus_up: Annotated[Ints, "n_tool_changer"]  # ticks that its bus has had power
    # what it shows, and what it makes of it
    wires: Annotated[WireState, {"n_owner": "n_tool_changer", "n_wire": N_DIGITAL}]
    fault: Annotated[FaultLatch, {"n_owner": "n_tool_changer"}]
    shown: Annotated[Ints, "n_tool_changer"]  # its state
    wrong_for: Annotated[Ints, "n_tool_changer", N_WATCH]  # ticks: stand channels, power, bus, air
    cycles: Annotated[Ints, "n_tool_changer"]  # how often it has locked
    stroke_time: Annotated[Ints, "n_tool_changer", 2]  # of the last unlock and lock [ticks]


class ToolFit(NamedTuple):
    """How a tool sits in front of each tool changer, or on it."""

    tool: Annotated[Ints, "n_tool_changer"]  # coupled or else nearest tool, NONE if there is none
    gap: Annotated[Floats, "n_tool_changer"]  # between the frames' origins [m]
    tilt: Annotated[Floats, "n_tool_changer"]  # angle between the frames [rad]
    ready: Annotated[Ints, "n_tool_changer", 2]  # near enough at each sensor
    in_stand: Annotated[Ints, "n_tool_changer"]  # 1 if the tool is in a stand


STATE, SCRATCH = ToolChangerState, ToolFit
COUNTS = (  # select nothing
    "pulled",
    "ordered",
    "unlatching",
    "powered",
    "bus_up",
    *wire_counts("wires"),
    "wrong_for",
    "cycles",
    "stroke_time",
)


def limits(sizes: Sizes) -> dict[str, tuple[int, int]]:
    """Least and greatest value of the whole numbers that are no counts."""
    return {
        "valve": (VALVE_UNLOCK, VALVE_LOCK),
        "under_way": (0, 1),
        "coupled": (-1, sizes["n_tool"] - 1),
        "shown": (0, len(STATES) - 1),
        **wire_limits("wires", N_DIGITAL),
        **fault_limits("fault", FAULTS),
    }

"""What a tool changer takes and shows: commands, fault levers, feedback and truth, in their order.

The PLC sees what hardware shows; truth stands apart, below `Truth`, for whoever asserts on it.
"""

import math

from twincell.sim.devices.contract import Constant, DeviceSignal, DeviceSignals, places
from twincell.sim.devices.parts.fault_signals import FAULT_RESET as RESET
from twincell.sim.devices.parts.fault_signals import FAULT_WIRE, fault_feedback
from twincell.sim.devices.parts.wire_signals import wire_feedback, wire_levers
from twincell.sim.signals import Kind

# ---------------------------------------------------------------- commands

COMMANDS = (
    DeviceSignal("LockValve", Kind.BOOLEAN, "", "Solenoid that shifts the valve to lock"),
    DeviceSignal(
        "UnlockValve", Kind.BOOLEAN, "", "Solenoid that shifts the valve to unlock, if enabled"
    ),
    DeviceSignal("UnlockEnable", Kind.BOOLEAN, "", "Override: unlock whatever the interlock says"),
    DeviceSignal("ToolPowerEnable", Kind.BOOLEAN, "", "Power for the coupled tool"),
    RESET,
    DeviceSignal(
        "ToolOutputs", Kind.UINT16, "", "16 bits for the tool; alive while coupled and powered"
    ),
)
LOCK_VALVE, UNLOCK_VALVE, UNLOCK_ENABLE, POWER_ENABLE, FAULT_RESET, OUTPUTS = range(6)

# ---------------------------------------------------------------- digital signals

DIGITAL = (
    ("Locked", "Piston at its lock end"),
    ("Unlocked", "Piston at its unlock end"),
    ("ReadyToLock1", "Tool near enough at the first sensor of the flange"),
    ("ReadyToLock2", "Tool near enough at the second sensor, opposite: so that tilt shows"),
    ("ToolPresent", "A tool is in front of the flange, or on it"),
    ("ToolInStandA", "That tool is in a stand, first channel"),
    ("ToolInStandB", "That tool is in a stand, second channel"),
    ("AirPressureOk", "Supply pressure is high enough"),
    ("ToolPowerOk", "The tool has power"),
    ("ToolBusOk", "The tool's bus is up"),
    ("UnlockEnabled", "UnlockValve would be obeyed"),
    FAULT_WIRE,
)
N_DIGITAL = len(DIGITAL)
(
    LOCKED,
    UNLOCKED,
    READY_1,
    READY_2,
    PRESENT,
    STAND_A,
    STAND_B,
    AIR_OK,
    POWER_OK,
    BUS_OK,
    ENABLED,
    FAULTY,
) = range(N_DIGITAL)

# ---------------------------------------------------------------- fault levers

SHARE = (0.0, 1.0)
LONGER = (0.0, 1_000.0)  # a stroke of minutes; chosen
BAR = (0.0, 1_000.0)  # more than any supply has; chosen
TOOL_ID_BITS = (0.0, 65_535.0)  # as many bits as a tool's number has

LEVERS = (
    *wire_levers(DIGITAL),
    DeviceSignal("Fault.AirLoss", Kind.BOOLEAN, "", "No air arrives at all"),
    DeviceSignal(
        "Fault.AirLow", Kind.DOUBLE, "bar", "By how much the supply pressure is too low", limits=BAR
    ),
    DeviceSignal(
        "Fault.SlowStroke",
        Kind.DOUBLE,
        "",
        "Share by which strokes take longer: 1 is twice as long",
        limits=LONGER,
    ),
    DeviceSignal(
        "Fault.ToolIdFlip",
        Kind.INT32,
        "",
        "Bits of ToolId that arrive inverted",
        limits=TOOL_ID_BITS,
    ),
    DeviceSignal("Fault.PowerFail", Kind.BOOLEAN, "", "The tool's power does not come up, or goes"),
    DeviceSignal("Fault.BusFail", Kind.BOOLEAN, "", "The tool's bus does not come up, or goes"),
    DeviceSignal(
        "Fault.WeakCoupling",
        Kind.DOUBLE,
        "",
        "Share of the coupling's strength that is gone, to 1",
        limits=SHARE,
    ),
)
AIR_LOSS, AIR_LOW, SLOW_STROKE, ID_FLIP, POWER_FAIL, BUS_FAIL, WEAK_COUPLING = range(
    N_DIGITAL, N_DIGITAL + 7
)

# ---------------------------------------------------------------- states and faults, in words

STATES = (
    "UnlockedEmpty",
    "ReadyToLock",
    "Locking",
    "LockedTool",
    "LockedEmpty",
    "Unlocking",
    "Fault",
)
UNLOCKED_EMPTY, READY_TO_LOCK, LOCKING, LOCKED_TOOL, LOCKED_EMPTY, UNLOCKING, IN_FAULT = range(7)

FAULTS = (
    "",
    "LockValve and UnlockValve are both on",
    "Locked and Unlocked are both on",
    "The piston did not reach its lock end in time",
    "The piston did not reach its unlock end in time",
    "ToolInStandA and ToolInStandB disagree",
    "The tool is gone though the changer is locked",
    "The tool's power did not come up in time",
    "The tool's bus did not come up in time",
    "The air pressure is too low",
    "The wire of a sensor is broken",
)
(
    NO_FAULT,
    BOTH_SOLENOIDS,
    BOTH_ENDS,
    LOCK_TIME_OUT,
    UNLOCK_TIME_OUT,
    STAND_CHANNELS,
    TOOL_LOST,
    POWER_TIME_OUT,
    BUS_TIME_OUT,
    AIR_TOO_LOW,
    WIRE_BROKEN,
) = range(len(FAULTS))

# ---------------------------------------------------------------- feedback

FEEDBACK = (
    *wire_feedback(DIGITAL),
    DeviceSignal("AirPressure", Kind.DOUBLE, "bar", "Supply pressure at the changer"),
    DeviceSignal(
        "ToolId", Kind.INT32, "", "Number of the tool, 0 while it is not electrically coupled"
    ),
    DeviceSignal(
        "ToolInputs", Kind.UINT16, "", "16 bits from the tool, 0 while not coupled and powered"
    ),
    DeviceSignal("State", Kind.STRING, "", "What the changer makes of its sensors", texts=STATES),
    DeviceSignal(
        "StateCode", Kind.UINT16, "", "State as a number, from 0 for UnlockedEmpty", texts=STATES
    ),
    *fault_feedback(FAULTS),
    DeviceSignal("CycleCount", Kind.INT32, "", "How often it has locked"),
    DeviceSignal("LastLockTime", Kind.DOUBLE, "ms", "From the order to Locked, the last time"),
    DeviceSignal("LastUnlockTime", Kind.DOUBLE, "ms", "From the order to Unlocked, the last time"),
    # truth: what really is, whatever sensors say
    DeviceSignal(
        "Truth.Tool",
        Kind.STRING,
        "",
        "Tool that is coupled, empty for none",
        names_of="constrained_object",
    ),
    DeviceSignal(
        "Truth.Nearest",
        Kind.STRING,
        "",
        "Tool whose frame is nearest to the flange's",
        names_of="constrained_object",
    ),
    DeviceSignal(
        "Truth.Gap", Kind.DOUBLE, "m", "Distance from the flange's frame to the nearest tool's"
    ),
    DeviceSignal(
        "Truth.Tilt", Kind.DOUBLE, "rad", "Angle between these frames", limits=(0.0, math.pi)
    ),
    DeviceSignal(
        "Truth.PistonPosition", Kind.DOUBLE, "", "0 unlocked, 1 locked, beyond: over-travel"
    ),
    DeviceSignal(
        "Truth.LoadMargin",
        Kind.DOUBLE,
        "",
        "Strength left in the coupling: 1 unloaded, 0 it breaks",
        limits=SHARE,
    ),
    DeviceSignal("Truth.ToolOutputs", Kind.UINT16, "", "The 16 bits that arrive at the tool"),
)

SIGNALS = DeviceSignals(
    COMMANDS, LEVERS, FEEDBACK, (Constant("Flange", "flange", "Collision object that it drives"),)
)

# columns in the block of a changer, after its wires; found by name
_column = places(FEEDBACK)
AIR_PRESSURE = _column["AirPressure"]
TOOL_ID = _column["ToolId"]
TOOL_INPUTS = _column["ToolInputs"]
STATE = _column["State"]
STATE_CODE = _column["StateCode"]
FAULT_CODE = _column["FaultCode"]
FAULT_TEXT = _column["FaultText"]
CYCLE_COUNT = _column["CycleCount"]
LAST_LOCK_TIME = _column["LastLockTime"]
LAST_UNLOCK_TIME = _column["LastUnlockTime"]
TRUE_TOOL = _column["Truth.Tool"]
TRUE_NEAREST = _column["Truth.Nearest"]
TRUE_GAP = _column["Truth.Gap"]
TRUE_TILT = _column["Truth.Tilt"]
TRUE_PISTON = _column["Truth.PistonPosition"]
TRUE_MARGIN = _column["Truth.LoadMargin"]
TRUE_OUTPUTS = _column["Truth.ToolOutputs"]

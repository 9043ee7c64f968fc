"""What an illuminated push button takes and shows, and what can be broken about it."""

from twincell.sim.devices.contract import DeviceSignal, DeviceSignals, places
from twincell.sim.devices.parts.fault_signals import FAULT_RESET as RESET
from twincell.sim.devices.parts.fault_signals import FAULT_WIRE, fault_feedback
from twincell.sim.devices.parts.wire_signals import wire_feedback, wire_levers
from twincell.sim.signals import Kind

# ---------------------------------------------------------------- commands

BLINKING = ("steady", "slow", "fast")
STEADY, SLOW, FAST = range(3)

COMMANDS = (
    DeviceSignal("On", Kind.BOOLEAN, "", "Light the lamp"),
    DeviceSignal(
        "Blink",
        Kind.UINT16,
        "",
        "How it is lit: 0 steady, 1 slowly blinking, 2 fast; any other number: steady",
        texts=BLINKING,
    ),
    RESET,
)
ON, BLINK, FAULT_RESET = range(3)

# ---------------------------------------------------------------- digital signals

DIGITAL = (
    ("Lit", "Current flows through the lamp: the output's own diagnosis"),
    ("Pressed", "The button's contact is closed"),
    FAULT_WIRE,
)
N_DIGITAL = len(DIGITAL)
LIT, PRESSED, FAULTY = range(N_DIGITAL)

# ---------------------------------------------------------------- levers

LEVERS = (
    *wire_levers(DIGITAL),
    DeviceSignal("Fault.Burnt", Kind.BOOLEAN, "", "The lamp is burnt out: it stays dark"),
    DeviceSignal("Fault.Stuck", Kind.BOOLEAN, "", "The button stays in once it has been pressed"),
    DeviceSignal(
        "Fault.Press",
        Kind.BOOLEAN,
        "",
        "Somebody presses the button: no fault, but no command either",
        by_hand=True,
    ),
)
BURNT, STUCK, PRESS = range(N_DIGITAL, N_DIGITAL + 3)

# ---------------------------------------------------------------- states and faults, in words

STATES = ("Off", "On", "BlinkingSlowly", "BlinkingFast", "Fault")
OFF, LIGHTS, BLINKS_SLOWLY, BLINKS_FAST, IN_FAULT = range(len(STATES))

FAULTS = (
    "",
    "The lamp stays dark though it is on",
    "The button has been pressed for too long",
    "The wire of a signal is broken",
)
NO_FAULT, STAYS_DARK, PRESSED_TOO_LONG, WIRE_BROKEN = range(len(FAULTS))

# ---------------------------------------------------------------- feedback

FEEDBACK = (
    *wire_feedback(DIGITAL),
    DeviceSignal("State", Kind.STRING, "", "What the lamp is told to do, or a fault", texts=STATES),
    DeviceSignal("StateCode", Kind.UINT16, "", "State as a number, from 0 for Off", texts=STATES),
    *fault_feedback(FAULTS),
    DeviceSignal("PressCount", Kind.INT32, "", "How often Pressed has come"),
    # truth: what really is, whatever sensors say
    DeviceSignal("Truth.Lit", Kind.BOOLEAN, "", "Whether it shines"),
    DeviceSignal("Truth.Pressed", Kind.BOOLEAN, "", "Whether the button is in"),
)
_column = places(FEEDBACK)
STATE = _column["State"]
STATE_CODE = _column["StateCode"]
FAULT_CODE = _column["FaultCode"]
FAULT_TEXT = _column["FaultText"]
PRESS_COUNT = _column["PressCount"]
TRULY_LIT = _column["Truth.Lit"]
TRULY_PRESSED = _column["Truth.Pressed"]

SIGNALS = DeviceSignals(COMMANDS, LEVERS, FEEDBACK)

"""An indicator lamp with a push button.

    On, Blink ──► lamp ── current ──► Lit        somebody's finger ──► contact ──► Pressed

It blinks from the tick on in which it was told to, lit first. It knows what its wires tell it: a
lamp that should be lit but draws no current is dark, a contact that never opens is stuck.
"""

from twincell.sim.devices.indicator_lamp.signals import (
    BLINK,
    BLINKS_FAST,
    BLINKS_SLOWLY,
    BURNT,
    FAST,
    FAULT_RESET,
    FAULTY,
    IN_FAULT,
    LIGHTS,
    LIT,
    NO_FAULT,
    OFF,
    ON,
    PRESS,
    PRESSED,
    PRESSED_TOO_LONG,
    SLOW,
    STAYS_DARK,
    STUCK,
    WIRE_BROKEN,
)
from twincell.sim.devices.indicator_lamp.state import WATCH_DARK, WATCH_PRESSED
from twincell.sim.devices.parts.fault_latch import latch_fault
from twincell.sim.devices.parts.watch import lasts
from twincell.sim.devices.parts.wire import sees, show
from twincell.sim.jit import kernel


@kernel
def advance(model, commands, state, scratch):
    """Let every lamp live through one tick."""
    lamps = model.devices.indicator_lamp
    own = state.devices.indicator_lamp
    for lamp in range(lamps.command.shape[0]):
        should_shine = _follow_command(model, commands, state, lamp)
        lever = lamps.lever[lamp]
        burnt = commands.values[lever + BURNT] != 0.0
        own.lit[lamp] = 1 if should_shine and not burnt else 0
        _move_button(commands, own, lever, lamp)

        was_pressed = sees(lamps.wires, own.wires, lamp, PRESSED)
        show(model, commands, state, lamps.wires, own.wires, lamp, LIT, own.lit[lamp] == 1)
        show(model, commands, state, lamps.wires, own.wires, lamp, PRESSED, own.pressed[lamp] == 1)
        if sees(lamps.wires, own.wires, lamp, PRESSED) and not was_pressed:
            own.presses[lamp] += 1

        asks = commands.values[lamps.command[lamp] + FAULT_RESET] != 0.0
        latch_fault(own.fault, lamp, asks, _fault_now(lamps, own, lamp, should_shine))
        faulty = own.fault.code[lamp] != NO_FAULT
        own.shown[lamp] = IN_FAULT if faulty else own.wanted[lamp]
        show(model, commands, state, lamps.wires, own.wires, lamp, FAULTY, faulty)


@kernel
def _follow_command(model, commands, state, lamp):
    """Whether the lamp should shine in this tick."""
    lamps = model.devices.indicator_lamp
    own = state.devices.indicator_lamp
    command = lamps.command[lamp]
    blink = int(commands.values[command + BLINK])
    wanted = LIGHTS
    period = 0
    if commands.values[command + ON] == 0.0:
        wanted = OFF
    elif blink == SLOW:
        wanted = BLINKS_SLOWLY
        period = lamps.slow_blink[lamp]
    elif blink == FAST:
        wanted = BLINKS_FAST
        period = lamps.fast_blink[lamp]
    if wanted != own.wanted[lamp]:
        own.wanted[lamp] = wanted
        own.since[lamp] = state.tick[0]
    if period == 0:
        return wanted == LIGHTS
    return 2 * ((state.tick[0] - own.since[lamp]) % period) < period


@kernel
def _move_button(commands, own, lever, lamp):
    """The button is in while somebody presses it, and if it is stuck also afterwards."""
    held = commands.values[lever + STUCK] != 0.0 and own.pressed[lamp] == 1
    own.pressed[lamp] = 1 if held or commands.values[lever + PRESS] != 0.0 else 0


@kernel
def _fault_now(lamps, own, lamp, should_shine):
    """The first thing that is wrong now."""
    pressed = sees(lamps.wires, own.wires, lamp, PRESSED)
    dark_long = _is_dark_for_long(lamps, own, lamp, should_shine)
    pressed_long = lasts(own.wrong_for, lamp, WATCH_PRESSED, pressed, lamps.press_time_out[lamp])
    fault = NO_FAULT
    if own.wires.bad[lamp] != 0:
        fault = WIRE_BROKEN
    elif dark_long:
        fault = STAYS_DARK
    elif pressed_long:
        fault = PRESSED_TOO_LONG
    return fault


@kernel
def _is_dark_for_long(lamps, own, lamp, should_shine):
    """Whether it has been dark for too long, all the time counted in which it should be lit."""
    time_out = lamps.lit_time_out[lamp]
    if should_shine:
        dark = not sees(lamps.wires, own.wires, lamp, LIT)
        return lasts(own.wrong_for, lamp, WATCH_DARK, dark, time_out)

    # between two flashes the count waits; once the fault was found, a new bulb starts from 0
    if own.wrong_for[lamp, WATCH_DARK] > time_out:
        own.wrong_for[lamp, WATCH_DARK] = 0
    return False

"""From a fact to the wire that the controller reads: delays, polarity, and what can be wrong.

    fact --on delay, off delay--> level --polarity--> wire --lever--> what is seen

A signal that is stuck, frozen or broken is so on the wire: the changer itself is fooled as well.
"""

from twincell.sim.devices.tool_changer.signals import (
    BROKEN_WIRE,
    FLICKERING,
    FROZEN,
    LATE,
    STUCK_FALSE,
    STUCK_TRUE,
)
from twincell.sim.jit import kernel

FLICKER_S = 0.02  # of a flickering signal: right, then wrong, each for so long; chosen
LATE_S = 0.5  # by which a late signal is late; chosen


@kernel
def show(model, commands, state, changer, signal, fact):
    """Pass a fact on to its wire."""
    level = _delayed(model, commands, state, changer, signal, fact)
    wire = level ^ model.changers.inverted[changer, signal]
    fault = _fault(model, commands, changer, signal)
    if fault in (STUCK_FALSE, BROKEN_WIRE):
        wire = 0
    elif fault == STUCK_TRUE:
        wire = 1
    elif fault == FROZEN:
        wire = state.wire[changer, signal]
    elif fault == FLICKERING and int(state.tick[0] * model.step / FLICKER_S) % 2 == 1:
        wire = 1 - wire
    state.wire[changer, signal] = wire

    bit = 1 << signal
    broken = fault == BROKEN_WIRE
    state.bad[changer] = state.bad[changer] | bit if broken else state.bad[changer] & ~bit


@kernel
def sees(model, state, changer, signal):
    """What the changer takes a fact to be, by its wire."""
    return state.wire[changer, signal] != model.changers.inverted[changer, signal]


@kernel
def _delayed(model, commands, state, changer, signal, fact):
    """A fact once it has been there, or gone, for long enough; at the start at once."""
    now = 1 if fact else 0
    if now == state.level[changer, signal] or state.tick[0] == 0:
        state.level[changer, signal] = now
        state.waited[changer, signal] = 0
        return now
    delay = model.changers.on_delay[changer, signal]
    if now == 0:
        delay = model.changers.off_delay[changer, signal]
    if _fault(model, commands, changer, signal) == LATE:
        delay += round(LATE_S / model.step)
    if state.waited[changer, signal] >= delay:
        state.level[changer, signal] = now
        state.waited[changer, signal] = 0
    else:
        state.waited[changer, signal] += 1
    return state.level[changer, signal]


@kernel
def _fault(model, commands, changer, signal):
    return int(commands.values[model.changers.lever[changer] + signal])

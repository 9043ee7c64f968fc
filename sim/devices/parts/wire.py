"""From a fact to the wire that the controller reads: delays, polarity, and what can be wrong.

    fact --on delay, off delay--> level --polarity--> wire --lever--> what is seen

A signal that is stuck, frozen or broken is so on the wire: the device itself is fooled as well.
Each wire belongs to a device (its owner); the first levers of a device are those of its wires.
"""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Ints
from twincell.sim.devices.parts.wire_signals import (
    BROKEN_WIRE,
    FLICKERING,
    FROZEN,
    LATE,
    STUCK_FALSE,
    STUCK_TRUE,
)
from twincell.sim.jit import formula, kernel

FLICKER_S = 0.02  # of a flickering signal: right, then wrong, each for so long; chosen
LATE_S = 0.5  # by which a late signal is late; chosen


class Wiring(NamedTuple):
    """How digital signals are wired; times are in ticks."""

    lever: Annotated[Ints, "n_owner"]  # first of their levers
    inverted: Annotated[Ints, "n_owner", "n_wire"]  # 1 if the wire is true when the fact is not
    on_delay: Annotated[Ints, "n_owner", "n_wire"]
    off_delay: Annotated[Ints, "n_owner", "n_wire"]


class WireState(NamedTuple):
    """What wires remember."""

    level: Annotated[Ints, "n_owner", "n_wire"]  # fact after its delays
    waited: Annotated[Ints, "n_owner", "n_wire"]  # ticks that the fact has differed from it
    wire: Annotated[Ints, "n_owner", "n_wire"]  # what the controller sees
    bad: Annotated[Ints, "n_owner"]  # broken wires, a bit each


def wire_counts(field):
    """The whole numbers of this field that select nothing."""
    return (f"{field}.waited",)


def wire_limits(field, n_wire):
    """Least and greatest value of the whole numbers of this field that are no counts."""
    return {
        f"{field}.level": (0, 1),
        f"{field}.wire": (0, 1),
        f"{field}.bad": (0, 2**n_wire - 1),
    }


@kernel
def show(model, commands, state, wiring, wires, owner, signal, fact):
    """Pass a fact on to its wire."""
    fault = int(commands.values[wiring.lever[owner] + signal])
    level = _delayed(model, state, wiring, wires, owner, signal, fact, fault == LATE)
    wire = level ^ wiring.inverted[owner, signal]
    if fault in (STUCK_FALSE, BROKEN_WIRE):
        wire = 0
    elif fault == STUCK_TRUE:
        wire = 1
    elif fault == FROZEN:
        wire = wires.wire[owner, signal]
    elif fault == FLICKERING and int(state.tick[0] * model.step / FLICKER_S) % 2 == 1:
        wire = 1 - wire
    wires.wire[owner, signal] = wire

    bit = 1 << signal
    broken = fault == BROKEN_WIRE
    wires.bad[owner] = wires.bad[owner] | bit if broken else wires.bad[owner] & ~bit


@formula
def sees(wiring, wires, owner, signal):
    """What a device takes a fact to be, by its wire."""
    return wires.wire[owner, signal] != wiring.inverted[owner, signal]


@kernel
def write_wires(wires, owner, row, column):
    """What the wires of a device show, from this column on: signals, then the broken ones."""
    n_wire = wires.wire.shape[1]
    for signal in range(n_wire):
        row[column + signal] = wires.wire[owner, signal]
    row[column + n_wire] = wires.bad[owner]


@kernel
def _delayed(model, state, wiring, wires, owner, signal, fact, is_late):
    """A fact once it has been there, or gone, for long enough; at the start at once."""
    now = 1 if fact else 0
    if now == wires.level[owner, signal] or state.tick[0] == 0:
        wires.level[owner, signal] = now
        wires.waited[owner, signal] = 0
        return now
    delay = wiring.on_delay[owner, signal]
    if now == 0:
        delay = wiring.off_delay[owner, signal]
    if is_late:
        delay += round(LATE_S / model.step)
    if wires.waited[owner, signal] >= delay:
        wires.level[owner, signal] = now
        wires.waited[owner, signal] = 0
    else:
        wires.waited[owner, signal] += 1
    return wires.level[owner, signal]

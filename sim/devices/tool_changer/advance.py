"""A pneumatic tool changer, as its controller sees it: interlock, faults, state.

    UnlockedEmpty <-> ReadyToLock -> Locking -> LockedTool or LockedEmpty -> Unlocking -> ...

It knows what its sensors and the tool's contacts tell it, and nothing else: a tool is locked if it
is present and its contacts are closed. Near a tool that another changer holds it ends in
LockedEmpty, and a tool whose contacts part while it is locked is lost.

Unlock is enabled by the table

    tool present   in stand   error   enabled
         0             -         0        1
         1             0         0        0
         1             1         0        1
         -             -         1        0

or by the override UnlockEnable, which asks nobody.
"""

from twincell.sim.devices.parts.fault_latch import latch_fault
from twincell.sim.devices.parts.watch import lasts
from twincell.sim.devices.parts.wire import sees, show
from twincell.sim.devices.tool_changer.air import (
    move_piston,
    shift_valve,
    supply_air,
)
from twincell.sim.devices.tool_changer.coupling import break_or_let_go, take
from twincell.sim.devices.tool_changer.fit import fits, look_around
from twincell.sim.devices.tool_changer.signals import (
    AIR_OK,
    AIR_TOO_LOW,
    BOTH_ENDS,
    BOTH_SOLENOIDS,
    BUS_OK,
    BUS_TIME_OUT,
    ENABLED,
    FAULT_RESET,
    FAULTY,
    IN_FAULT,
    LOCK_TIME_OUT,
    LOCKED,
    LOCKED_EMPTY,
    LOCKED_TOOL,
    LOCKING,
    NO_FAULT,
    POWER_OK,
    POWER_TIME_OUT,
    PRESENT,
    READY_1,
    READY_2,
    READY_TO_LOCK,
    STAND_A,
    STAND_B,
    STAND_CHANNELS,
    TOOL_LOST,
    UNLOCK_ENABLE,
    UNLOCK_TIME_OUT,
    UNLOCK_VALVE,
    UNLOCKED,
    UNLOCKED_EMPTY,
    UNLOCKING,
    WIRE_BROKEN,
)
from twincell.sim.devices.tool_changer.state import (
    VALVE_LOCK,
    VALVE_UNLOCK,
    WATCH_AIR,
    WATCH_BUS,
    WATCH_POWER,
    WATCH_STAND,
)
from twincell.sim.devices.tool_changer.tool_side import (
    feed_tool,
    has_bus,
    has_contact,
    has_power,
    wants_power,
)
from twincell.sim.jit import formula, kernel
from twincell.sim.model import NONE


@kernel
def advance(model, commands, state, scratch):
    """Let every tool changer live through one tick."""
    for changer in range(model.devices.tool_changer.flange.shape[0]):
        _advance_changer(model, commands, state, scratch, changer)


@kernel
def _advance_changer(model, commands, state, scratch, changer):
    """Let a tool changer live through one tick."""
    own = state.devices.tool_changer
    supply_air(model, commands, state, changer)
    look_around(model, state, scratch, changer)
    may_lock = fits(model, state, scratch, changer)
    arrived = move_piston(model, commands, state, changer, may_lock)
    break_or_let_go(model, commands, state, changer)
    starts_locked = state.tick[0] == 0 and own.piston[changer] > 0.0
    if arrived or starts_locked:
        take(model, state, scratch, changer)
    shift_valve(model, commands, state, changer, _enabled(model, commands, state, changer))
    feed_tool(model, commands, state, changer)
    _show_facts(model, commands, state, scratch, changer)
    _end_stroke(model, state, changer)
    _find_fault(model, commands, state, changer)
    own.shown[changer] = _state(model, state, changer)
    enabled = _enabled(model, commands, state, changer)
    _show(model, commands, state, changer, ENABLED, enabled)
    _show(model, commands, state, changer, FAULTY, own.fault.code[changer] != NO_FAULT)


@kernel
def _enabled(model, commands, state, changer):
    """The interlock: whether UnlockValve is obeyed."""
    changers = model.devices.tool_changer
    if commands.values[changers.command[changer] + UNLOCK_ENABLE] != 0.0:
        return True
    if state.devices.tool_changer.fault.code[changer] != NO_FAULT:
        return False
    in_stand = _sees(model, state, changer, STAND_A) and _sees(model, state, changer, STAND_B)
    return in_stand or not _sees(model, state, changer, PRESENT)


@kernel
def _show_facts(model, commands, state, scratch, changer):
    """What the sensors are there for, each on its wire."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    fit = scratch.devices.tool_changer
    piston = own.piston[changer]
    here = fit.tool[changer] != NONE
    near = here and fit.gap[changer] <= changers.present[changer]
    present = near or own.coupled[changer] != NONE
    in_stand = present and fit.in_stand[changer] == 1
    _show(model, commands, state, changer, LOCKED, piston >= changers.stroke[changer])
    _show(model, commands, state, changer, UNLOCKED, piston <= 0.0)
    _show(model, commands, state, changer, READY_1, fit.ready[changer, 0] == 1)
    _show(model, commands, state, changer, READY_2, fit.ready[changer, 1] == 1)
    _show(model, commands, state, changer, PRESENT, present)
    _show(model, commands, state, changer, STAND_A, in_stand)
    _show(model, commands, state, changer, STAND_B, in_stand)
    air_ok = own.pressure[changer] >= changers.ok[changer]
    _show(model, commands, state, changer, AIR_OK, air_ok)
    _show(model, commands, state, changer, POWER_OK, has_power(model, state, changer))
    _show(model, commands, state, changer, BUS_OK, has_bus(model, state, changer))


@kernel
def _end_stroke(model, state, changer):
    """Note how long a stroke took, once its end is seen."""
    own = state.devices.tool_changer
    valve = own.valve[changer]
    end = LOCKED if valve == VALVE_LOCK else UNLOCKED
    if own.under_way[changer] == 1 and _sees(model, state, changer, end):
        own.under_way[changer] = 0
        own.stroke_time[changer, valve] = state.tick[0] - own.ordered[changer]
        if valve == VALVE_LOCK:
            own.cycles[changer] += 1


@kernel
def _find_fault(model, commands, state, changer):
    """Keep the first fault until it is reset and its cause is gone."""
    command = model.devices.tool_changer.command[changer]
    asks = commands.values[command + FAULT_RESET] != 0.0
    fault = _fault_now(model, commands, state, changer)
    latch_fault(state.devices.tool_changer.fault, changer, asks, fault)


@kernel
def _fault_now(model, commands, state, changer):
    """The first thing that is wrong now."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    command = changers.command[changer]
    wrong_for = own.wrong_for
    apart = _sees(model, state, changer, STAND_A) != _sees(model, state, changer, STAND_B)
    apart_long = lasts(wrong_for, changer, WATCH_STAND, apart, changers.discrepancy[changer])
    power = wants_power(model, commands, state, changer)
    has = _sees(model, state, changer, POWER_OK)
    no_power = power and not has
    dark = lasts(wrong_for, changer, WATCH_POWER, no_power, changers.power_time_out[changer])
    no_bus = power and has and not _sees(model, state, changer, BUS_OK)
    mute = lasts(wrong_for, changer, WATCH_BUS, no_bus, changers.bus_time_out[changer])
    no_air = not _sees(model, state, changer, AIR_OK)
    breathless = lasts(wrong_for, changer, WATCH_AIR, no_air, changers.air_time_out[changer])

    fault = NO_FAULT
    if own.wires.bad[changer] != 0:
        fault = WIRE_BROKEN
    elif commands.values[command] != 0.0 and commands.values[command + UNLOCK_VALVE] != 0.0:
        fault = BOTH_SOLENOIDS
    elif _sees(model, state, changer, LOCKED) and _sees(model, state, changer, UNLOCKED):
        fault = BOTH_ENDS
    elif _tool_vanished(model, state, changer):
        fault = TOOL_LOST
    elif breathless:
        fault = AIR_TOO_LOW
    elif _overdue(model, state, changer):
        fault = LOCK_TIME_OUT if own.valve[changer] == VALVE_LOCK else UNLOCK_TIME_OUT
    elif apart_long:
        fault = STAND_CHANNELS
    elif dark:
        fault = POWER_TIME_OUT
    elif mute:
        fault = BUS_TIME_OUT
    return fault


@kernel
def _overdue(model, state, changer):
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    under_way = own.under_way[changer] == 1
    return under_way and state.tick[0] - own.ordered[changer] > changers.stroke_time_out[changer]


@kernel
def _tool_vanished(model, state, changer):
    """A tool that was locked is not there any more, though nobody unlocked."""
    own = state.devices.tool_changer
    return (
        own.shown[changer] == LOCKED_TOOL
        and own.valve[changer] == VALVE_LOCK
        and _sees(model, state, changer, LOCKED)
        and not _has_tool(model, state, changer)
    )


@kernel
def _has_tool(model, state, changer):
    return _sees(model, state, changer, PRESENT) and has_contact(state, changer)


@kernel
def _state(model, state, changer):
    """What the changer makes of its sensors."""
    own = state.devices.tool_changer
    locked = _sees(model, state, changer, LOCKED)
    unlocked = _sees(model, state, changer, UNLOCKED)
    shown = LOCKING if own.valve[changer] == VALVE_LOCK else UNLOCKING
    if own.fault.code[changer] != NO_FAULT:
        shown = IN_FAULT
    elif locked and own.valve[changer] == VALVE_LOCK:
        shown = LOCKED_TOOL if _has_tool(model, state, changer) else LOCKED_EMPTY
    elif unlocked and own.valve[changer] == VALVE_UNLOCK:
        ready = _sees(model, state, changer, READY_1) and _sees(model, state, changer, READY_2)
        shown = READY_TO_LOCK if ready else UNLOCKED_EMPTY
    return shown


@formula
def _show(model, commands, state, changer, signal, fact):
    wiring = model.devices.tool_changer.wires
    show(model, commands, state, wiring, state.devices.tool_changer.wires, changer, signal, fact)


@formula
def _sees(model, state, changer, signal):
    return sees(model.devices.tool_changer.wires, state.devices.tool_changer.wires, changer, signal)

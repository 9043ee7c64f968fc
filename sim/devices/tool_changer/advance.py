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

from twincell.sim.devices.parts.wire import sees, show
from twincell.sim.devices.tool_changer.air import (
    VALVE_LOCK,
    VALVE_UNLOCK,
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
from twincell.sim.devices.tool_changer.tool_side import (
    feed_tool,
    has_bus,
    has_contact,
    has_power,
    wants_power,
)
from twincell.sim.jit import kernel
from twincell.sim.model import NONE

N_WATCH = 4  # what must not be wrong for long
WATCH_STAND, WATCH_POWER, WATCH_BUS, WATCH_AIR = range(N_WATCH)


@kernel
def advance_changer(model, commands, state, scratch, changer):
    """Let a tool changer live through one tick."""
    supply_air(model, commands, state, changer)
    look_around(model, state, scratch, changer)
    may_lock = fits(model, state, scratch, changer)
    arrived = move_piston(model, commands, state, changer, may_lock)
    break_or_let_go(model, commands, state, changer)
    starts_locked = state.tick[0] == 0 and state.piston[changer] > 0.0
    if arrived or starts_locked:
        take(model, state, scratch, changer)
    shift_valve(model, commands, state, changer, _enabled(model, commands, state, changer))
    feed_tool(model, commands, state, changer)
    _show_facts(model, commands, state, scratch, changer)
    _end_stroke(model, state, changer)
    _find_fault(model, commands, state, changer)
    state.shown[changer] = _state(model, state, changer)
    enabled = _enabled(model, commands, state, changer)
    show(model, commands, state, changer, ENABLED, enabled)
    show(model, commands, state, changer, FAULTY, state.trouble[changer] != NO_FAULT)


@kernel
def _enabled(model, commands, state, changer):
    """The interlock: whether UnlockValve is obeyed."""
    if commands.values[model.changers.command[changer] + UNLOCK_ENABLE] != 0.0:
        return True
    if state.trouble[changer] != NO_FAULT:
        return False
    in_stand = sees(model, state, changer, STAND_A) and sees(model, state, changer, STAND_B)
    return in_stand or not sees(model, state, changer, PRESENT)


@kernel
def _show_facts(model, commands, state, scratch, changer):
    """What the sensors are there for, each on its wire."""
    piston = state.piston[changer]
    here = scratch.fit.tool[changer] != NONE
    near = here and scratch.fit.gap[changer] <= model.changers.present[changer]
    present = near or state.coupled[changer] != NONE
    in_stand = present and scratch.fit.in_stand[changer] == 1
    show(model, commands, state, changer, LOCKED, piston >= model.changers.stroke[changer])
    show(model, commands, state, changer, UNLOCKED, piston <= 0.0)
    show(model, commands, state, changer, READY_1, scratch.fit.ready[changer, 0] == 1)
    show(model, commands, state, changer, READY_2, scratch.fit.ready[changer, 1] == 1)
    show(model, commands, state, changer, PRESENT, present)
    show(model, commands, state, changer, STAND_A, in_stand)
    show(model, commands, state, changer, STAND_B, in_stand)
    air_ok = state.pressure[changer] >= model.changers.ok[changer]
    show(model, commands, state, changer, AIR_OK, air_ok)
    show(model, commands, state, changer, POWER_OK, has_power(model, state, changer))
    show(model, commands, state, changer, BUS_OK, has_bus(model, state, changer))


@kernel
def _end_stroke(model, state, changer):
    """Note how long a stroke took, once its end is seen."""
    valve = state.valve[changer]
    end = LOCKED if valve == VALVE_LOCK else UNLOCKED
    if state.under_way[changer] == 1 and sees(model, state, changer, end):
        state.under_way[changer] = 0
        state.stroke_time[changer, valve] = state.tick[0] - state.ordered[changer]
        if valve == VALVE_LOCK:
            state.cycles[changer] += 1


@kernel
def _find_fault(model, commands, state, changer):
    """Keep the first fault until it is reset and its cause is gone."""
    asks = commands.values[model.changers.command[changer] + FAULT_RESET] != 0.0
    if asks and state.reset[changer] == 0:
        state.trouble[changer] = NO_FAULT
    state.reset[changer] = 1 if asks else 0
    fault = _fault_now(model, commands, state, changer)
    if state.trouble[changer] == NO_FAULT:
        state.trouble[changer] = fault


@kernel
def _fault_now(model, commands, state, changer):
    """The first thing that is wrong now."""
    changers = model.changers
    command = changers.command[changer]
    apart = sees(model, state, changer, STAND_A) != sees(model, state, changer, STAND_B)
    power = wants_power(model, commands, state, changer)
    has = sees(model, state, changer, POWER_OK)
    no_bus = power and has and not sees(model, state, changer, BUS_OK)
    apart_long = _lasts(state, changer, WATCH_STAND, apart, changers.discrepancy[changer])
    dark = _lasts(state, changer, WATCH_POWER, power and not has, changers.power_time_out[changer])
    mute = _lasts(state, changer, WATCH_BUS, no_bus, changers.bus_time_out[changer])
    no_air = not sees(model, state, changer, AIR_OK)
    breathless = _lasts(state, changer, WATCH_AIR, no_air, changers.air_time_out[changer])

    fault = NO_FAULT
    if state.bad[changer] != 0:
        fault = WIRE_BROKEN
    elif commands.values[command] != 0.0 and commands.values[command + UNLOCK_VALVE] != 0.0:
        fault = BOTH_SOLENOIDS
    elif sees(model, state, changer, LOCKED) and sees(model, state, changer, UNLOCKED):
        fault = BOTH_ENDS
    elif _tool_vanished(model, state, changer):
        fault = TOOL_LOST
    elif breathless:
        fault = AIR_TOO_LOW
    elif _overdue(model, state, changer):
        fault = LOCK_TIME_OUT if state.valve[changer] == VALVE_LOCK else UNLOCK_TIME_OUT
    elif apart_long:
        fault = STAND_CHANNELS
    elif dark:
        fault = POWER_TIME_OUT
    elif mute:
        fault = BUS_TIME_OUT
    return fault


@kernel
def _lasts(state, changer, watch, is_wrong, most):
    """Whether something has been wrong for too long."""
    ticks = state.wrong_for[changer, watch]
    state.wrong_for[changer, watch] = min(ticks + 1, most + 1) if is_wrong else 0
    return state.wrong_for[changer, watch] > most


@kernel
def _overdue(model, state, changer):
    under_way = state.under_way[changer] == 1
    return (
        under_way
        and state.tick[0] - state.ordered[changer] > model.changers.stroke_time_out[changer]
    )


@kernel
def _tool_vanished(model, state, changer):
    """A tool that was locked is not there any more, though nobody unlocked."""
    return (
        state.shown[changer] == LOCKED_TOOL
        and state.valve[changer] == VALVE_LOCK
        and sees(model, state, changer, LOCKED)
        and not _has_tool(model, state, changer)
    )


@kernel
def _has_tool(model, state, changer):
    return sees(model, state, changer, PRESENT) and has_contact(state, changer)


@kernel
def _state(model, state, changer):
    """What the changer makes of its sensors."""
    locked = sees(model, state, changer, LOCKED)
    unlocked = sees(model, state, changer, UNLOCKED)
    shown = LOCKING if state.valve[changer] == VALVE_LOCK else UNLOCKING
    if state.trouble[changer] != NO_FAULT:
        shown = IN_FAULT
    elif locked and state.valve[changer] == VALVE_LOCK:
        shown = LOCKED_TOOL if _has_tool(model, state, changer) else LOCKED_EMPTY
    elif unlocked and state.valve[changer] == VALVE_UNLOCK:
        ready = sees(model, state, changer, READY_1) and sees(model, state, changer, READY_2)
        shown = READY_TO_LOCK if ready else UNLOCKED_EMPTY
    return shown

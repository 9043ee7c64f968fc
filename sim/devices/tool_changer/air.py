"""From a solenoid to the piston: a bistable 5/2 valve, a chamber that fills, a stroke.

    solenoid --valve_delay--> valve shifts --fill--> piston moves --stroke--> end

The pressure p follows its supply with a time constant. The chamber fills and the piston moves only
while p is above the stall pressure, and the slower the nearer p is to it:

    speed = (p - p_stall) / (p_supply - p_stall)       1 at the supply pressure

A worn cylinder (SlowStroke) slows the piston only: its chamber fills as ever.
Without air the piston stays where it is: a self-locking taper keeps a tool coupled. With nothing
to lock, the piston travels past its lock end.
"""

from twincell.sim.devices.tool_changer.signals import AIR_LOSS, AIR_LOW, SLOW_STROKE, UNLOCK_VALVE
from twincell.sim.devices.tool_changer.state import VALVE_LOCK, VALVE_UNLOCK
from twincell.sim.jit import kernel

OVER_TRAVEL = 1.1  # of the stroke: how far the piston goes with nothing to lock; our default
PASCAL_PER_BAR = 1e5


@kernel
def supply_air(model, commands, state, changer):
    """Let the pressure follow its supply."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    lever = changers.lever[changer]
    supply = changers.supply[changer]
    missing = PASCAL_PER_BAR * max(commands.values[lever + AIR_LOW], 0.0)
    supply = max(supply - missing, 0.0)
    if commands.values[lever + AIR_LOSS] != 0.0:
        supply = 0.0
    change = changers.air_share[changer] * (supply - own.pressure[changer])
    own.pressure[changer] += change


@kernel
def shift_valve(model, commands, state, changer, enabled):
    """Shift the valve once a solenoid alone has pulled long enough; both together do nothing."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    command = changers.command[changer]
    locks = commands.values[command] != 0.0
    unlocks = commands.values[command + UNLOCK_VALVE] != 0.0
    wanted = VALVE_LOCK if locks else VALVE_UNLOCK
    pulls = locks != unlocks and wanted != own.valve[changer] and (locks or enabled)
    if not pulls:
        own.pulled[changer] = 0
        return
    if own.pulled[changer] >= changers.valve_delay[changer]:
        own.valve[changer] = wanted
        own.ordered[changer] = state.tick[0] - own.pulled[changer]
        own.under_way[changer] = 1
        own.pulled[changer] = 0
        own.filled[changer] = 0.0
    else:
        own.pulled[changer] += 1


@kernel
def move_piston(model, commands, state, changer, may_lock):
    """Fill the chamber, then move the piston; whether it has just reached its lock end."""
    changers = model.devices.tool_changer
    own = state.devices.tool_changer
    stall = changers.stall[changer]
    speed = (own.pressure[changer] - stall) / (changers.supply[changer] - stall)
    if speed <= 0.0:
        return False
    if own.filled[changer] < changers.fill[changer]:
        own.filled[changer] += speed
        return False

    speed /= 1.0 + max(commands.values[changers.lever[changer] + SLOW_STROKE], 0.0)
    before = own.piston[changer]
    stroke = changers.stroke[changer]
    if own.valve[changer] == VALVE_UNLOCK:
        own.piston[changer] = max(before - speed, 0.0)
        return False
    if before == stroke and may_lock:
        return False
    end = stroke if may_lock or before < stroke else OVER_TRAVEL * stroke
    own.piston[changer] = min(before + speed, max(end, before))
    return before < stroke and own.piston[changer] >= stroke

"""A tool changer written a second time, by time stamps, not counters, for a tool in its stand.

Nothing is wrong with its sensors, so it knows valve, piston, interlock and the fault of both
solenoids; the tool fits whenever the piston comes.
"""

from dataclasses import dataclass

from changer_cell import FILL, STROKE, VALVE


@dataclass
class Orders:
    """What a controller sets."""

    lock: bool = False
    unlock: bool = False
    override: bool = False
    reset: bool = False


@dataclass
class Reference:
    """Valve, piston and coupling of one changer."""

    tick: int = 1  # the changer of a test has had its first tick
    at_lock: bool = False  # valve
    shifted: int = -1000  # tick of its last shift
    pulling_since: int | None = None
    travelled: int = 0  # ticks of the stroke
    coupled: bool = False
    faulty: bool = False
    reset_before: bool = False

    def advance(self, orders: Orders) -> None:
        """One tick."""
        if self.tick > self.shifted + FILL:
            before = self.travelled
            self.travelled = min(max(before + (1 if self.at_lock else -1), 0), STROKE)
            if before < STROKE == self.travelled:
                self.coupled = True
        if self.travelled < STROKE / 2:
            self.coupled = False

        may_unlock = orders.override or not self.faulty
        alone = orders.lock != orders.unlock
        against = alone and orders.lock != self.at_lock and (orders.lock or may_unlock)
        if not against:
            self.pulling_since = None
        else:
            self.pulling_since = self.tick if self.pulling_since is None else self.pulling_since
            if self.tick - self.pulling_since == VALVE:
                self.at_lock, self.shifted, self.pulling_since = orders.lock, self.tick, None

        if orders.reset and not self.reset_before:
            self.faulty = False
        self.reset_before = orders.reset
        self.faulty |= orders.lock and orders.unlock
        self.tick += 1

    @property
    def seen(self) -> tuple[bool, bool, bool, bool]:
        """Locked, Unlocked, coupled, Fault."""
        return self.travelled == STROKE, self.travelled == 0, self.coupled, self.faulty

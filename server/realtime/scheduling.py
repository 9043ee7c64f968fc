"""Ask the system for what a loop needs to be on time, and say in plain words what it granted.

Nothing of it is needed to run: a refusal costs punctuality only.
"""

import ctypes
import os
from collections.abc import Callable
from typing import NamedTuple

from twincell.server.realtime.process import prctl

PRIORITY = 80  # of 99; chosen: above everything but what the system itself needs
SLACK_NS = 1

MCL_CURRENT = 1
PR_SET_TIMERSLACK = 29

GRANT_PRIORITY = (
    f"'ulimit -r {PRIORITY}' (rtprio in /etc/security/limits.conf), "
    f"or docker run --ulimit rtprio={PRIORITY}"
)
GRANT_MEMORY = (
    "'ulimit -l unlimited' (memlock in /etc/security/limits.conf), "
    "or docker run --ulimit memlock=-1"
)


class Rights(NamedTuple):
    """What the system granted, and how to grant the rest."""

    granted: tuple[str, ...]
    refused: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it in one line."""
        granted = ", ".join(self.granted) or "nothing granted"
        return "; ".join([granted, *self.refused])


def _set_fifo(priority: int) -> None:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))


def _lock_memory() -> None:
    # only what is there now: with MCL_FUTURE and a small limit a later allocation would fail
    if ctypes.CDLL(None, use_errno=True).mlockall(MCL_CURRENT) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class System(NamedTuple):
    """What we ask of the system; each may raise OSError."""

    set_fifo: Callable[[int], None] = _set_fifo
    set_slack: Callable[[int], None] = lambda ns: prctl(PR_SET_TIMERSLACK, ns)
    lock_memory: Callable[[], None] = _lock_memory
    pin: Callable[[int], None] = lambda core: os.sched_setaffinity(0, {core})


def claim_rights(core: int | None, system: System | None = None) -> Rights:
    """Take what the system grants this process; call it when all memory is allocated and used."""
    system = system or System()
    place, memory = _claim_core(core, system), _claim_memory(system)
    priority = _claim_priority(system)  # last: locking memory takes a while
    granted, refused = zip(priority, memory, place, strict=True)
    return Rights(tuple(filter(None, granted)), tuple(filter(None, refused)))


def _claim_priority(system: System) -> tuple[str, str]:
    """SCHED_FIFO; without it, at least timers that are not rounded to 50 µs."""
    try:
        system.set_fifo(PRIORITY)
    except OSError:
        refused = f"no real-time priority: allow it with {GRANT_PRIORITY}"
    else:
        return f"SCHED_FIFO priority {PRIORITY}", ""
    try:
        system.set_slack(SLACK_NS)
    except OSError:
        return "", refused
    return "exact timers", refused


def _claim_memory(system: System) -> tuple[str, str]:
    try:
        system.lock_memory()
    except OSError:
        return "", f"memory not locked: allow it with {GRANT_MEMORY}"
    return "locked memory", ""


def _claim_core(core: int | None, system: System) -> tuple[str, str]:
    if core is None:
        return "", "not pinned to a core: there is only one"
    try:
        system.pin(core)
    except OSError:
        return "", "not pinned to a core: the system does not let it choose"
    return f"core {core}", ""

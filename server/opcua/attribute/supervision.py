"""Watches the controller: one that writes nothing any more is lost, and the cell reacts.

Silence is measured on the clock of the machine, from the last command, cycle counter or step. The
reaction is that of the cell file, in free run only: in handshake and in lock step simulated time
stands still without a controller, nothing can happen to the cell, and whoever comes back goes on
where it was.

    nothing   the commands stay as they are
    stop      every robot's Stop is set, a command like any other: it is in the rows and in replays
    pause     the cell stands still between two ticks
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

from server.realtime.link import Link
from server.realtime.order_box import Kind
from server.realtime.timing import TimeMode
from sim.spec.controller import Controller

STANDS_STILL = "stands still"  # the reaction where nobody has to do anything
TEXTS = {
    "nothing": "its commands stay",
    "stop": "every robot stops",
    "pause": "the cell is paused",
    STANDS_STILL: "simulated time stands still",
}


class Loss(NamedTuple):
    """A controller that was lost."""

    who: str
    silent_s: float  # since it was last heard of
    has_gone: bool  # its session has ended; else it only says nothing
    reaction: str

    @property
    def text(self) -> str:
        """What happened, in words."""
        silent = f"has written nothing for {self.silent_s:.1f} s"
        what = "commanded the cell and has gone" if self.has_gone else silent
        return f"{self.who} {what}; {TEXTS[self.reaction]}"


class Supervision:
    """Notices that the controller is lost, and reacts once."""

    def __init__(
        self, link: Link, wanted: Controller | None = None, stops: Sequence[int] = ()
    ) -> None:
        self._link = link
        self._wanted = wanted or Controller()
        self._stops = stops  # commands that stop a robot each
        self._heard_s = time.monotonic()

    @property
    def is_lost(self) -> bool:
        """Whether nobody commands since the controller was lost."""
        return bool(self._link.vitals["controller_lost"])

    def heard(self) -> None:
        """A controller has given a sign of life."""
        self._heard_s = time.monotonic()
        self._link.vitals["controller_lost"] = 0

    def silent(self, who: str) -> Loss | None:
        """The loss of a controller that has been silent for too long, when it is noticed."""
        if self._wanted.silence_s == 0.0 or self._silent_s <= self._wanted.silence_s:
            return None
        return self._lose(who, has_gone=False)

    def gone(self, who: str) -> Loss | None:
        """The loss of a controller whose session has ended, unless it was lost before."""
        return self._lose(who, has_gone=True)

    @property
    def _silent_s(self) -> float:
        return time.monotonic() - self._heard_s

    def _lose(self, who: str, has_gone: bool) -> Loss | None:
        if self.is_lost:
            return None
        self._link.vitals["controller_lost"] = 1
        return Loss(who, self._silent_s, has_gone, self._react())

    def _react(self) -> str:
        if self._link.vitals.mode is not TimeMode.FREE_RUN:
            return STANDS_STILL
        if self._wanted.when_lost == "stop":
            self._link.commands.put([(command, 1.0) for command in self._stops])
        elif self._wanted.when_lost == "pause":
            self._link.orders.post(Kind.PAUSE)
        return self._wanted.when_lost

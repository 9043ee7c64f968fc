"""Watches the controller: one that writes nothing any more is lost, and the cell reacts.

Silence is measured on the clock of the machine, from the last command, cycle counter or step. The
reaction is that of the cell file, in free run only: in handshake and in lock step simulated time
stands still without a controller, nothing can happen to the cell, and whoever comes back goes on
where it was. Should free run come first, the cell reacts then.

    nothing   the commands stay as they are
    stop      every robot's Stop is set, a command like any other: it is in the rows and in replays
    pause     the cell stands still between two ticks

A reaction that finds no room on its way to the loop is tried again until it has one, or until the
controller is back. It is told when it is done.
"""

import time
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind
from twincell.server.realtime.time_mode import TimeMode
from twincell.sim.spec.controller import Controller

STANDS_STILL = "stands still"  # the reaction where nobody has to do anything
TEXTS = {
    "nothing": "its commands stay",
    "stop": "every robot stops",
    "pause": "the cell is paused",
    STANDS_STILL: "simulated time stands still",
}


class Lost(IntEnum):
    """Whether the controller is lost; the other processes see it, and the next server does."""

    NO = 0
    REACTION_OWED = 1
    REACTED = 2


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
        self._owed: Loss | None = None  # what the cell has still to react to
        if link.vitals["controller_lost"] == Lost.REACTION_OWED:  # to a server before this one
            self._owed = Loss("the controller", 0.0, has_gone=True, reaction=STANDS_STILL)

    @property
    def waits(self) -> bool:
        """Whether a controller is lost only when it has been silent for a while."""
        return self._wanted.silence_s > 0.0

    @property
    def is_lost(self) -> bool:
        """Whether nobody commands since the controller was lost."""
        return bool(self._link.vitals["controller_lost"])

    def heard(self) -> None:
        """A controller has given a sign of life."""
        self._heard_s = time.monotonic()
        self._settle(Lost.NO)

    def silent(self, who: str) -> Loss | None:
        """The loss of a controller that has been silent for too long, when it is noticed."""
        if not self.waits or self._silent_s <= self._wanted.silence_s:
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
        loss = Loss(who, self._silent_s, has_gone, reaction=STANDS_STILL)
        self._link.vitals["controller_lost"] = Lost.REACTION_OWED
        self._owed = loss
        if self._is_in_free_run:
            return self.make_up()
        if self._wanted.when_lost == "nothing":
            self._settle(Lost.REACTED)
        return loss

    def make_up(self) -> Loss | None:
        """React to a loss if that is owed and possible; what is to be told about it then."""
        if self._owed is None or not self._is_in_free_run or not self._react():
            return None
        loss = self._owed._replace(reaction=self._wanted.when_lost)
        self._settle(Lost.REACTED)
        return loss

    def _settle(self, lost: Lost) -> None:
        self._link.vitals["controller_lost"] = lost
        self._owed = None

    @property
    def _is_in_free_run(self) -> bool:
        return self._link.vitals.mode is TimeMode.FREE_RUN

    def _react(self) -> bool:
        """Do what the cell file asks for; False when there is no room for it now."""
        if self._wanted.when_lost == "stop":
            return self._link.commands.put([(command, 1.0) for command in self._stops])
        if self._wanted.when_lost == "pause":
            return self._link.orders.post(Kind.PAUSE) is not None
        return True

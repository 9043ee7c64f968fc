"""A protocol fault: what a controller experiences when its network or its server misbehaves.

    kind     amount         on signals                          on a client
    delay    milliseconds   values arrive so much later         its answers come so much later
    jitter   milliseconds   ... by up to so much, irregularly   ... by up to so much, irregularly
    drop     share          so many samples never arrive        so many answers cut its connection
    bad      1              status Bad, with the last value     -
    force    the value      a chosen value: see force.py        -

A fault on signals acts on rows, so all clients experience the same, whenever they look. It begins
with the row `first` and, once it is over, has ended with the row before `end`.
"""

import zlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from twincell.server.opcua.command.arbitration import Commander, shown_name
from twincell.server.opcua.fault.chance import chance, chances
from twincell.server.opcua.fault.pattern import is_meant
from twincell.server.opcua.subscription.sample_choice import Bools
from twincell.server.realtime.shared.ring import Ints, Row


class Kind(StrEnum):
    """What goes wrong."""

    DELAY = "delay"
    JITTER = "jitter"
    DROP = "drop"
    BAD = "bad"
    FORCE = "force"


MILLISECONDS = (Kind.DELAY, Kind.JITTER)  # the unit of their amount
LOSING = (Kind.DROP, Kind.BAD)  # their rows are no samples


@dataclass(eq=False)
class ProtocolFault:
    """What all of them have; two are never the same."""

    kind: Kind
    target: str  # a pattern, as it was given
    amount: float
    ends_s: float  # when it ends by itself, on the monotonic clock

    @property
    def name(self) -> str:
        """What it is called: there is one of a kind for a target."""
        return f"{self.kind} {self.target}"

    @property
    def text(self) -> str:
        """The fault with its amount, for people."""
        if self.kind is Kind.BAD:
            return self.name
        return f"{self.name} = {self.amount:g}{' ms' if self.kind in MILLISECONDS else ''}"

    @property
    def seed(self) -> int:
        """Of its series of chances: a fault that is injected again goes the same way."""
        return zlib.crc32(self.name.encode())


@dataclass(eq=False)
class SignalFault(ProtocolFault):
    """A fault of values on their way."""

    names: frozenset[str]  # of the variables that it acts on
    first: int  # row
    last: Row  # what is shown instead of lost and bad ones: mostly the one before it
    step_s: float = field(repr=False)  # between two rows
    end: int | None = None  # row; none while it acts

    @property
    def acts(self) -> bool:
        """Whether it is not over."""
        return self.end is None

    @property
    def ticks(self) -> int:
        """Its amount of time."""
        return max(1, round(self.amount / 1e3 / self.step_s))

    def delays_besides(self, name: str) -> bool:
        """Whether it lets values come later, and is not the fault of that name."""
        return self.acts and self.kind in MILLISECONDS and self.name != name

    def covers(self, row: int) -> bool:
        """Whether a row was made while it acted."""
        return self.first <= row and (self.end is None or row < self.end)

    @property
    def has_left_traces(self) -> bool:
        """Whether there are rows, now that it is over, whose values it has lost."""
        return self.kind not in MILLISECONDS and self.end != self.first and bool(self.names)

    def arrived(self, end: int) -> int:
        """Of the rows before `end`: the number up to which they have arrived."""
        if not self.acts or self.kind not in MILLISECONDS or end <= self.first:
            return end
        since = end - self.first
        return self.first + max(0, self._arrived(since))

    def _arrived(self, since: int) -> int:
        ticks = self.ticks
        if self.kind is Kind.DELAY:
            return since - ticks
        # every `ticks` rows there is another delay; what has arrived before stays arrived
        block = since // ticks
        now = since - self._jitter(block)
        return max(now, block * ticks - 1 - self._jitter(block - 1)) if block else now

    def _jitter(self, block: int) -> int:
        return int(chance(self.seed, block) * (self.ticks + 1))

    def loses(self, rows: Ints) -> Bools:
        """Which of some rows are no samples of its signals."""
        if self.kind not in LOSING:
            return np.zeros(len(rows), dtype=bool)
        covered: Bools = rows >= self.first
        if self.end is not None:
            covered &= rows < self.end
        if self.kind is Kind.DROP:
            covered &= chances(self.seed, np.maximum(rows - self.first, 0)) < self.amount
        return covered


class Effect(NamedTuple):
    """What a fault does to an answer."""

    is_cut: bool  # the connection ends instead
    delay_s: float


@dataclass(eq=False)
class ClientFault(ProtocolFault):
    """A fault of the connection of some clients.

    It counts their answers together, through all connections: whoever connects again goes on in
    the series of chances, so that a share of all answers is met.
    """

    injected_by: Commander  # who is not to be locked out by it
    answers: int = 0  # that have met it

    def acts_on(self, session: Commander) -> bool:
        """Whether it is for this client; whoever injected it is spared."""
        if session.connection is not None and session.connection is self.injected_by.connection:
            return False
        return is_meant(self.target, shown_name(session))

    def on_next_answer(self) -> Effect:
        """What it does to one more answer."""
        answer, self.answers = self.answers, self.answers + 1
        if self.kind is Kind.DELAY:
            return Effect(False, self.amount / 1e3)
        drawn = chance(self.seed, answer)
        if self.kind is Kind.JITTER:
            return Effect(False, self.amount / 1e3 * drawn)
        return Effect(drawn < self.amount, 0.0)

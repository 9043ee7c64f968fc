"""Says what is wrong with a bridge: each thing once, and again when it works again.

A value that comes and goes a hundred times a second is said once in a while. What is wrong now is
always on the board.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from twincell.server.bridge.wire import Wire
from twincell.server.realtime.shared.bridge_board import BridgeState

QUIET_S = 10.0  # between two lines about the same thing; chosen
MOST_NOTES = 20  # about the connection, within a minute; chosen
MINUTE_S = 60.0

Say = Callable[[int, str], None]  # how serious it is, as Python's logging counts, and what


@dataclass
class _Said:
    """What was last said about one thing."""

    problem: str = ""  # what is wrong now, "" if nothing is
    at_s: float = float("-inf")
    is_said: bool = False


class Telling:
    """What a bridge has to say."""

    def __init__(self, state: BridgeState, say: Say) -> None:
        self._state = state
        self._say = say
        self._said: dict[tuple[Wire, str], _Said] = {}
        self._noted_s: list[float] = []  # when something was said about the connection
        self._unsaid = 0

    def connection(self, text: str, is_up: bool) -> None:
        """Say how the connection is; one that comes and goes does not fill the log."""
        now_s = time.monotonic()
        self._noted_s = [at_s for at_s in self._noted_s if now_s - at_s < MINUTE_S]
        if len(self._noted_s) >= MOST_NOTES:
            self._unsaid += 1
            return
        self._noted_s.append(now_s)
        unsaid = f" (and {self._unsaid} lines before that were not logged)" if self._unsaid else ""
        self._unsaid = 0
        self._note(logging.INFO if is_up else logging.WARNING, f"{text}{unsaid}")

    def problem(self, wire: Wire, what: str, problem: str, remedy: str = "") -> None:
        """Something is wrong with a wire."""
        text = f"{wire.name}: {problem}" + (f"; {remedy}" if remedy else "")
        said = self._said.setdefault((wire, what), _Said())
        if said.problem == text:
            return
        said.problem, said.is_said = text, False
        self._state.error = text
        self._count()
        self._say_if_due(said)

    def works(self, wire: Wire, what: str) -> None:
        """Nothing of that kind is wrong with a wire."""
        said = self._said.get((wire, what))
        if said is None or not said.problem:
            return
        said.problem = ""
        self._count()
        if said.is_said:
            self._note(logging.INFO, f"{wire.name}: works again")

    def say_late(self) -> None:
        """Say what was held back, if it is still so."""
        for said in self._said.values():
            if said.problem and not said.is_said:
                self._say_if_due(said)

    def _note(self, level: int, text: str) -> None:
        self._say(level, f"bridge {self._state.name}: {text}")

    def _say_if_due(self, said: _Said) -> None:
        now_s = time.monotonic()
        if now_s - said.at_s >= QUIET_S:
            said.at_s, said.is_said = now_s, True
            self._note(logging.WARNING, said.problem)

    def _count(self) -> None:
        broken = {wire for (wire, _), said in self._said.items() if said.problem}
        self._state["problems"] = len(broken)

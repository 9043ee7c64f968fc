"""The method that lets the network misbehave: InjectProtocolFault.

    InjectProtocolFault(Kind, Target, Amount, Seconds)        Amount 0 clears the fault

A refused call has no text in OPC UA, so the log says why.
"""

import logging
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from asyncua import ua

from twincell.server.opcua.command.arbitration import SESSION, Commander, Control, shown_name
from twincell.server.opcua.fault.pattern import is_of_clients
from twincell.server.opcua.fault.protocol_fault import MILLISECONDS, Kind
from twincell.server.opcua.fault.protocol_faults import MOST_FAULTS, ProtocolFaults
from twincell.server.opcua.method.arguments import out_of_range
from twincell.server.opcua.method.methods import Method

LONGEST_TARGET = 200  # characters; chosen: twice the longest name that is shown
LONGEST_CLIENT_DELAY_MS = 60_000.0  # chosen: longer than any client waits for an answer
LONGEST_S = 86_400.0  # a day; chosen
KINDS = tuple(kind for kind in Kind if kind is not Kind.FORCE)  # that has methods of its own
KIND, TARGET, AMOUNT, SECONDS = range(4)  # the arguments

log = logging.getLogger("twincell.opcua")


class Asked(NamedTuple):
    """What InjectProtocolFault was called with."""

    kind: str
    target: str
    amount: float
    seconds: float


class ProtocolFaultMethods:
    """Injects protocol faults, and clears single ones."""

    def __init__(self, faults: ProtocolFaults, control: Control) -> None:
        self._faults = faults
        self._control = control

    def by_name(self) -> dict[str, Method]:
        """The methods, by the names of their nodes."""
        return {"Simulation.InjectProtocolFault": self.inject}

    async def inject(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Let values or answers come late, irregularly, not at all or with a Bad status."""
        self._control.check(session)
        asked = Asked(arguments[KIND] or "", arguments[TARGET] or "", *arguments[AMOUNT:])
        self._check(asked)
        kind = Kind(asked.kind)
        if asked.amount == 0.0:
            if not self._faults.clear(f"{kind} {asked.target}"):
                log.warning("there is no fault %s %s to clear", kind, asked.target)
                raise ua.uaerrors.BadNotFound
            return ()
        try:
            fault = self._faults.inject(session, kind, asked.target, asked.amount, asked.seconds)
        except ua.uaerrors.UaStatusCodeError as refusal:
            log.warning("%s: %s", asked.target, self._why(refusal.code, asked.target))
            raise
        until = f"for {asked.seconds:g} s" if asked.seconds else "until it is cleared"
        log.info("%s injected %s %s", shown_name(session), fault.text, until)
        return ()

    def _check(self, asked: Asked) -> None:
        """Refuse what no fault can be."""
        number, why = self._problem(asked)
        if why:
            log.warning("a protocol fault was refused: %s", why)
            raise out_of_range(number, len(asked))

    def _problem(self, asked: Asked) -> tuple[int, str]:
        """Which argument makes no sense, and why; "" if all do."""
        kind, target, amount, seconds = asked
        if kind not in KINDS:
            return KIND, f"{kind[:LONGEST_TARGET]!r} is not one of {', '.join(KINDS)}"
        if not 0 < len(target) <= LONGEST_TARGET or not target.isprintable():
            return TARGET, f"a target has 1 to {LONGEST_TARGET} characters that can be printed"
        if is_of_clients(target) and not target.removeprefix(SESSION).strip():
            return TARGET, f"which client? {SESSION}* is every one"
        if is_of_clients(target) and kind == Kind.BAD:
            return TARGET, f"{target!r} is a client, but only signals can be bad"
        most = self._most(Kind(kind), target)
        if not 0.0 <= amount <= most:
            why = ": all delays of a signal count" if kind in MILLISECONDS else ""
            return AMOUNT, f"{kind} of {amount:g} is not from 0 to {most:g}{why}"
        if not 0.0 <= seconds <= LONGEST_S:
            return SECONDS, f"{seconds:g} s are not from 0 to {LONGEST_S:g}"
        return 0, ""

    def _most(self, kind: Kind, target: str) -> float:
        if kind not in MILLISECONDS:
            return 1.0
        if is_of_clients(target):
            return LONGEST_CLIENT_DELAY_MS
        return self._faults.longest_ms(f"{kind} {target}", target)

    def _why(self, code: int, target: str) -> str:
        if code == ua.StatusCodes.BadNotFound:
            near = get_close_matches(target, self._faults.signal_names, n=1)
            return f"no signal is called so{f': did you mean {near[0]}?' if near else ''}"
        if code == ua.StatusCodes.BadResourceUnavailable:
            return f"there are {MOST_FAULTS} faults already: clear some"
        return "no tick has run yet: there is no value that could be late or bad"

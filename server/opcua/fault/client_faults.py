"""Faults of a client's connection: answers come late, irregularly, or the connection is cut.

They act on cyclic traffic: reads of signals, writes, and what subscriptions publish. How a client
connects, what it browses and which methods it calls stays as it is, so that an engineer always gets
in to clear a fault. Over TCP no answer is lost alone: where packets stay lost the connection ends.
"""

import logging
from functools import partial

from twincell.server.opcua.command.arbitration import shown_name
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.session.session import Session
from twincell.server.opcua.wire.request import Request

log = logging.getLogger("twincell.opcua")


class ClientFaults:
    """What answers meet on their way to their clients."""

    def __init__(self, faults: ProtocolFaults) -> None:
        self._faults = faults

    @property
    def are_there(self) -> bool:
        return bool(self._faults.of_clients)

    def expose(self, request: Request, session: Session) -> None:
        """Let faults act on the answer to a request, when it is sent."""
        request.on_its_way = partial(self._meets, session, request)

    def _meets(self, session: Session, request: Request, response: bytes) -> bool:
        """Whether an answer meets a fault, which takes it."""
        faults = [fault for fault in self._faults.of_clients if fault.acts_on(session)]
        if not faults:
            return False
        connection = request.connection
        detour = connection.detour
        # each fault counts each answer, also those that another one cuts off
        effects = [fault.on_next_answer() for fault in faults]
        for fault, effect in zip(faults, effects, strict=True):
            if effect.is_cut:
                log.warning("%s is cut off: %s", shown_name(session), fault.text)
                connection.give_up()
                return True
        delay_s = sum(effect.delay_s for effect in effects)
        if delay_s == 0.0 and detour.is_empty:
            return False
        self._faults.detours.add(detour)
        detour.hold(partial(request.send_now, response), len(response), delay_s)
        return True

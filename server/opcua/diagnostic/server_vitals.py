"""How the OPC UA process is, for the other processes: written about ten times a second."""

import time
from collections.abc import Sized

from twincell.server.opcua.diagnostic.diagnostics import Counters
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.subscription.subscription_service import CellSubscriptions
from twincell.server.opcua.wire.admission import Admission
from twincell.server.realtime.shared.vitals import Vitals


class ServerVitals:
    """What the server writes on the board of vital signs."""

    def __init__(
        self,
        vitals: Vitals,
        admission: Admission,
        sessions: Sized,
        subscriptions: CellSubscriptions,
        counters: Counters,
        faults: ProtocolFaults,
    ) -> None:
        self._vitals = vitals
        self._admission = admission
        self._sessions = sessions
        self._subscriptions = subscriptions
        self._counters = counters
        self._faults = faults

    def show(self) -> None:
        """Write how things are now."""
        vitals, losses = self._vitals, self._subscriptions.losses
        subscriptions = self._subscriptions.subscriptions.values()
        vitals["server_beat_ns"] = time.monotonic_ns()
        vitals["clients"] = len(self._admission.connections)
        vitals["sessions"] = len(self._sessions)
        vitals["refused_sessions"] = self._counters.rejected_sessions
        vitals["refused_requests"] = self._counters.rejected_requests
        vitals["subscriptions"] = len(subscriptions)
        vitals["items"] = sum(len(one.items) for one in subscriptions)
        vitals["notifications"] = self._subscriptions.notifications
        vitals["dropped"], vitals["overtaken"] = losses.dropped, losses.overtaken
        vitals["protocol_faults"] = len(self._faults.acting)
        vitals["protocol_faults_injected"] = self._faults.injected

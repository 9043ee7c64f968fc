"""ServerStatus: since when the server runs, what time it is, and when it will end.

The structure and the variables below it are told when they are read, from the same status: so they
never contradict each other.                                    OPC UA part 5, 6.3.1, 12.10
"""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

from asyncua import ua
from asyncua.server.internal_server import InternalServer
from asyncua.ua import AttributeIds, VariantType
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.space.namespaces import base_id

REASON = "The server was told to stop."
_PARTS: dict[str, VariantType] = {
    "StartTime": VariantType.DateTime,
    "CurrentTime": VariantType.DateTime,
    "State": VariantType.Int32,
    "SecondsTillShutdown": VariantType.UInt32,
    "ShutdownReason": VariantType.LocalizedText,
}


class ServerStatus:
    """The status of a server that has started."""

    def __init__(self, core: InternalServer) -> None:
        self._ends_s: float | None = None  # monotonic time
        node = core.aspace[base_id(ObjectIds.Server_ServerStatus)]
        held = node.attributes[AttributeIds.Value]
        assert held.value is not None and held.value.Value is not None  # asyncua has set it
        self._status: ua.ServerStatusDataType = held.value.Value.Value
        self._tell(core, "ServerStatus", VariantType.ExtensionObject, lambda status: status)
        for name, type_ in _PARTS.items():
            self._tell(core, f"ServerStatus_{name}", type_, attrgetter(name))

    def shut_down_in(self, seconds: float) -> None:
        """Say that the server will end, and when."""
        self._ends_s = time.monotonic() + seconds

    def now(self) -> ua.ServerStatusDataType:
        """The status at this moment."""
        moment = datetime.now(UTC)
        if self._ends_s is None:
            return replace(self._status, CurrentTime=moment)
        return replace(
            self._status,
            CurrentTime=moment,
            State=ua.ServerState.Shutdown,
            SecondsTillShutdown=max(math.ceil(self._ends_s - time.monotonic()), 0),
            ShutdownReason=ua.LocalizedText(REASON),
        )

    def _tell(
        self,
        core: InternalServer,
        name: str,
        type_: VariantType,
        part: Callable[[ua.ServerStatusDataType], Any],
    ) -> None:
        """Let a variable tell its part of the status."""

        def told(*_: Any) -> ua.DataValue:
            status = self.now()
            return ua.DataValue(ua.Variant(part(status), type_), SourceTimestamp=status.CurrentTime)

        node = core.aspace[base_id(getattr(ObjectIds, f"Server_{name}"))]
        node.attributes[AttributeIds.Value].value_callback = told

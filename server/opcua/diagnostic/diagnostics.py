"""ServerDiagnostics: who is connected and what was refused, told at the moment it is read.

OPC UA part 5, 6.3.3 (ServerDiagnosticsType), 12.9 (ServerDiagnosticsSummaryDataType)
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AttributeValue
from asyncua.server.internal_server import InternalServer
from asyncua.ua import AttributeIds, VariantType
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.diagnostic.session_diagnostics import (
    SeenSession,
    session_diagnostics,
    session_security,
)
from twincell.server.opcua.diagnostic.subscription_diagnostics import (
    subscription_diagnostics,
    uint32,
)
from twincell.server.opcua.space.namespaces import base_id
from twincell.server.opcua.space.node_store import READ
from twincell.server.opcua.subscription.subscription import Subscription

ENABLED = base_id(ObjectIds.Server_ServerDiagnostics_EnabledFlag)
SUMMARY = base_id(ObjectIds.Server_ServerDiagnostics_ServerDiagnosticsSummary)
SUBSCRIPTIONS = base_id(ObjectIds.Server_ServerDiagnostics_SubscriptionDiagnosticsArray)
SESSIONS = base_id(
    ObjectIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionDiagnosticsArray
)
SESSION_SECURITY = base_id(
    ObjectIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionSecurityDiagnosticsArray
)

# who is connected, and from where, is for engineers only
PROTECTED: frozenset[ua.NodeId] = frozenset({SUBSCRIPTIONS, SESSIONS, SESSION_SECURITY})


@dataclass(slots=True)
class Counters:
    """What has happened since the server started."""

    cumulated_sessions: int = 0
    rejected_sessions: int = 0  # for whatever reason
    security_rejected_sessions: int = 0  # of these, for security's sake
    session_timeouts: int = 0
    session_aborts: int = 0  # ended by a lost connection
    cumulated_subscriptions: int = 0
    rejected_requests: int = 0  # for whatever reason
    security_rejected_requests: int = 0  # of these, for security's sake


class Diagnostics:
    """What ServerDiagnostics tells."""

    def __init__(
        self,
        counters: Counters,
        sessions: Iterable[SeenSession],
        subscriptions: Mapping[int, Subscription],
    ) -> None:
        self._counters = counters
        self._sessions = sessions
        self._subscriptions = subscriptions

    def summary(self) -> Any:
        """ServerDiagnosticsSummary; its variables are the fields of this."""
        counters = self._counters
        told = ua.ServerDiagnosticsSummaryDataType()
        told.ServerViewCount = 0
        told.CurrentSessionCount = sum(1 for _ in self._sessions)
        told.CumulatedSessionCount = uint32(counters.cumulated_sessions)
        told.SecurityRejectedSessionCount = uint32(counters.security_rejected_sessions)
        told.RejectedSessionCount = uint32(counters.rejected_sessions)
        told.SessionTimeoutCount = uint32(counters.session_timeouts)
        told.SessionAbortCount = uint32(counters.session_aborts)
        told.CurrentSubscriptionCount = len(self._subscriptions)
        told.CumulatedSubscriptionCount = uint32(counters.cumulated_subscriptions)
        intervals = {one.terms.interval_ms for one in self._subscriptions.values()}
        told.PublishingIntervalCount = len(intervals)
        told.SecurityRejectedRequestsCount = uint32(counters.security_rejected_requests)
        told.RejectedRequestsCount = uint32(counters.rejected_requests)
        return told

    def subscriptions(self) -> list[Any]:
        """SubscriptionDiagnosticsArray."""
        return [subscription_diagnostics(one) for one in self._subscriptions.values()]

    def sessions(self) -> list[Any]:
        """SessionDiagnosticsArray."""
        mine: dict[ua.NodeId, list[Subscription]] = {}
        for subscription in self._subscriptions.values():
            mine.setdefault(subscription.session_id, []).append(subscription)
        return [session_diagnostics(one, mine.get(one.session_id, [])) for one in self._sessions]

    def security(self) -> list[Any]:
        """SessionSecurityDiagnosticsArray."""
        return [session_security(one) for one in self._sessions]


def publish_diagnostics(core: InternalServer, diagnostics: Diagnostics) -> None:
    """Let the variables below ServerDiagnostics tell what is so when they are read."""
    structure = VariantType.ExtensionObject
    _tell(core, SUMMARY, diagnostics.summary, structure)
    _tell(core, SUBSCRIPTIONS, diagnostics.subscriptions, structure)
    _tell(core, SESSIONS, diagnostics.sessions, structure)
    _tell(core, SESSION_SECURITY, diagnostics.security, structure)
    for field in fields(ua.ServerDiagnosticsSummaryDataType):
        name = f"Server_ServerDiagnostics_ServerDiagnosticsSummary_{field.name}"
        node = base_id(getattr(ObjectIds, name))
        _tell(core, node, _field(diagnostics, field.name), VariantType.UInt32)
    _tell(core, ENABLED, lambda: True, VariantType.Boolean)
    # nobody switches it off: it costs nothing until it is read
    for level in (AttributeIds.AccessLevel, AttributeIds.UserAccessLevel):
        read_only = ua.DataValue(ua.Variant(READ, VariantType.Byte))
        core.aspace[ENABLED].attributes[level] = AttributeValue(read_only)


def _field(diagnostics: Diagnostics, name: str) -> Callable[[], int]:
    return lambda: getattr(diagnostics.summary(), name)


def _tell(
    core: InternalServer, node: ua.NodeId, value: Callable[[], Any], type_: VariantType
) -> None:
    def told(*_: Any) -> ua.DataValue:
        now = value()
        variant = ua.Variant(now, type_, is_array=isinstance(now, list))
        return ua.DataValue(variant, SourceTimestamp=datetime.now(UTC))

    core.set_attribute_value_callback(node, told)

"""Diagnostics of sessions: who is connected, how securely, and what each has asked for.

OPC UA part 5, 12.11 (SessionDiagnosticsDataType), 12.12 (SessionSecurityDiagnosticsDataType)
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Protocol

from asyncua import ua
from asyncua.ua.object_ids import ObjectIds
from asyncua.ua.ua_binary import struct_to_binary

from twincell.server.opcua.diagnostic.subscription_diagnostics import uint32
from twincell.server.opcua.subscription.publish_queue import PublishQueue
from twincell.server.opcua.subscription.subscription import Subscription
from twincell.server.security.roles import Identity

SECURITY = ua.NodeId(ObjectIds.SessionSecurityDiagnosticsDataType_Encoding_DefaultBinary)


class RequestCounts:
    """How often a session has asked for each service, and how often in vain."""

    def __init__(self) -> None:
        self.total: Counter[str] = Counter()  # by the service's name: Read, Publish, ...
        self.errors: Counter[str] = Counter()
        self.unauthorised = 0  # refused for want of rights

    def count(self, service: str) -> None:
        """A request came."""
        self.total[service] += 1

    def failed(self, service: str) -> None:
        """A request that was counted was refused as a whole."""
        self.errors[service] += 1


class SeenSession(Protocol):
    """A session, as far as diagnostics go."""

    session_id: ua.NodeId
    client_name: str
    client_description: ua.ApplicationDescription
    server_uri: str
    endpoint_url: str
    locale_ids: list[str]
    timeout_ms: float
    max_response_bytes: int  # that its client can read; 0 for any
    connected_at: datetime
    last_contact: datetime
    user_history: list[str]  # names that it has acted for
    security_mode: ua.MessageSecurityMode
    security_policy_uri: str
    client_certificate: bytes | None
    publish_queue: PublishQueue
    requests: RequestCounts

    @property
    def identity(self) -> Identity:
        """Who it acts for."""

    @property
    def authentication(self) -> str:
        """How that was proved: anonymous, username, certificate."""


def _counted_services() -> tuple[str, ...]:
    """Services that SessionDiagnostics has a counter for."""
    blank = ua.SessionDiagnosticsDataType()
    counters = (
        field.name.removesuffix("Count")
        for field in fields(blank)
        if isinstance(getattr(blank, field.name), ua.ServiceCounterDataType)
    )
    return tuple(name for name in counters if name != "TotalRequest")


SERVICES = _counted_services()


def session_diagnostics(session: SeenSession, subscriptions: Sequence[Subscription]) -> Any:
    """One element of SessionDiagnosticsArray; the subscriptions are those of the session."""
    requests = session.requests
    told = ua.SessionDiagnosticsDataType()
    told.SessionId = session.session_id
    told.SessionName = session.client_name
    told.ClientDescription = session.client_description
    told.ServerUri = session.server_uri
    told.EndpointUrl = session.endpoint_url
    told.LocaleIds = list(session.locale_ids)
    told.ActualSessionTimeout = session.timeout_ms
    told.MaxResponseMessageSize = session.max_response_bytes
    told.ClientConnectionTime = session.connected_at
    told.ClientLastContactTime = session.last_contact
    told.CurrentSubscriptionsCount = len(subscriptions)
    told.CurrentMonitoredItemsCount = sum(len(one.items) for one in subscriptions)
    told.CurrentPublishRequestsInQueue = len(session.publish_queue)
    told.TotalRequestCount = _counter(requests.total.total(), requests.errors.total())
    told.UnauthorizedRequestCount = uint32(requests.unauthorised)
    for service in SERVICES:
        counter = _counter(requests.total[service], requests.errors[service])
        setattr(told, f"{service}Count", counter)
    return told


def _counter(total: int, errors: int) -> Any:
    return ua.ServiceCounterDataType(uint32(total), uint32(errors))


@dataclass
class _Security:
    """Fields of SessionSecurityDiagnosticsDataType in their order.

    asyncua has this structure too, but takes its field Encoding, a String, for the byte that it
    puts into structures with optional fields, and so encodes it wrongly.
    """

    session_id: ua.NodeId
    client_user_id: ua.String
    client_user_id_history: list[ua.String]
    authentication_mechanism: ua.String
    wire_encoding: ua.String
    transport_protocol: ua.String
    security_mode: ua.MessageSecurityMode
    security_policy_uri: ua.String
    client_certificate: ua.ByteString


def session_security(session: SeenSession) -> Any:
    """One element of SessionSecurityDiagnosticsArray, encoded."""
    told = _Security(
        session.session_id,
        session.identity.name,
        list(session.user_history),
        session.authentication,
        "UA Binary",
        "opc.tcp",
        session.security_mode,
        session.security_policy_uri,
        session.client_certificate,
    )
    return ua.ExtensionObject(SECURITY, struct_to_binary(told))

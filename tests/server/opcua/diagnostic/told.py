"""Played sessions and subscriptions, and what the server tells about them."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.server.internal_server import InternalServer
from asyncua.ua import AttributeIds
from asyncua.ua.ua_binary import variant_from_binary, variant_to_binary

from tests.server.opcua.standard_core import standard_id
from twincell.server.opcua.diagnostic.diagnostics import (
    SUBSCRIPTIONS,
    Counters,
    Diagnostics,
    publish_diagnostics,
)
from twincell.server.opcua.diagnostic.session_diagnostics import RequestCounts
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.shares import Holding, Rank, Shares
from twincell.server.opcua.subscription.item_rules import Asking
from twincell.server.opcua.subscription.publish_queue import PublishQueue, PublishRequest
from twincell.server.opcua.subscription.publishing_clock import PublishingClock
from twincell.server.opcua.subscription.sample_encoding import Times
from twincell.server.opcua.subscription.sources import Sources
from twincell.server.opcua.subscription.subscription import Subscription
from twincell.server.opcua.subscription.subscription_terms import Terms
from twincell.server.realtime.shared.link import Link
from twincell.server.security.roles import Identity, Role
from twincell.sim.signals import SignalTable

CONNECTED = datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
NONE = "http://opcfoundation.org/UA/SecurityPolicy#None"
TERMS = Terms(interval_ms=50.0, keep_alive=3, lifetime=9, most_notifications=100, priority=7)


@dataclass
class FakeSession:
    """A session of nobody."""

    session_id: ua.NodeId = field(default_factory=lambda: ua.NodeId(4711, 1))
    client_name: str = "press line"
    client_description: ua.ApplicationDescription = field(
        default_factory=lambda: ua.ApplicationDescription(ApplicationUri="urn:press")
    )
    server_uri: str = "urn:twincell:server"
    endpoint_url: str = "opc.tcp://localhost:4840"
    locale_ids: list[str] = field(default_factory=lambda: ["en", "de"])
    timeout_ms: float = 60_000.0
    max_response_bytes: int = 1_000_000
    connected_at: datetime = CONNECTED
    last_contact: datetime = CONNECTED + timedelta(seconds=9)
    user_history: list[str] = field(default_factory=lambda: ["", "ada"])
    security_mode: ua.MessageSecurityMode = ua.MessageSecurityMode.None_
    security_policy_uri: str = NONE
    client_certificate: bytes | None = None
    publish_queue: PublishQueue = field(default_factory=lambda: PublishQueue(10))
    requests: RequestCounts = field(default_factory=RequestCounts)
    identity: Identity = field(default_factory=lambda: Identity("ada", Role.ENGINEER))
    authentication: str = "username"
    rank: Rank = Rank.ENGINEER
    client: str = "user ada"
    is_closed: bool = False
    is_lost: bool = False


class FakeReply:
    """Takes whatever is sent."""

    is_open, is_congested, room = True, False, 1_000_000
    header = SimpleNamespace(RequestHandle=1, TimeoutHint=0)

    def send(self, response: bytes) -> None:
        """Never mind."""

    refuse = send


class Told:
    """A core with diagnostics, and what is behind them."""

    def __init__(self, core: InternalServer) -> None:
        self.core = core
        self.counters = Counters()
        self.sessions: list[FakeSession] = []
        self.subscriptions: dict[int, Subscription] = {}
        publish_diagnostics(core, Diagnostics(self.counters, self.sessions, self.subscriptions))

    def subscribe(self, session: FakeSession, terms: Terms = TERMS, items: int = 1) -> Subscription:
        """A subscription that begins intervals only when it is told to."""
        link = Link(1)
        faults = ProtocolFaults(link, (), SignalTable(()), 0.001)
        sources = Sources(link, {}, self.core.aspace, frozenset(), 0.001, faults)
        number = len(self.subscriptions) + 1
        holding = Holding(Shares(Limits()).account(session))
        made = Subscription(
            number, terms, True, sources, holding, PublishingClock(), lambda _: None, lambda _: None
        )
        made.queue, made.session_id = session.publish_queue, session.session_id
        made.items.may_read = lambda _: True
        for handle in range(items):
            node = standard_id("Server_ServiceLevel")
            asked = ua.MonitoredItemCreateRequest(
                ua.ReadValueId(node, AttributeIds.Value),
                ua.MonitoringMode.Reporting,
                ua.MonitoringParameters(handle, 0.0, None, 1, True),
            )
            made.items.create(asked, Asking(Times.BOTH, terms.interval_ms)).StatusCode.check()
        self.subscriptions[number] = made
        return made

    def read(self, node: ua.NodeId) -> Any:
        """A value, after its way over the wire."""
        value = self.core.aspace.read_attribute_value(node, AttributeIds.Value)
        value.StatusCode.check()
        return variant_from_binary(Buffer(variant_to_binary(value.Value))).Value

    def subscription(self, number: int = 1) -> Any:
        (told,) = (one for one in self.read(SUBSCRIPTIONS) if one.SubscriptionId == number)
        return told


def ask(session: FakeSession) -> None:
    session.publish_queue.put(PublishRequest(FakeReply()))


# ---------------------------------------------------------------- the summary

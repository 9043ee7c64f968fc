"""ServerDiagnostics: counted where it happens, told when it is read."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.server.internal_server import InternalServer
from asyncua.ua import AttributeIds
from asyncua.ua.ua_binary import struct_from_binary, variant_from_binary, variant_to_binary

from tests.server.opcua.standard_core import attribute, path, standard_id, started_core
from twincell.server.opcua.diagnostic.diagnostics import (
    ENABLED,
    PROTECTED,
    SESSION_SECURITY,
    SESSIONS,
    SUBSCRIPTIONS,
    SUMMARY,
    Counters,
    Diagnostics,
    publish_diagnostics,
)
from twincell.server.opcua.diagnostic.session_diagnostics import SERVICES, RequestCounts
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.shares import Holding, Rank, Shares
from twincell.server.opcua.space.capabilities import publish_capabilities
from twincell.server.opcua.subscription import slow_item
from twincell.server.opcua.subscription import subscription as subscription_module
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

pytestmark = pytest.mark.asyncio(loop_scope="session")

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


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def core() -> AsyncIterator[InternalServer]:
    async with started_core() as core:
        publish_capabilities(core, Limits(), step_s=0.001)
        yield core


@pytest_asyncio.fixture(loop_scope="session")
async def told(core: InternalServer) -> Told:
    return Told(core)


def ask(session: FakeSession) -> None:
    session.publish_queue.put(PublishRequest(FakeReply()))


# ---------------------------------------------------------------- the summary


async def test_diagnostics_are_on_and_nobody_can_switch_them_off(told: Told):
    assert told.read(ENABLED) is True
    for level in (AttributeIds.AccessLevel, AttributeIds.UserAccessLevel):
        assert attribute(told.core.aspace, ENABLED, level) == ua.AccessLevel.CurrentRead.mask


COUNTED = {
    "CumulatedSessionCount": "cumulated_sessions",
    "SecurityRejectedSessionCount": "security_rejected_sessions",
    "RejectedSessionCount": "rejected_sessions",
    "SessionTimeoutCount": "session_timeouts",
    "SessionAbortCount": "session_aborts",
    "CumulatedSubscriptionCount": "cumulated_subscriptions",
    "SecurityRejectedRequestsCount": "security_rejected_requests",
    "RejectedRequestsCount": "rejected_requests",
}


async def test_every_counter_is_told_under_its_name(told: Told):
    for number, name in enumerate(COUNTED.values(), start=1):
        setattr(told.counters, name, number)
    summary = told.read(SUMMARY)
    assert [getattr(summary, name) for name in COUNTED] == list(range(1, 9))
    assert {field.name for field in fields(Counters)} == set(COUNTED.values())


async def test_the_variables_of_the_summary_agree_with_it(told: Told):
    session = FakeSession()
    told.sessions.append(session)
    told.subscribe(session)
    told.counters.rejected_requests = 5
    summary = told.read(SUMMARY)
    for part in fields(summary):
        node = standard_id(f"{path(SUMMARY)}_{part.name}")
        assert told.read(node) == getattr(summary, part.name), part.name


async def test_what_is_there_now_is_counted_when_it_is_read(told: Told):
    first, second = FakeSession(), FakeSession(ua.NodeId(4712, 1))
    told.sessions += [first, second]
    told.subscribe(first)
    told.subscribe(first)
    told.subscribe(second, Terms(100.0, 3, 9, 100, 0))
    summary = told.read(SUMMARY)
    assert (summary.CurrentSessionCount, summary.CurrentSubscriptionCount) == (2, 3)
    assert summary.PublishingIntervalCount == 2
    told.sessions.clear()
    told.subscriptions.clear()
    summary = told.read(SUMMARY)
    assert (summary.CurrentSessionCount, summary.CurrentSubscriptionCount) == (0, 0)


async def test_a_count_beyond_32_bits_begins_again(told: Told):
    session = FakeSession()
    told.sessions.append(session)
    told.subscribe(session).counts.values = 2**32 + 5
    told.counters.rejected_requests = 2**40 + 6
    session.requests.total["Publish"] = 2**33 + 7
    assert told.subscription().DataChangeNotificationsCount == 5
    assert told.read(SUMMARY).RejectedRequestsCount == 6
    assert told.read(SESSIONS)[0].PublishCount.TotalCount == 7


# ---------------------------------------------------------------- sessions


async def test_nobody_is_connected_at_first(told: Told):
    for node in (SESSIONS, SESSION_SECURITY, SUBSCRIPTIONS):
        value = told.core.aspace.read_attribute_value(node, AttributeIds.Value).Value
        assert (value.Value, value.is_array) == ([], True)


async def test_a_session_is_described(told: Told):
    session = FakeSession()
    told.sessions.append(session)
    told.subscribe(session, items=3)
    told.subscribe(session, items=4)
    told.subscribe(FakeSession(ua.NodeId(4712, 1)), items=5)  # of somebody else
    ask(session)
    (seen,) = told.read(SESSIONS)
    assert seen.SessionId == session.session_id
    assert seen.SessionName == "press line"
    assert seen.ClientDescription.ApplicationUri == "urn:press"
    assert (seen.ServerUri, seen.EndpointUrl) == (session.server_uri, session.endpoint_url)
    assert seen.LocaleIds == ["en", "de"]
    assert (seen.ActualSessionTimeout, seen.MaxResponseMessageSize) == (60_000.0, 1_000_000)
    assert seen.ClientConnectionTime.replace(tzinfo=UTC) == session.connected_at
    assert seen.ClientLastContactTime.replace(tzinfo=UTC) == session.last_contact
    assert (seen.CurrentSubscriptionsCount, seen.CurrentMonitoredItemsCount) == (2, 7)
    assert seen.CurrentPublishRequestsInQueue == 1


async def test_requests_of_a_session_are_counted_by_service(told: Told):
    session = FakeSession()
    told.sessions.append(session)
    requests = session.requests
    for number, service in enumerate(SERVICES, start=1):
        for _ in range(number):
            requests.count(service)
        requests.failed(service)
    requests.unauthorised += 2
    (seen,) = told.read(SESSIONS)
    counters = [getattr(seen, f"{service}Count") for service in SERVICES]
    assert [c.TotalCount for c in counters] == list(range(1, len(SERVICES) + 1))
    assert {c.ErrorCount for c in counters} == {1}
    assert seen.TotalRequestCount.TotalCount == sum(c.TotalCount for c in counters)
    assert seen.TotalRequestCount.ErrorCount == len(SERVICES)
    assert seen.UnauthorizedRequestCount == 2


async def test_services_without_a_counter_of_their_own_count_in_the_total(told: Told):
    session = FakeSession()
    told.sessions.append(session)
    session.requests.count("CloseSession")
    (seen,) = told.read(SESSIONS)
    assert seen.TotalRequestCount.TotalCount == 1


@dataclass
class SecurityOnTheWire:
    """SessionSecurityDiagnosticsDataType as OPC UA part 5 has it."""

    session_id: ua.NodeId
    client_user_id: ua.String
    history: list[ua.String]
    mechanism: ua.String
    encoding_of_session: ua.String
    transport: ua.String
    mode: ua.MessageSecurityMode
    policy: ua.String
    certificate: ua.ByteString


async def test_the_security_of_a_session_is_described(told: Told):
    mode = ua.MessageSecurityMode.SignAndEncrypt
    session = FakeSession(security_mode=mode, client_certificate=b"\x30\x82")
    told.sessions.append(session)
    (value,) = told.core.aspace.read_attribute_value(
        SESSION_SECURITY, AttributeIds.Value
    ).Value.Value
    assert path(value.TypeId) == "SessionSecurityDiagnosticsDataType_Encoding_DefaultBinary"
    body = Buffer(value.Body)
    seen = struct_from_binary(SecurityOnTheWire, body)
    assert len(body) == 0
    assert seen == SecurityOnTheWire(
        session.session_id,
        "ada",
        ["", "ada"],
        "username",
        "UA Binary",
        "opc.tcp",
        mode,
        NONE,
        b"\x30\x82",
    )


async def test_asyncua_still_encodes_that_structure_wrongly():
    # when this fails session_diagnostics can fill asyncua's own structure
    (encoding,) = (
        one for one in fields(ua.SessionSecurityDiagnosticsDataType) if one.name == "Encoding"
    )
    assert encoding.type == "Byte"


# ---------------------------------------------------------------- subscriptions


async def test_the_terms_of_a_subscription_are_told(told: Told):
    session = FakeSession()
    told.subscribe(session, items=2)
    seen = told.subscription()
    assert seen.SessionId == session.session_id
    assert (seen.PublishingInterval, seen.Priority) == (50.0, 7)
    assert (seen.MaxKeepAliveCount, seen.MaxLifetimeCount) == (3, 9)
    assert (seen.MaxNotificationsPerPublish, seen.PublishingEnabled) == (100, True)
    assert (seen.MonitoredItemCount, seen.NextSequenceNumber) == (2, 1)


async def test_messages_of_a_subscription_are_counted(told: Told, monkeypatch):
    monkeypatch.setattr(slow_item, "MOST_LOOKING_S", 60.0)  # both at once, on a busy machine too
    session = FakeSession()
    subscription = told.subscribe(session, items=2)
    ask(session)
    subscription.cycle()
    seen = told.subscription()
    assert (seen.PublishRequestCount, seen.NotificationsCount) == (1, 2)
    assert (seen.DataChangeNotificationsCount, seen.EventNotificationsCount) == (2, 0)
    assert (seen.UnacknowledgedMessageCount, seen.NextSequenceNumber) == (1, 2)
    assert seen.LatePublishRequestCount == 0
    subscription.acknowledge(1)
    assert told.subscription().UnacknowledgedMessageCount == 0


async def test_a_subscription_without_requests_is_late_once_until_it_is_served(told: Told):
    session = FakeSession()
    subscription = told.subscribe(session)
    subscription.cycle()
    subscription.cycle()
    seen = told.subscription()
    assert (seen.LatePublishRequestCount, seen.CurrentLifetimeCount) == (1, 2)
    assert seen.CurrentKeepAliveCount == 2
    ask(session)
    subscription.serve()
    subscription.cycle()
    assert told.subscription().LatePublishRequestCount == 2


async def test_republished_messages_are_counted(told: Told):
    session = FakeSession()
    subscription = told.subscribe(session)
    ask(session)
    subscription.cycle()
    assert subscription.kept(1) is not None
    assert subscription.kept(99) is None
    seen = told.subscription()
    assert (seen.RepublishRequestCount, seen.RepublishMessageCount) == (2, 1)


async def test_messages_that_nobody_acknowledged_in_time_are_counted(
    told: Told, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(subscription_module, "KEPT_MESSAGES", 2)
    session = FakeSession()
    subscription = told.subscribe(session)
    for _ in range(5):
        subscription.items.report_again()
        ask(session)
        subscription.cycle()
    seen = told.subscription()
    assert (seen.UnacknowledgedMessageCount, seen.DiscardedMessageCount) == (2, 3)


async def test_changes_of_a_subscription_are_counted(told: Told):
    subscription = told.subscribe(FakeSession())
    subscription.change(TERMS)
    subscription.enabled = False
    subscription.enabled = True
    subscription.enabled = False
    seen = told.subscription()
    assert (seen.ModifyCount, seen.EnableCount, seen.DisableCount) == (1, 1, 2)
    assert not seen.PublishingEnabled


async def test_what_tells_about_others_is_protected():
    assert {path(node).split("_")[-1] for node in PROTECTED} == {
        "SessionDiagnosticsArray",
        "SessionSecurityDiagnosticsArray",
        "SubscriptionDiagnosticsArray",
    }

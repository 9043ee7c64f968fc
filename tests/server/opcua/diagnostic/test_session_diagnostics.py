"""What is told about each session, and about its security."""

from dataclasses import dataclass, fields
from datetime import UTC

import pytest
from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.ua import AttributeIds
from asyncua.ua.ua_binary import struct_from_binary

from tests.server.opcua.diagnostic.told import NONE, FakeSession, Told, ask
from tests.server.opcua.standard_core import path
from twincell.server.opcua.diagnostic.diagnostics import (
    SESSION_SECURITY,
    SESSIONS,
    SUBSCRIPTIONS,
)
from twincell.server.opcua.diagnostic.session_diagnostics import SERVICES

pytestmark = pytest.mark.asyncio(loop_scope="session")


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

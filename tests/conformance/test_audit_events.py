"""Audit events: engineers hear who logs in, writes, calls, or comes with a bad certificate.

OPC UA part 4, 6.5; part 5, 6.4.3 to 6.4.27
"""

from typing import Any

import pytest
from asyncua import Client, ua
from asyncua.ua.object_ids import ObjectIds

from tests.conformance.secured_cell import SecuredCell
from tests.server.opcua.inside import comes_true
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.diagnostic import audit
from twincell.server.opcua.space.namespaces import cell_id

pytestmark = pytest.mark.asyncio(loop_scope="session")

SERVER, CELL = ua.NodeId(ObjectIds.Server), cell_id("Cell")
CLOSED, PAUSE = "Robot1Flange.Closed", "Simulation.Pause"
FIELDS = (
    "EventType",
    "SourceName",
    "SourceNode",
    "Status",
    "ClientUserId",
    "StatusCodeId",
    "ServerId",
    "EventId",
    "ActionTimeStamp",
    "ClientAuditEntryId",
    "AttributeId",
    "OldValue",
    "NewValue",
    "MethodId",
    "InputArguments",
    "SessionId",
    "SecureChannelId",
    "Certificate",
    "Message",
)


class Auditor:
    """A client that watches for audit events."""

    def __init__(self, client: Client) -> None:
        self.raw = RawClient(client)

    async def watch(self, node: ua.NodeId = SERVER) -> "Auditor":
        clauses = [
            ua.SimpleAttributeOperand(
                ua.NodeId(ObjectIds.BaseEventType), [ua.QualifiedName(name)], ua.AttributeIds.Value
            )
            for name in FIELDS
        ]
        wanted = ua.LiteralOperand(ua.Variant(ua.NodeId(ObjectIds.AuditEventType)))
        where = ua.ContentFilter([ua.ContentFilterElement(ua.FilterOperator.OfType, [wanted])])
        filter_ = ua.EventFilter(clauses, where)
        notifier = ua.AttributeIds.EventNotifier
        await self.raw.monitored(
            item(node, 1, 0.0, 5_000, filter_, attribute=notifier), keep_alive=20
        )
        return self

    @property
    def heard(self) -> list[dict[str, Any]]:
        return [dict(zip(FIELDS, event, strict=True)) for event in self.raw.events[1]]

    async def hear(self, type_: str, **wanted: Any) -> dict[str, Any]:
        """Wait for an event of a type."""
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            number = getattr(ObjectIds, type_)
            found[:] = [
                one
                for one in self.heard
                if one["EventType"].Identifier == number
                and all(one[name] == value for name, value in wanted.items())
            ]
            return bool(found)

        await self.raw.listen(is_there)
        return found[0]


async def auditor(cell: SecuredCell, user: str = "engineer") -> Auditor:
    return await Auditor(await cell.client(user=user)).watch()


async def write(client: Client, name: str, value: Any) -> None:
    await client.get_node(cell_id(name)).write_value(ua.DataValue(ua.Variant(value)))


async def test_the_server_says_that_it_audits(client: Client):
    assert await client.get_node(ua.NodeId(ObjectIds.Server_Auditing)).read_value() is True


async def test_a_login_and_its_end_are_told(cell: SecuredCell):
    listening = await auditor(cell)
    operator = await cell.client("panel", user="operator")
    created = await listening.hear("AuditCreateSessionEventType", Status=True)
    assert created["SourceName"] == "Session/CreateSession"
    assert created["SourceNode"] == SERVER
    activated = await listening.hear("AuditActivateSessionEventType", ClientUserId="operator")
    assert activated["SourceName"] == "Session/ActivateSession"
    assert (activated["Status"], activated["StatusCodeId"].name) == (True, "Good")
    assert activated["ServerId"] == cell.security.own.application_uri
    assert activated["SessionId"] == created["SessionId"]
    assert len(activated["EventId"]) == 16
    await operator.disconnect()
    closed = await listening.hear("AuditSessionEventType", ClientUserId="operator")
    assert closed["SourceName"] == "Session/CloseSession"
    assert closed["SessionId"] == created["SessionId"]


async def test_a_login_that_fails_is_told_without_its_password(cell: SecuredCell):
    listening = await auditor(cell)
    guessing = Client(cell.server.endpoint)
    guessing.set_user("operator")
    guessing.set_password("a wrong guess")
    with pytest.raises(ua.uaerrors.BadUserAccessDenied):
        await guessing.connect()
    told = await listening.hear("AuditActivateSessionEventType", Status=False)
    assert told["ClientUserId"] == "operator"
    assert told["StatusCodeId"].name == "BadUserAccessDenied"
    assert "wrong guess" not in str(listening.heard)


async def test_writes_are_told_with_their_values(cell: SecuredCell):
    listening = await auditor(cell)
    operator = await cell.client("panel", user="operator")
    await write(operator, CLOSED, True)
    good = await listening.hear("AuditWriteUpdateEventType", Status=True)
    assert good["SourceName"] == "Attribute/Write"
    assert good["SourceNode"] == cell_id(CLOSED)
    assert good["ClientUserId"] == "operator"
    assert (good["AttributeId"], good["OldValue"], good["NewValue"]) == (13, False, True)
    with pytest.raises(ua.uaerrors.BadTypeMismatch):
        await write(operator, CLOSED, "open")
    bad = await listening.hear("AuditWriteUpdateEventType", Status=False)
    assert (bad["NewValue"], bad["StatusCodeId"].name) == ("open", "BadTypeMismatch")


async def test_calls_are_told_with_their_arguments(cell: SecuredCell):
    listening = await auditor(cell)
    engineer = await cell.client("tool")
    simulation = engineer.get_node(cell_id("Simulation"))
    await simulation.call_method(cell_id(PAUSE))
    await simulation.call_method(cell_id("Simulation.SetSpeed"), ua.Variant(0.5))
    paused = await listening.hear("AuditUpdateMethodEventType", MethodId=cell_id(PAUSE))
    assert paused["SourceName"] == "Attribute/Call"
    assert paused["SourceNode"] == cell_id("Simulation")
    assert (paused["Status"], paused["InputArguments"]) == (True, [])
    speed = await listening.hear(
        "AuditUpdateMethodEventType", MethodId=cell_id("Simulation.SetSpeed")
    )
    assert [one.Value for one in speed["InputArguments"]] == [0.5]
    operator = await cell.client("panel", user="operator")
    with pytest.raises(ua.uaerrors.BadUserAccessDenied):
        await operator.get_node(cell_id("Simulation")).call_method(cell_id(PAUSE))
    refused = await listening.hear("AuditUpdateMethodEventType", Status=False)
    assert refused["ClientUserId"] == "operator"


async def test_a_certificate_that_is_refused_is_told(cell: SecuredCell):
    listening = await auditor(cell)
    with pytest.raises((ua.UaError, OSError)):
        await cell.secured(application=cell.stranger)
    told = await listening.hear("AuditCertificateUntrustedEventType")
    assert told["SourceName"] == "Security/Certificate"
    assert told["Certificate"] == cell.stranger.made.der
    assert told["StatusCodeId"].name == "BadCertificateUntrusted"


@pytest.mark.parametrize("user", ["operator", "observer", None])
async def test_only_engineers_hear_what_others_do(cell: SecuredCell, user: str | None):
    curious = await Auditor(await cell.client("curious", user=user)).watch()
    listening = await auditor(cell)
    await write(await cell.client("panel", user="operator"), CLOSED, True)
    await listening.hear("AuditWriteUpdateEventType")
    await curious.raw.listen(lambda: len(curious.raw.messages) > 0)  # its first keep-alive
    assert curious.heard == []


async def test_the_cell_sends_no_audit_events(cell: SecuredCell):
    both = Auditor(await cell.client())
    await both.watch(CELL)
    listening = await auditor(cell)
    await write(await cell.client("panel", user="operator"), CLOSED, True)
    await listening.hear("AuditWriteUpdateEventType")
    assert both.heard == []


async def test_without_a_listener_nothing_is_made(cell: SecuredCell, monkeypatch):
    monkeypatch.setattr(audit.Audit, "_event", lambda *_: pytest.fail("made for nobody"))
    operator = await cell.client("panel", user="operator")
    await Auditor(await cell.client("observer", user="observer")).watch()
    await write(operator, CLOSED, True)
    await operator.disconnect()


async def test_long_values_are_left_out(cell: SecuredCell):
    listening = await auditor(cell)
    operator = await cell.client("panel", user="operator")
    for value in ("x" * 60_000, [1.0] * 5_000):
        with pytest.raises(ua.uaerrors.UaStatusCodeError):
            await write(operator, CLOSED, value)
    with pytest.raises(ua.uaerrors.BadNodeIdUnknown):
        await write(operator, "No" + "w" * 60_000, 1.0)
    await listening.raw.listen(lambda: sum(not one["Status"] for one in listening.heard) >= 3)
    for told in listening.heard:
        if not told["Status"]:
            assert told["NewValue"] in (None, 1.0)
            assert len(str(told["SourceNode"])) < 200


async def test_a_flood_of_one_kind_is_cut_and_counted(cell: SecuredCell, monkeypatch):
    monkeypatch.setattr(audit, "MOST_A_SECOND", 50)
    listening = await auditor(cell)
    operator = await cell.client("panel", user="operator")
    value = ua.DataValue(ua.Variant(True))
    await operator.uaclient.write_attributes([cell_id(CLOSED)] * 500, [value] * 500)
    await operator.disconnect()
    await listening.hear("AuditSessionEventType", ClientUserId="operator")  # another kind
    left_out = await listening.hear("AuditEventType")
    assert "more of AuditWriteUpdateEventType" in left_out["Message"].Text
    written = [one for one in listening.heard if one["SourceName"] == "Attribute/Write"]
    assert 0 < len(written) < 500


async def test_nothing_is_left_of_a_listener_that_went(cell: SecuredCell):
    listening = await auditor(cell)
    sources = cell.server.subscriptions._sources
    assert sources.hear_audits()
    await listening.raw.client.disconnect()
    await comes_true(lambda: not sources.auditors)

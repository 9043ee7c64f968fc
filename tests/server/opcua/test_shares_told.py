"""A client that gets less than it asked for can read why."""

from typing import Any

import pytest
from asyncua import Client, ua
from asyncua.ua.ua_binary import nodeid_from_binary, struct_from_binary

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.shares import FIXED, Shared

pytestmark = pytest.mark.asyncio(loop_scope="session")

WHY = 0x04  # in ReturnDiagnostics: additional information about the service
PAGE = "(docs/server/limits.md, Shares)"
FOR_ENGINEERS = f"ask for less, or give some back {PAGE}"
FOR_NAMELESS = (
    f"ask for less, give some back, or log in with a name, as an engineer above all {PAGE}"
)


async def answered(raw: RawClient, request: Any, asks_why: bool = True) -> tuple[str, str]:
    """How a request ends, and what its answer says about that."""
    request.RequestHeader.ReturnDiagnostics = WHY if asks_why else 0
    data = await raw.protocol._send_request(request, timeout=20)
    nodeid_from_binary(data)
    header = struct_from_binary(ua.ResponseHeader, data)
    told = header.ServiceDiagnostics.AdditionalInfo
    return str(header.ServiceResult.name), told.decode() if isinstance(told, bytes) else told or ""


def subscribing(interval_ms: float = 1_000.0) -> ua.CreateSubscriptionRequest:
    request = ua.CreateSubscriptionRequest()
    request.Parameters = ua.CreateSubscriptionParameters(interval_ms, 1_000, 10, 0, True, 0)
    return request


async def test_who_gets_what_it_asked_for_is_told_nothing(client: Client):
    for interval_ms in (1_000.0, 1.0, 0.0):
        assert await answered(RawClient(client), subscribing(interval_ms)) == ("Good", "")


async def test_who_may_have_no_more_subscriptions_reads_why(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, subscriptions=12)
    raw, answers = RawClient(client), []
    while not answers or answers[-1][0] == "Good":
        answers.append(await answered(raw, subscribing()))
    used = cell.server.shares.used(Shared.SUBSCRIPTIONS)
    assert answers[-1] == (
        "BadTooManySubscriptions",
        f"user engineer may have no more: it has {used} of 12 subscriptions, all have {used}; "
        + FOR_ENGINEERS,
    )
    assert await answered(raw, subscribing(), asks_why=False) == ("BadTooManySubscriptions", "")


async def test_who_may_have_no_more_items_reads_why(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, monitored_items=100)
    raw = RawClient(await cell.client("nameless", None))
    made = await raw.subscribe()
    request = ua.CreateMonitoredItemsRequest()
    request.Parameters = ua.CreateMonitoredItemsParameters(
        made.SubscriptionId, ua.TimestampsToReturn.Source, [item("Simulation.Tick")] * 99
    )
    assert await answered(raw, request) == (
        "BadTooManyMonitoredItems",
        "nameless on this machine may have no more: it has 0 of 100 monitored items, all have 0; "
        + FOR_NAMELESS,
    )


async def test_who_publishes_more_slowly_than_it_wanted_reads_why(client: Client):
    raw = RawClient(client)
    for _ in range(50):
        status, why = await answered(raw, subscribing(1.0))
    assert status == "Good"
    assert (
        why.startswith("publishing every ")
        and " ms instead of 1 ms: user engineer may have " in why
    )
    assert await answered(raw, subscribing(5_000.0)) == ("Good", "")


async def test_who_may_have_no_more_clauses_reads_why(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(FIXED, Shared.CLAUSES, 40)
    raw = RawClient(await cell.client("nameless", None))
    made = await raw.subscribe()
    request = ua.CreateMonitoredItemsRequest()
    select = [
        ua.SimpleAttributeOperand(
            ua.NodeId(ua.ObjectIds.BaseEventType), [ua.QualifiedName("Message")], 13
        )
    ]
    one = item(
        ua.NodeId(ua.ObjectIds.Server),
        filter_=ua.EventFilter(select),
        attribute=ua.AttributeIds.EventNotifier,
    )
    request.Parameters = ua.CreateMonitoredItemsParameters(
        made.SubscriptionId, ua.TimestampsToReturn.Source, [one] * 30
    )
    status, why = await answered(raw, request)
    assert status == "Good"  # some of them are there
    assert why.startswith("nameless on this machine may have no more: it has ")
    assert " of 40 clauses of event filters" in why
    assert await answered(raw, request, asks_why=False) == ("Good", "")


async def test_who_may_have_no_more_links_reads_why(
    cell: InProcess, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(FIXED, Shared.LINKS, 8)
    raw = RawClient(await cell.client("nameless", None))
    made, numbers = await raw.monitored(*[item("Simulation.Tick")] * 9)
    request = ua.SetTriggeringRequest()
    request.Parameters = ua.SetTriggeringParameters(made.SubscriptionId, numbers[0], numbers[1:])
    status, why = await answered(raw, request)
    assert (status, " of 8 links between items" in why) == ("Good", True)
    request.Parameters.LinksToAdd = numbers[1:2]  # which is linked
    assert await answered(raw, request) == ("Good", "")

"""Whoever may not do something cannot do it at any node of the server."""

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import Any

import pytest
import pytest_asyncio
from asyncua import Client, ua
from asyncua.server.address_space import AddressSpace
from asyncua.ua.ua_binary import variant_to_binary

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.diagnostic.diagnostics import PROTECTED, SESSIONS, SUBSCRIPTIONS
from twincell.server.opcua.session.rights import GET_MONITORED_ITEMS, RESEND_DATA

pytestmark = pytest.mark.asyncio(loop_scope="session")

LESS = [None, "observer", "operator"]  # than an engineer; None is anonymous
AT_A_TIME = 100
TOLD = (SESSIONS, SUBSCRIPTIONS)  # asyncua cannot decode the third of the protected ones


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def cell() -> AsyncIterator[InProcess]:
    async with InProcess("tool_change_multi") as cell:
        cell.tick(10)
        yield cell


def space(cell: InProcess) -> AddressSpace:
    return cell.server.subscriptions._sources.aspace


def portions(things: Sequence[Any]) -> Iterator[list[Any]]:
    rest = iter(things)
    while some := list(islice(rest, AT_A_TIME)):
        yield some


async def written(client: Client, cell: InProcess, attribute: ua.AttributeIds) -> list[ua.NodeId]:
    """The nodes that take back what is read from them."""
    taken = []
    nodes = [node for node, data in space(cell)._nodes.items() if attribute in data.attributes]
    for some in portions(nodes):
        values = [_held(cell, node, attribute) for node in some]
        wanted = [
            ua.WriteValue(node, attribute, None, ua.DataValue(value))
            for node, value in zip(some, values, strict=True)
        ]
        request = ua.WriteRequest()
        request.Parameters.NodesToWrite = wanted
        results = (await RawClient(client).ask(request)).Results
        taken += [node for node, code in zip(some, results, strict=True) if code.is_good()]
    return taken


def _held(cell: InProcess, node: ua.NodeId, attribute: ua.AttributeIds) -> ua.Variant:
    """What an attribute holds; something short for what is long, or in asyncua's eyes wrong."""
    held = space(cell).read_attribute_value(node, attribute).Value or ua.Variant()
    is_long = len(variant_to_binary(held)) > 5_000
    return ua.Variant(b"short") if is_long or node in PROTECTED else held


@pytest.mark.parametrize("user", [None, "observer"])
async def test_who_only_looks_writes_no_value_of_any_node(cell: InProcess, user: str | None):
    client = await cell.client("looks", user)
    assert await written(client, cell, ua.AttributeIds.Value) == []


async def test_an_operator_writes_commands_and_nothing_else(cell: InProcess):
    client = await cell.client("operator", "operator")
    taken = await written(client, cell, ua.AttributeIds.Value)
    assert taken  # the others are refused because of rights, not by mistake
    for node in taken:
        level = _held(cell, node, ua.AttributeIds.AccessLevel).Value
        assert level & ua.AccessLevel.CurrentWrite.mask
        assert node.NamespaceIndex == 3


@pytest.mark.parametrize("user", [None, "engineer"])
async def test_nobody_writes_anything_but_values(cell: InProcess, user: str | None):
    client = await cell.client("writes", user)
    for attribute in ua.AttributeIds:
        if attribute is not ua.AttributeIds.Value:
            assert await written(client, cell, attribute) == []


@pytest.mark.parametrize("user", LESS)
async def test_only_engineers_call_methods(cell: InProcess, user: str | None):
    client = await cell.client("calls", user)
    calls = [
        ua.CallMethodRequest(node, reference.NodeId, [])
        for node, data in space(cell)._nodes.items()
        for reference in data.references
        if reference.NodeClass == ua.NodeClass.Method
        and reference.IsForward
        # these two are about the caller's own subscriptions: everybody calls them
        and reference.NodeId not in (GET_MONITORED_ITEMS, RESEND_DATA)
    ]
    assert len(calls) > 20
    for some in portions(calls):
        request = ua.CallRequest()
        request.Parameters.MethodsToCall = some
        results = (await RawClient(client).ask(request)).Results
        allowed = [one for one in results if one.StatusCode.is_good()]
        assert not allowed
        reasons = {one.StatusCode.name for one in results}
        assert reasons <= {"BadUserAccessDenied", "BadMethodInvalid", "BadNotImplemented"}


@pytest.mark.parametrize("user", LESS)
async def test_what_others_do_is_told_to_engineers_only(cell: InProcess, user: str | None):
    raw = RawClient(await cell.client("spies", user))
    denied = ["BadUserAccessDenied"] * len(PROTECTED)
    read = ua.ReadRequest()
    read.Parameters.NodesToRead = [ua.ReadValueId(node, 13) for node in PROTECTED]
    assert [one.StatusCode.name for one in (await raw.ask(read)).Results] == denied
    history = ua.HistoryReadRequest()
    history.Parameters.HistoryReadDetails = ua.ReadRawModifiedDetails()
    history.Parameters.NodesToRead = [ua.HistoryReadValueId(node) for node in PROTECTED]
    assert [one.StatusCode.name for one in (await raw.ask(history)).Results] == denied
    made = await raw.subscribe()
    results = await raw.monitor(made, *[item(node) for node in PROTECTED])
    assert [one.StatusCode.name for one in results] == denied


async def test_who_loses_a_role_loses_what_is_subscribed_with_it(cell: InProcess):
    client = await cell.client("changes", "engineer")
    raw = RawClient(client)
    await raw.monitored(*[item(node, 7, 100.0) for node in TOLD])
    await raw.hear(7, len(TOLD))
    activate = ua.ActivateSessionRequest()
    activate.Parameters.UserIdentityToken = ua.AnonymousIdentityToken("anonymous")
    await raw.ask(activate)
    raw.values.clear()
    await raw.hear(7, len(TOLD))
    for value in raw.values[7][-len(TOLD) :]:
        assert value.StatusCode.name == "BadUserAccessDenied" and value.Value.Value is None

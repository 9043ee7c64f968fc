"""GetMonitoredItems and ResendData: a client that comes back learns what it had."""

from typing import Any

import pytest
from asyncua import Client, ua
from asyncua.ua.object_ids import ObjectIds

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.raw_client import RawClient, item
from tests.server.opcua.test_event_items import events
from tests.server.opcua.test_transfer import transfer

pytestmark = pytest.mark.asyncio(loop_scope="session")

SERVER = ua.NodeId(ObjectIds.Server)
GET_MONITORED_ITEMS = ua.NodeId(ObjectIds.Server_GetMonitoredItems)
RESEND_DATA = ua.NodeId(ObjectIds.Server_ResendData)
METHODS = (GET_MONITORED_ITEMS, RESEND_DATA)
TICK, CLOSED, CONTROL = "Simulation.Tick", "Robot1Flange.Closed", "Cell.Control"
Mode = ua.MonitoringMode


async def call(client: Client, method: ua.NodeId, number: int) -> ua.CallMethodResult:
    argument = ua.Variant(number, ua.VariantType.UInt32)
    request = ua.CallMethodRequest(SERVER, method, [argument])
    (result,) = await client.uaclient.call([request])
    return result


async def items_of(client: Client, made: ua.CreateSubscriptionResult) -> list[tuple[int, int]]:
    """Our numbers and the client's, of all items."""
    result = await call(client, GET_MONITORED_ITEMS, made.SubscriptionId)
    result.StatusCode.check()
    assert [one.VariantType for one in result.OutputArguments] == [ua.VariantType.UInt32] * 2
    ours, theirs = (list(one.Value) for one in result.OutputArguments)
    return list(zip(ours, theirs, strict=True))


async def test_the_items_of_every_kind_are_told(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, numbers = await raw.monitored(
        item(TICK, 11), item(CONTROL, 22), events(33), item(CLOSED, 44, mode=Mode.Disabled)
    )
    assert await items_of(client, made) == list(zip(numbers, [11, 22, 33, 44], strict=True))
    changed = await raw.modify(made, numbers[0], item(TICK, 55))
    changed.StatusCode.check()
    assert (numbers[0], 55) in await items_of(client, made)


async def test_a_subscription_without_items_has_none(client: Client):
    assert await items_of(client, await RawClient(client).subscribe()) == []


async def test_a_session_that_takes_a_subscription_over_learns_its_items(
    cell: InProcess, client: Client
):
    old, new = RawClient(client), RawClient(await cell.client("new"))
    made, numbers = await old.monitored(item(TICK, 7))
    assert (await call(new.client, GET_MONITORED_ITEMS, made.SubscriptionId)).StatusCode.name == (
        "BadUserAccessDenied"
    )
    await transfer(new, made.SubscriptionId)
    assert await items_of(new.client, made) == [(numbers[0], 7)]


@pytest.mark.parametrize("method", METHODS)
async def test_a_subscription_that_is_not_there_or_not_ones_own_is_refused(
    cell: InProcess, client: Client, method: ua.NodeId
):
    other = RawClient(await cell.client("other"))
    made = await other.subscribe()
    for number, status in (
        (4_000_000, "BadSubscriptionIdInvalid"),
        (made.SubscriptionId, "BadUserAccessDenied"),
    ):
        assert (await call(client, method, number)).StatusCode.name == status


async def test_values_that_have_not_changed_are_sent_again(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, _ = await raw.monitored(
        item(CLOSED, 1), item(CONTROL, 2), item(TICK, 3, mode=Mode.Sampling)
    )
    await raw.listen(lambda: len(raw.values) == 2)
    cell.tick(3)
    (await call(client, RESEND_DATA, made.SubscriptionId)).StatusCode.check()
    await raw.listen(lambda: all(len(raw.values[handle]) == 2 for handle in (1, 2)))
    assert raw.told(1) == [False, False]
    assert raw.told(2)[0] == raw.told(2)[1]
    assert raw.told(3) == []  # it only samples


@pytest.mark.parametrize("arguments", [[], [ua.Variant("1")], [ua.Variant(1), ua.Variant(2)]])
@pytest.mark.parametrize("method", METHODS)
async def test_wrong_arguments_are_refused(client: Client, method: ua.NodeId, arguments: Any):
    (result,) = await client.uaclient.call([ua.CallMethodRequest(SERVER, method, arguments)])
    assert result.StatusCode.is_bad()


async def test_both_are_called_by_the_declaration_of_the_type_too(client: Client):
    made = await RawClient(client).subscribe()
    for method in (ObjectIds.ServerType_GetMonitoredItems, ObjectIds.ServerType_ResendData):
        result = await call(client, ua.NodeId(method), made.SubscriptionId)
        assert result.StatusCode.is_good()

"""Method service: Call, by users who may and who may not, and many calls at once.

Arguments and objects: tests/server/opcua/test_methods_rules.py. What each method does:
test_methods_simulation.py, test_methods_robots.py. From node-opcua: tests/node/test_node_opcua.py,
tests/node/test_node_services.py.                                       OPC UA part 4, 5.11
"""

import asyncio

import pytest
from asyncua import Client, ua
from asyncua.ua.object_ids import ObjectIds

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import SecuredCell
from tests.server.opcua.asking import call, call_status, read, read_value, wanted
from tests.server.opcua.raw_client import RawClient
from twincell.server.opcua.space.namespaces import cell_id

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK, PAUSE, STEP = "Simulation.Tick", "Simulation.Pause", "Simulation.Step"
WHO = ["engineer", "operator", "observer", None]


def pause() -> ua.CallMethodRequest:
    return ua.CallMethodRequest(cell_id("Simulation"), cell_id(PAUSE), [])


@pytest.mark.parametrize("user", WHO)
async def test_only_an_engineer_calls_methods(cell: SecuredCell, user: str | None):
    client = await cell.client(user=user)
    may_call = user == "engineer"
    assert await call_status(client, PAUSE) == ("Good" if may_call else "BadUserAccessDenied")
    (executable, mine) = await read(
        client,
        wanted(PAUSE, ua.AttributeIds.Executable),
        wanted(PAUSE, ua.AttributeIds.UserExecutable),
    )
    assert (executable.Value.Value, mine.Value.Value) == (True, may_call)


@pytest.mark.parametrize("user", WHO)
async def test_everybody_asks_about_subscriptions_of_ones_own(cell: SecuredCell, user: str | None):
    client = await cell.client(user=user)
    made = await RawClient(client).subscribe()
    for method in (ObjectIds.Server_GetMonitoredItems, ObjectIds.Server_ResendData):
        number = ua.Variant(made.SubscriptionId, ua.VariantType.UInt32)
        request = ua.CallMethodRequest(ua.NodeId(ObjectIds.Server), ua.NodeId(method), [number])
        (result,) = await client.uaclient.call([request])
        assert result.StatusCode.name == "Good"
        executable = client.get_node(ua.NodeId(method))
        mine = await executable.read_attribute(ua.AttributeIds.UserExecutable)
        assert mine.Value.Value is True


async def test_whoever_may_not_call_a_method_learns_nothing_about_its_arguments(cell: SecuredCell):
    client = await cell.client(user="operator")
    result = await call(client, STEP, ua.Variant("five"))
    assert result.StatusCode.name == "BadUserAccessDenied"
    assert not result.InputArgumentResults


async def test_a_call_that_takes_its_time_holds_up_no_other_request(
    cell: SecuredCell, client: Client
):
    cell.takes_orders = False  # the loop is busy
    calling = asyncio.ensure_future(call_status(client, PAUSE))
    assert await read_value(client, TICK) == 0
    assert not calling.done()
    cell.takes_orders = True
    assert await calling == "Good"


async def test_a_request_for_nothing_or_too_much_is_refused_and_calls_nothing(
    cell: SecuredCell, client: Client
):
    assert await refusal(client.uaclient.call([])) == "BadNothingToDo"
    assert await refusal(client.uaclient.call([pause()] * 1_001)) == "BadTooManyOperations"
    before = cell.newest_tick
    cell.tick()
    assert cell.newest_tick == before + 1  # it is not paused

"""MonitoredItem services: Create, Modify, Delete, SetMonitoringMode, SetTriggering.

Whole requests that are refused, and users who may not. The rules of a single item:
tests/server/opcua/test_item_rules.py, test_monitored_items_create.py, _modify.py and _queue.py,
test_triggering.py, test_event_items.py. From node-opcua:
tests/node/test_node_opcua_subscriptions.py, tests/node/test_node_services.py.
                                                                        OPC UA part 4, 5.12
"""

from typing import Any

import pytest
from asyncua import Client, ua

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import SecuredCell
from tests.server.opcua.inside import change_limits
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import RawClient, item, names
from twincell.server.opcua.space.namespaces import base_id

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"
TOO_MANY = 1_001
SESSIONS = base_id(
    ua.ObjectIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionDiagnosticsArray
)
SERVICES = {
    "CreateMonitoredItems": ("ItemsToCreate", item(TICK)),
    "ModifyMonitoredItems": ("ItemsToModify", ua.MonitoredItemModifyRequest()),
    "DeleteMonitoredItems": ("MonitoredItemIds", 1),
    "SetMonitoringMode": ("MonitoredItemIds", 1),
    "SetTriggering": ("LinksToAdd", 1),
}


async def ask(client: Client, service: str, subscription: int, count: int) -> str:
    """How a request with so many operations ends."""
    field, operation = SERVICES[service]
    asked: dict[str, Any] = {"SubscriptionId": subscription, field: [operation] * count}
    parameters = getattr(ua, f"{service}Parameters")(**asked)
    request = getattr(ua, f"{service}Request")()
    return await refusal(RawClient(client).ask(request, parameters))


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    ("count", "status"), [(0, "BadNothingToDo"), (TOO_MANY, "BadTooManyOperations")]
)
async def test_a_request_for_nothing_or_too_much_is_refused(
    client: Client, service: str, count: int, status: str
):
    subscription, _ = await RawClient(client).monitored(item(TICK))
    assert await ask(client, service, subscription.SubscriptionId, count) == status


@pytest.mark.parametrize("service", SERVICES)
async def test_the_subscription_must_be_one_of_the_session(
    cell: SecuredCell, client: Client, service: str
):
    foreign, _ = await RawClient(await cell.client("other")).monitored(item(TICK))
    for subscription in (foreign.SubscriptionId, 4711):
        assert await ask(client, service, subscription, 1) == "BadSubscriptionIdInvalid"


async def test_unknown_items_get_their_status_and_spoil_no_other(client: Client):
    raw = RawClient(client)
    subscription, (number,) = await raw.monitored(item(TICK))
    mode = await raw.set_mode(subscription, ua.MonitoringMode.Sampling, 4711, number)
    assert mode == ["BadMonitoredItemIdInvalid", "Good"]
    response = await raw.ask(
        ua.DeleteMonitoredItemsRequest(),
        ua.DeleteMonitoredItemsParameters(subscription.SubscriptionId, [4711, number]),
    )
    assert names(response.Results) == ["BadMonitoredItemIdInvalid", "Good"]


async def test_items_beyond_those_of_a_subscription_are_refused_together(
    cell: SecuredCell, client: Client, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, monitored_items_per_subscription=3)
    raw = RawClient(client)
    subscription, _ = await raw.monitored(item(TICK), item(TICK))
    asking = raw.monitor(subscription, item(TICK), item(TICK))
    assert await refusal(asking) == "BadTooManyMonitoredItems"
    assert await refusal(raw.monitor(subscription, item(TICK))) == "Good"


@pytest.mark.parametrize("user", ["engineer", "operator", "observer", None])
async def test_what_a_user_may_not_read_he_cannot_monitor(cell: SecuredCell, user: str | None):
    raw = RawClient(await cell.client(user=user))
    subscription = await raw.subscribe()
    hidden, shown = await raw.monitor(subscription, item(SESSIONS, 1), item(TICK, 2))
    assert hidden.StatusCode.name == ("Good" if user == "engineer" else "BadUserAccessDenied")
    assert shown.StatusCode.name == "Good"


async def test_a_session_that_acts_for_another_user_hears_no_more_than_he_may(cell: SecuredCell):
    client = await cell.client()
    raw = RawClient(client)
    await raw.monitored(item(SESSIONS, 1, sampling_ms=100.0), item(TICK, 2))
    await raw.hear(1, 1)
    await client.activate_session("observer", PASSWORD)
    await cell.client("another")  # which would be seen in the list of sessions
    await raw.listen(lambda: raw.values[1][-1].StatusCode.name == "BadUserAccessDenied")
    for _ in range(5):
        cell.tick()
        await raw.next_message()
    assert raw.values[1][-1].Value is None or raw.values[1][-1].Value.Value is None
    assert "another" not in str(raw.values[1])
    assert raw.told(2)[-1] == 5

"""Subscription services: Create, Modify, Delete, SetPublishingMode, Publish, Republish, Transfer.

Whole requests that are refused. What a subscription sends: tests/server/opcua/
test_subscription_terms.py, test_subscription_publish.py, test_subscription_samples.py,
test_republish.py, test_transfer.py. From node-opcua: tests/node/test_node_opcua_subscriptions.py,
tests/node/test_node_services.py.                                       OPC UA part 4, 5.13
"""

from typing import Any

import pytest
from asyncua import Client, ua

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import SecuredCell
from tests.server.opcua.inside import change_limits
from tests.server.opcua.raw_client import RawClient, item

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"
TOO_MANY = 101  # subscriptions; as many as a session may have are answered


@pytest.mark.parametrize(
    ("count", "status"), [(0, "BadNothingToDo"), (TOO_MANY, "BadTooManyOperations")]
)
@pytest.mark.parametrize(
    "service", ["DeleteSubscriptions", "SetPublishingMode", "TransferSubscriptions"]
)
async def test_a_request_for_nothing_or_too_much_is_refused(
    client: Client, service: str, count: int, status: str
):
    parameters = getattr(ua, f"{service}Parameters")(SubscriptionIds=[1] * count)
    request = getattr(ua, f"{service}Request")()
    assert await refusal(RawClient(client).ask(request, parameters)) == status


@pytest.mark.parametrize(
    ("service", "parameters"),
    [
        ("ModifySubscription", {"RequestedPublishingInterval": 50.0}),
        ("Republish", {"RetransmitSequenceNumber": 1}),
    ],
)
async def test_a_foreign_subscription_is_as_unknown_as_one_that_is_not_there(
    cell: SecuredCell, client: Client, service: str, parameters: dict[str, Any]
):
    foreign = await RawClient(await cell.client("other")).subscribe()
    for number in (foreign.SubscriptionId, 4711):
        asked = getattr(ua, f"{service}Parameters")(SubscriptionId=number, **parameters)
        asking = RawClient(client).ask(getattr(ua, f"{service}Request")(), asked)
        assert await refusal(asking) == "BadSubscriptionIdInvalid"


async def test_another_user_cannot_have_a_subscription(cell: SecuredCell, client: Client):
    mine = await RawClient(client).subscribe()
    for user in ("operator", None):
        other = RawClient(await cell.client("other", user=user))
        response = await other.ask(
            ua.TransferSubscriptionsRequest(),
            ua.TransferSubscriptionsParameters([mine.SubscriptionId], False),
        )
        (result,) = response.Parameters.Results
        assert result.StatusCode.name == "BadUserAccessDenied"


async def test_a_session_has_as_many_subscriptions_as_the_server_allows(
    cell: SecuredCell, client: Client, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, subscriptions_per_session=2)
    raw = RawClient(client)
    await raw.subscribe()
    first = await raw.subscribe()
    assert await refusal(raw.subscribe()) == "BadTooManySubscriptions"
    assert await raw.delete(first.SubscriptionId) == ["Good"]
    assert await refusal(raw.subscribe()) == "Good"


async def test_nothing_is_published_without_a_subscription(client: Client):
    assert await refusal(RawClient(client).publish()) == "BadNoSubscription"


async def test_requests_that_wait_are_sent_back_with_the_last_subscription(client: Client):
    raw = RawClient(client)
    subscription = await raw.subscribe()
    await raw.next_message()
    waiting = raw.publish()
    assert await raw.delete(subscription.SubscriptionId) == ["Good"]
    assert await refusal(waiting) == "BadNoSubscription"


async def test_the_oldest_request_is_sent_back_when_too_many_wait(
    cell: SecuredCell, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, publish_requests_per_session=2)
    raw = RawClient(await cell.client("patient"))
    await raw.monitored(item(TICK))
    await raw.next_message()
    oldest, _, _ = raw.publish(), raw.publish(), raw.publish()
    assert await refusal(oldest) == "BadTooManyPublishRequests"


async def test_a_request_that_waits_longer_than_its_client_does_is_sent_back(client: Client):
    raw = RawClient(client)
    await raw.monitored(item(TICK))
    await raw.next_message()
    assert await refusal(raw.publish(hint_s=0.05)) == "BadTimeout"

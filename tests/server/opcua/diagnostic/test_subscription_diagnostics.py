"""What is told about each subscription."""

import pytest

from tests.server.opcua.diagnostic.told import TERMS, FakeSession, Told, ask
from twincell.server.opcua.subscription import slow_item
from twincell.server.opcua.subscription import subscription as subscription_module

pytestmark = pytest.mark.asyncio(loop_scope="session")


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

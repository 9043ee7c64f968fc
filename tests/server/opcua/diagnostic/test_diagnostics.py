"""ServerDiagnostics: counted where it happens, told when it is read."""

from dataclasses import fields

import pytest
from asyncua import ua
from asyncua.ua import AttributeIds

from tests.server.opcua.diagnostic.told import FakeSession, Told
from tests.server.opcua.standard_core import attribute, path, standard_id
from twincell.server.opcua.diagnostic.diagnostics import (
    ENABLED,
    PROTECTED,
    SESSIONS,
    SUMMARY,
    Counters,
)
from twincell.server.opcua.subscription.subscription_terms import Terms

pytestmark = pytest.mark.asyncio(loop_scope="session")


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


async def test_what_tells_about_others_is_protected():
    assert {path(node).split("_")[-1] for node in PROTECTED} == {
        "SessionDiagnosticsArray",
        "SessionSecurityDiagnosticsArray",
        "SubscriptionDiagnosticsArray",
    }

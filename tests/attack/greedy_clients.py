"""Clients who take as much as can be had of what all share, and keep it."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

import pytest
from asyncua import ua

from bench.attack_intruder import Intruder
from tests.attack.beside import beside
from tests.attack.besieged import Besieged
from tests.attack.test_memory_attack import items, subscribe

Attack = Callable[[Besieged, ExitStack], None]  # which goes on until the stack is closed


def event_items(subscription: int, count: int) -> ua.CreateMonitoredItemsRequest:
    """Items on events with as many clauses as a client usually has."""
    names = ("EventId", "EventType", "SourceNode", "SourceName", "Time", "Message", "Severity")
    base = ua.NodeId(ua.ObjectIds.BaseEventType)
    select = [
        ua.SimpleAttributeOperand(base, [ua.QualifiedName(name)], ua.AttributeIds.Value)
        for name in names
    ]
    request = ua.CreateMonitoredItemsRequest()
    request.Parameters = ua.CreateMonitoredItemsParameters(
        subscription,
        ua.TimestampsToReturn.Both,
        [
            ua.MonitoredItemCreateRequest(
                ua.ReadValueId(ua.NodeId(ua.ObjectIds.Server), ua.AttributeIds.EventNotifier),
                ua.MonitoringMode.Reporting,
                ua.MonitoringParameters(n, 0.0, ua.EventFilter(select * 5), 10_000, True),
            )
            for n in range(count)
        ],
    )
    return request


def long_queues(besieged: Besieged, stack: ExitStack) -> None:
    greedy = stack.enter_context(besieged.intruder())
    for _ in range(9):
        greedy.ask(items(subscribe(greedy), 500, 16_000))


def long_queues_that_are_asked_for(besieged: Besieged, stack: ExitStack) -> None:
    long_queues(besieged, stack)
    greedy = stack.enter_context(besieged.intruder())
    greedy.ask(items(subscribe(greedy, 50.0), 500, 16_000))
    stack.enter_context(asking(greedy))


def items_on_events(besieged: Besieged, stack: ExitStack) -> None:
    greedy = stack.enter_context(besieged.intruder())
    number = subscribe(greedy, 1_000.0)
    results = [one for _ in range(10) for one in greedy.ask(event_items(number, 50)).Results]
    assert results[-1].StatusCode.name == "BadTooManyMonitoredItems"


def subscriptions(besieged: Besieged, stack: ExitStack) -> None:
    for _ in range(10):
        greedy = stack.enter_context(besieged.intruder())
        fill_with_subscriptions(greedy, 0.0)


def fast_subscriptions(besieged: Besieged, stack: ExitStack) -> None:
    for _ in range(3):
        greedy = stack.enter_context(besieged.intruder())
        fill_with_subscriptions(greedy, 1.0)
        stack.enter_context(asking(greedy))


def sessions(besieged: Besieged, stack: ExitStack) -> None:
    with pytest.raises(ua.uaerrors.BadTooManySessions):
        for _ in range(150):
            stack.enter_context(besieged.intruder("observer"))


def subscriptions_left_alone(besieged: Besieged, stack: ExitStack) -> None:
    for _ in range(30):
        with besieged.intruder("observer") as leaving:
            fill_with_subscriptions(leaving, 0.0, 40)
            leaving.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))


def fill_with_subscriptions(intruder: Intruder, interval_ms: float, most: int = 100) -> None:
    request = ua.CreateSubscriptionRequest()
    request.Parameters = ua.CreateSubscriptionParameters(interval_ms, 600_000, 10, 0, True, 255)
    for _ in range(most):
        try:
            intruder.ask(request)
        except ua.uaerrors.BadTooManySubscriptions:
            return


def asking(intruder: Intruder) -> AbstractContextManager[None]:
    """It takes whatever it can get, as fast as it comes."""

    def ask(is_over: threading.Event) -> None:
        for _ in range(20):
            intruder.send(intruder.encoded(ua.PublishRequest()))
        while not is_over.is_set():
            for _ in intruder.receive():
                intruder.send(intruder.encoded(ua.PublishRequest()))

    return beside(ask)


GREED: list[Attack] = [
    long_queues,
    long_queues_that_are_asked_for,
    items_on_events,
    subscriptions,
    fast_subscriptions,
    sessions,
    subscriptions_left_alone,
]

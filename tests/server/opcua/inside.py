"""The server as seen from inside: what a client leaves behind can be counted."""

import asyncio
import gc
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.server.opcua.in_process import InProcess
from twincell.server.opcua.attribute import loop_status
from twincell.server.opcua.session.session import Session
from twincell.server.opcua.space.variable import Variable
from twincell.server.opcua.subscription.publish_queue import PublishRequest
from twincell.server.opcua.subscription.subscription import Subscription
from twincell.server.opcua.subscription.subscription_service import CellSubscriptions
from twincell.server.opcua.wire.connection import Connection

CLASSES = (Connection, Session, PublishRequest, Subscription)


def subscriptions(cell: InProcess) -> CellSubscriptions:
    return cell.server.subscriptions


def subscription(cell: InProcess, number: int) -> Subscription:
    return subscriptions(cell).subscriptions[number]


def variables(cell: InProcess) -> list[Variable]:
    """Every variable whose value comes from rows."""
    return list(subscriptions(cell)._sources.variables.values())


def left_behind(cell: InProcess) -> dict[str, int]:
    """How much of everything there is that clients bring with them."""
    gc.collect()
    counts = {kind.__name__: 0 for kind in CLASSES}
    for thing in gc.get_objects():
        if issubclass(type(thing), CLASSES):  # isinstance would ask what a weak proxy stands for
            counts[type(thing).__name__] += 1
    return {
        **counts,
        "subscriptions": len(subscriptions(cell).subscriptions),
        "sessions": len(cell.server.sessions),
        "connections": len(cell.server.admission.connections),
        "tasks": len(asyncio.all_tasks()),
    }


def change_limits(cell: InProcess, monkeypatch: pytest.MonkeyPatch, **changes: float) -> None:
    """Let other limits hold, even such as no cell file may set, for clients that come now."""
    limits = replace(cell.server.limits, **changes)
    monkeypatch.setattr(cell.server, "limits", limits)
    served = cell.server
    for part in (served.sessions, served.subscriptions, served.items, served.admission):
        monkeypatch.setattr(part, "_limits", limits)
    monkeypatch.setattr(served.shares, "limits", limits)


async def empty(cell: InProcess) -> None:
    """Send everybody away, and forget who has failed to log in."""
    await cell.disconnect()
    cell.server.sessions.end_all()
    cell.server.sessions._tokens._failures.clear()
    cell.server.admission.close()
    await comes_true(lambda: not cell.server.admission.connections)


def let_the_loop_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that works hard keeps the loop, which lives in its process, from giving signs."""
    monkeypatch.setattr(loop_status, "LONGEST_SILENCE_NS", 10**12)


async def comes_true(condition: Callable[[], bool], within_s: float = 10.0) -> None:
    """Wait for something to happen in the server."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "it never came true"
        await asyncio.sleep(0.005)

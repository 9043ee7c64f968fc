"""The server as seen from inside: what a client leaves behind can be counted."""

import asyncio
import gc
import time
from collections.abc import Callable

import pytest

from server.opcua import loop_status
from server.opcua.processor import CellProcessor
from server.opcua.publish_queue import PublishRequest
from server.opcua.session import CellSession
from server.opcua.subscription import Subscription
from server.opcua.subscription_service import CellSubscriptions
from server.opcua.variable import Variable
from tests.server.opcua.in_process import InProcess

CLASSES = (CellProcessor, CellSession, PublishRequest, Subscription)


def subscriptions(cell: InProcess) -> CellSubscriptions:
    assert cell.server._server is not None
    return cell.server._server.services.subscriptions


def subscription(cell: InProcess, number: int) -> Subscription:
    return subscriptions(cell).subscriptions[number]


def variables(cell: InProcess) -> list[Variable]:
    """Every variable whose value comes from rows."""
    return list(subscriptions(cell)._sources.variables.values())


def left_behind(cell: InProcess) -> dict[str, int]:
    """How much of everything there is that clients bring with them."""
    assert cell.server._server is not None
    core = cell.server._server.iserver
    gc.collect()
    counts = {kind.__name__: 0 for kind in CLASSES}
    for thing in gc.get_objects():
        if isinstance(thing, CLASSES):
            counts[type(thing).__name__] += 1
    return {
        **counts,
        "subscriptions": len(subscriptions(cell).subscriptions),
        "sessions": len(core._external_sessions),
        "transports": len(core.asyncio_transports),
        "tasks": len(asyncio.all_tasks()),
    }


def let_the_loop_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that works hard keeps the loop, which lives in its process, from giving signs."""
    monkeypatch.setattr(loop_status, "LONGEST_SILENCE_NS", 10**12)


async def comes_true(condition: Callable[[], bool], within_s: float = 10.0) -> None:
    """Wait for something to happen in the server."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "it never came true"
        await asyncio.sleep(0.005)

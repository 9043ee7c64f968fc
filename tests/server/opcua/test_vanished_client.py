"""A client that vanishes in the middle of anything leaves nothing behind."""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from asyncua import Client, ua
from asyncua.ua.ua_binary import struct_to_binary

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import (
    change_limits,
    comes_true,
    left_behind,
    let_the_loop_be_silent,
)
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"
TIMEOUT_S = 0.5


@pytest.fixture(autouse=True)
def short_timeouts(cell: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions may end soon after they were last used, and who opens none has to go."""
    change_limits(
        cell,
        monkeypatch,
        min_session_timeout_ms=1.0,
        seconds_to_open=TIMEOUT_S,
        seconds_to_activate=TIMEOUT_S,
    )


@pytest.fixture(scope="module", autouse=True)
def count_new_objects_only(served: InProcess) -> Iterator[None]:
    """The address space has a million: what there was before needs no looking at."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


async def stranger(cell: InProcess) -> RawClient:
    """A client that the harness does not know, so that it may vanish."""
    client = Client(cell.server.endpoint, timeout=20)
    client.session_timeout = 1e3 * TIMEOUT_S
    client.set_user("engineer")
    client.set_password(PASSWORD)
    await client.connect()
    return RawClient(client)


async def vanish(raw: RawClient) -> None:
    """Close the socket without a word, and end what asyncua's client does by itself."""
    raw.protocol.transport.abort()
    raw.client.uaclient.request_disconnect()
    client = raw.client
    for task in (
        client._supervisor_task,
        client._stale_watchdog_task,
        client._renew_channel_task,
    ):
        await client._cancel_task(task)


async def nobody_is_there(cell: InProcess) -> dict[str, int]:
    """Wait until no client is known any more; then count what there is."""
    server = cell.server
    held = (server.subscriptions.subscriptions, server.sessions, server.admission.connections)
    await comes_true(lambda: not any(len(one) for one in held), within_s=20.0)
    await asyncio.sleep(0.05)
    return left_behind(cell)


async def while_subscribed(cell: InProcess, raw: RawClient) -> None:
    await raw.monitored(item(TICK, 1, filter_=EVERY_SAMPLE), item("Tool1.Pose", 2))
    await raw.hear(1, 1)


async def with_requests_waiting(cell: InProcess, raw: RawClient) -> None:
    await while_subscribed(cell, raw)
    for _ in range(20):
        raw.publish()
    await asyncio.sleep(0.02)


async def with_messages_unread(cell: InProcess, raw: RawClient) -> None:
    await with_requests_waiting(cell, raw)
    raw.protocol.transport.pause_reading()
    for _ in range(20):
        cell.tick(20)
        await asyncio.sleep(0.001)


async def with_subscriptions_late(cell: InProcess, raw: RawClient) -> None:
    for _ in range(5):
        await raw.monitored(item(TICK, 1))
    cell.tick(100)
    await asyncio.sleep(0.05)


async def without_a_subscription(cell: InProcess, raw: RawClient) -> None:
    return


async def in_the_middle_of_a_request(cell: InProcess, raw: RawClient) -> None:
    """Half of it is sent."""
    await while_subscribed(cell, raw)
    request = ua.CreateMonitoredItemsRequest()
    request.Parameters.ItemsToCreate = [item(TICK)] * 100
    body = struct_to_binary(request)
    data = raw.protocol._connection.message_to_binary(body, request_id=4711)
    raw.protocol.transport.write(data[: len(data) // 2])
    await asyncio.sleep(0.02)


async def in_the_middle_of_a_chunked_request(cell: InProcess, raw: RawClient) -> None:
    """Its first chunk is sent."""
    await while_subscribed(cell, raw)
    request = ua.CreateMonitoredItemsRequest()
    request.Parameters.ItemsToCreate = [item(TICK)] * 3_000
    body = struct_to_binary(request)
    data = raw.protocol._connection.message_to_binary(body, request_id=4711)
    assert len(data) > 2 * 65_535
    raw.protocol.transport.write(data[:65_535])
    await asyncio.sleep(0.02)


async def with_a_request_not_yet_answered(cell: InProcess, raw: RawClient) -> None:
    await while_subscribed(cell, raw)
    request = ua.CreateMonitoredItemsRequest()
    request.Parameters.ItemsToCreate = [item(TICK)] * 1_000
    raw.protocol._send_request(request).add_done_callback(lambda answer: answer.exception())


async def with_a_method_running(cell: InProcess, raw: RawClient) -> None:
    """A method that waits for the loop, which is busy."""
    await while_subscribed(cell, raw)
    cell.takes_orders = False
    request = ua.CallRequest()
    method = ua.CallMethodRequest(cell.id("Simulation"), cell.id("Simulation.Pause"), [])
    request.Parameters.MethodsToCall = [method]
    raw.protocol._send_request(request).add_done_callback(lambda answer: answer.exception())
    await asyncio.sleep(0.05)


MOMENTS = [
    while_subscribed,
    with_requests_waiting,
    with_messages_unread,
    with_subscriptions_late,
    without_a_subscription,
    in_the_middle_of_a_request,
    in_the_middle_of_a_chunked_request,
    with_a_request_not_yet_answered,
    with_a_method_running,
]


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
async def test_nothing_is_left_of_a_client_that_vanishes(
    cell: InProcess, moment: Callable[[InProcess, RawClient], Awaitable[Any]]
):
    before = await nobody_is_there(cell)
    raw = await stranger(cell)
    await moment(cell, raw)
    while_there = left_behind(cell)
    assert all(while_there[what] > before[what] for what in ("Session", "Connection"))
    await vanish(raw)
    cell.takes_orders = True
    del raw
    after = await nobody_is_there(cell)
    assert {what: n for what, n in after.items() if n > before[what]} == {}


@pytest.mark.parametrize("sent", [b"", b"HEL", b"HELF\x20\0\0\0", b"MSGF\xff\xff\0\0" + b"\0" * 9])
async def test_nothing_is_left_of_one_that_never_became_a_client(cell: InProcess, sent: bytes):
    before = await nobody_is_there(cell)
    _, writer = await asyncio.open_connection("127.0.0.1", cell.server.port)
    writer.write(sent)
    await asyncio.sleep(0.05)
    writer.transport.abort()
    del writer
    after = await nobody_is_there(cell)
    assert {what: n for what, n in after.items() if n > before[what]} == {}


async def test_one_that_says_nothing_is_shown_the_door(cell: InProcess):
    before = await nobody_is_there(cell)
    reader, writer = await asyncio.open_connection("127.0.0.1", cell.server.port)
    writer.write(b"HELF\x20\0\0\0")
    assert (await asyncio.wait_for(reader.read(), 10.0)).startswith(b"ERRF")
    writer.close()
    await writer.wait_closed()
    del reader, writer
    after = await nobody_is_there(cell)
    assert {what: n for what, n in after.items() if n > before[what]} == {}


async def test_others_notice_nothing_of_it(cell: InProcess, monkeypatch: pytest.MonkeyPatch):
    let_the_loop_be_silent(monkeypatch)
    staying = RawClient(await cell.client("staying"))
    await staying.monitored(item(TICK, 1))
    for _ in range(3):
        raw = await stranger(cell)
        await with_messages_unread(cell, raw)
        await vanish(raw)
        await staying.next_message()
    await staying.listen(lambda: staying.told(1)[-1] == cell.newest_tick)
    assert staying.told(1) == list(range(cell.newest_tick + 1))

"""Limits that are easily reached, and what clients are told of them."""

from dataclasses import replace
from typing import Any

from asyncua import Client, ua

from tests.server.opcua.asking import read_value
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.raw_client import RawClient
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.space.namespaces import base_id

PATIENCE_S = 20.0
NARROW = replace(
    Limits(),
    failed_logins=3,
    sessions=4,
    min_session_timeout_ms=2_000.0,
    max_session_timeout_ms=60_000.0,
    min_channel_lifetime_ms=20_000.0,
    max_channel_lifetime_ms=90_000.0,
    subscriptions=12,
    subscriptions_per_session=3,
    monitored_items=24,
    monitored_items_per_subscription=6,
    publish_requests_per_session=2,
    min_publishing_interval_ms=50.0,
    read_nodes=11,
    write_nodes=12,
    call_methods=13,
    browse_nodes=14,
    translate_nodes=15,
    register_nodes=16,
    monitored_item_calls=7,
    references_per_node=2,
    continuation_points=1,
    message_bytes=200_000,
    message_bytes_before=20_000,
    chunk_bytes=16_384,
    chunks=15,
    array_length=2_000,
    string_length=3_000,
    byte_string_length=4_000,
    decoded_parts=20_000,
)


async def told(raw: RawClient, name: str) -> Any:
    """A limit as ServerCapabilities tell it."""
    node = base_id(getattr(ua.ObjectIds, f"Server_ServerCapabilities_{name}"))
    return await read_value(raw.client, node)


async def connected(narrow: InProcess) -> Client:
    """A client with an open channel and nothing more."""
    client = Client(narrow.server.endpoint, timeout=PATIENCE_S)
    await client.connect_sessionless()
    return client

"""An event of the cell: what happened when, to whom, as fields that a client selects."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from asyncua import ua

from twincell.server.opcua.wire.wire_time import to_datetime, wire_now

NORMAL, WARNING, SERIOUS = 300, 600, 700  # severities, of 1 to 1000; chosen


@dataclass
class CellEvent:
    """Something that happened, with its fields by their names."""

    type_name: str
    fields: dict[str, ua.Variant]


@dataclass(frozen=True)
class Moment:
    """A tick, and the source time of its row."""

    tick: int
    stamp: int


def new_event(
    type_name: str,
    type_id: ua.NodeId,
    source: tuple[str, ua.NodeId],
    moment: Moment,
    message: str,
    severity: int,
    own: dict[str, ua.Variant],
) -> CellEvent:
    """An event with the fields that every event has, and those of its type."""
    name, node = source
    fields = {
        "EventId": ua.Variant(secrets.token_bytes(16), ua.VariantType.ByteString),
        "EventType": ua.Variant(type_id, ua.VariantType.NodeId),
        "SourceNode": ua.Variant(node, ua.VariantType.NodeId),
        "SourceName": ua.Variant(name, ua.VariantType.String),
        "Time": ua.Variant(to_datetime(moment.stamp), ua.VariantType.DateTime),
        "ReceiveTime": ua.Variant(datetime.now(UTC), ua.VariantType.DateTime),
        "Message": ua.Variant(ua.LocalizedText(message), ua.VariantType.LocalizedText),
        "Severity": ua.Variant(severity, ua.VariantType.UInt16),
        "Tick": ua.Variant(moment.tick, ua.VariantType.Int64),
    }
    return CellEvent(type_name, {**fields, **own})


def no_moment() -> Moment:
    """When something happens before the first tick."""
    return Moment(0, wire_now())

"""Encode a PublishResponse by hand: it is sent hundreds of times a second.

OPC UA part 4, 5.13.5; part 6, 5.2 (binary encoding)
"""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.wire.wire_time import wire_now

# response header after handle and result: no diagnostics, no string table, no additional header
_REST_OF_HEADER = struct.pack("<BiHB", 0, -1, 0, 0)
_PUBLISH = struct.pack("<BBH", 1, 0, ObjectIds.PublishResponse_Encoding_DefaultBinary)


class Message(NamedTuple):
    """A NotificationMessage, kept until the client has acknowledged it."""

    number: int
    time: int
    data: tuple[bytes, ...]  # encoded ExtensionObjects; none for a keep-alive

    @property
    def size(self) -> int:
        return sum(len(part) for part in self.data)

    def encoded(self) -> bytes:
        """As it stands in PublishResponse and RepublishResponse."""
        head = struct.pack("<Iqi", self.number, self.time, len(self.data))
        return b"".join((head, *self.data))


def response_header(type_id: bytes, handle: int, status: int = 0) -> bytes:
    """Beginning of any response."""
    return type_id + struct.pack("<qII", wire_now(), handle, status) + _REST_OF_HEADER


def publish_response(
    handle: int,
    subscription: int,
    available: Sequence[int],
    more: bool,
    message: Message,
    results: Sequence[int],
) -> bytes:
    """A whole PublishResponse."""
    n, m = len(available), len(results)
    return b"".join(
        (
            response_header(_PUBLISH, handle),
            struct.pack(f"<Ii{n}I?", subscription, n, *available, more),
            message.encoded(),
            struct.pack(f"<i{m}Ii", m, *results, -1),
        )
    )


# beside available numbers, results and notifications
_EMPTY_BYTES = len(publish_response(0, 0, (), False, Message(0, 0, ()), ()))


def notification_room(room: int, n_available: int, n_result: int) -> int:
    """Bytes of a PublishResponse of so many bytes that are left for its notifications."""
    return room - _EMPTY_BYTES - 4 * (n_available + n_result)


def republish_response(handle: int, message: Message) -> bytes:
    """A whole RepublishResponse."""
    type_id = struct.pack("<BBH", 1, 0, ObjectIds.RepublishResponse_Encoding_DefaultBinary)
    return response_header(type_id, handle) + message.encoded()

"""Encoded notifications on their way to a client, and the bodies of the messages they travel in.

    DataChangeNotification   count i32 | MonitoredItemNotifications | DiagnosticInfos: length -1
    EventNotificationList    count i32 | EventFieldLists
    StatusChangeNotification status u32 | DiagnosticInfo: 0

Notifications are encoded when they are sampled; a message takes as many as the client allows, and
the rest waits for the next one.                                       OPC UA part 4, 7.25
"""

import struct
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt
from asyncua.ua.object_ids import ObjectIds

MOST_BYTES = 4_000_000  # in one message: clients refuse larger ones; chosen

Encoded = npt.NDArray[np.void] | list[bytes]

DATA_CHANGE = int(ObjectIds.DataChangeNotification_Encoding_DefaultBinary)
EVENTS = int(ObjectIds.EventNotificationList_Encoding_DefaultBinary)
STATUS_CHANGE = int(ObjectIds.StatusChangeNotification_Encoding_DefaultBinary)


class Block:
    """Encoded notifications: of one size in an array, or of any size in a list."""

    def __init__(self, notifications: Encoded) -> None:
        self._notifications = notifications
        self._done = 0
        if isinstance(notifications, np.ndarray):
            self.size = notifications.itemsize
            self.bytes = notifications.nbytes
        else:
            self.size = max(map(len, notifications))  # bytes of the largest one
            self.bytes = sum(map(len, notifications))  # of all

    def __len__(self) -> int:
        return len(self._notifications) - self._done

    def cut(self, count: int) -> Any:
        """The next ones, as bytes or something like it."""
        part = self._notifications[self._done : self._done + count]
        self._done += count
        return part.data.cast("B") if isinstance(part, np.ndarray) else b"".join(part)


class Waiting:
    """Notifications of a subscription that no message has carried yet, in their order."""

    def __init__(self) -> None:
        self._blocks: deque[Block] = deque()
        self.count = 0
        self.size = 0  # bytes

    def append(self, notifications: Encoded) -> None:
        """Add encoded notifications behind the others."""
        if len(notifications):
            block = Block(notifications)
            self._blocks.append(block)
            self.count += len(notifications)
            self.size += block.bytes

    def cut(self, limit: int, most_bytes: int, least: int = 1) -> tuple[int, list[Any]]:
        """Take what one message may carry, at least one or none; how many, and their bytes."""
        taken, room, pieces = 0, most_bytes, []
        while self._blocks and taken < limit:
            block = self._blocks[0]
            count = min(len(block), limit - taken, max(room, 0) // block.size)
            if not count and taken >= least:
                break
            count = max(count, 1)
            pieces.append(block.cut(count))
            self.size -= len(pieces[-1])
            taken += count
            room -= count * block.size
            if not len(block):
                self._blocks.popleft()
        self.count -= taken
        return taken, pieces

    def clear(self) -> None:
        """Forget everything."""
        self._blocks.clear()
        self.count = self.size = 0


def extension_object(type_id: int, body: bytes) -> bytes:
    """An ExtensionObject of namespace 0 with a binary body."""
    return struct.pack("<BBHBi", 1, 0, type_id, 1, len(body)) + body


def data_change(count: int, pieces: list[Any]) -> bytes:
    """A DataChangeNotification of encoded items."""
    body = b"".join([struct.pack("<i", count), *pieces, struct.pack("<i", -1)])
    return extension_object(DATA_CHANGE, body)


def event_list(count: int, pieces: list[Any]) -> bytes:
    """An EventNotificationList of encoded EventFieldLists."""
    return extension_object(EVENTS, b"".join([struct.pack("<i", count), *pieces]))


def status_change(status: int) -> bytes:
    """A StatusChangeNotification: the subscription itself has changed."""
    return extension_object(STATUS_CHANGE, struct.pack("<IB", status, 0))


WRAPPING_BYTES = len(data_change(0, []))  # of the largest body, beside its notifications

"""Cut what a connection sends into chunks, and refuse at once what can be none.

chunk: type 3 bytes, F (final), C (more follow) or A (aborted), its size as UInt32, the rest

                                                                OPC UA part 6, 6.7.2, 7.1.2
"""

import struct
from collections.abc import Iterator

from asyncua import ua

HEAD = struct.Struct("<3scI")
FROM_CLIENT = (b"HEL", b"OPN", b"MSG", b"CLO")  # what a client may send
FROM_SERVER = (b"ACK", b"ERR", b"OPN", b"MSG")
MORE_FOLLOW = b"C"
KINDS = (b"F", MORE_FOLLOW, b"A")
LEAST_CHUNK_BYTES = 12  # of the smallest one: a head and a channel id


class TransportRefused(Exception):
    """The connection ends here, with an Error message for the client."""

    def __init__(self, status: int, reason: str, told: str | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason  # for our log
        self.told = reason if told is None else told  # to the client


class Framing:
    """The bytes that came and are no whole chunk yet."""

    def __init__(self, most_bytes: int, types: tuple[bytes, ...] = FROM_CLIENT) -> None:
        self._most_bytes = most_bytes
        self._types = types
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take bytes; all chunks that are whole now."""
        self._held += data
        while len(self._held) >= HEAD.size:
            size = self._checked_size()
            if len(self._held) < size:
                return
            chunk = bytes(self._held[:size])
            del self._held[:size]
            yield chunk

    def _checked_size(self) -> int:
        """How long the chunk is that has begun."""
        type_, kind, size = HEAD.unpack_from(self._held)
        if type_ not in self._types or kind not in KINDS:
            raise TransportRefused(
                ua.StatusCodes.BadTcpMessageTypeInvalid, "this is no message of OPC UA"
            )
        if size < LEAST_CHUNK_BYTES or (kind != b"F" and type_ != b"MSG"):
            raise TransportRefused(
                ua.StatusCodes.BadTcpMessageTypeInvalid, "this is no chunk of OPC UA"
            )
        if size > self._most_bytes:
            raise TransportRefused(
                ua.StatusCodes.BadTcpMessageTooLarge,
                f"a chunk has at most {self._most_bytes} bytes",
            )
        return int(size)

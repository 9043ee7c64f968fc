"""OPC UA messages over a plain socket, without security: bytes out, whole messages in.

message    type 3 bytes | chunk F or C | size u32 | channel u32 | token u32
           | sequence u32 | request u32 | body                        OPC UA part 6, 6.7.2
"""

import socket
import struct
from typing import Any
from urllib.parse import urlsplit

from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.ua.ua_binary import nodeid_from_binary, struct_from_binary, struct_to_binary

BUFFER = 65_535  # largest chunk that we take; what most clients say
READ_AT_ONCE = 1 << 20
HEAD = struct.Struct("<3scI")
HEADS = HEAD.size + 16  # before the body of a chunk
ROOM = BUFFER - HEADS
TIMEOUT_S = 20.0
LIFETIME_MS = 24 * 3_600_000  # of the channel: it is never renewed
POLICY = b"http://opcfoundation.org/UA/SecurityPolicy#None"


class ConnectionEnded(Exception):
    """The server has closed the connection."""


class Wire:
    """One connection, with its secure channel open."""

    def __init__(self, endpoint: str) -> None:
        place = urlsplit(endpoint)
        self.socket = socket.create_connection((place.hostname, place.port), TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = bytearray()
        self._parts: list[bytes] = []  # of the message that is coming in
        self._sequence, self._request = 0, 0
        self._channel, self._token = 0, 0
        try:
            self._open(endpoint.encode())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Vanish without a word."""
        self.socket.close()

    def send(self, body: bytes) -> int:
        """Send a message; returns the number of its request."""
        self._request += 1
        for first in range(0, len(body), ROOM):
            part = body[first : first + ROOM]
            chunk = b"F" if first + ROOM >= len(body) else b"C"
            self._sequence += 1
            head = struct.pack("<IIII", self._channel, self._token, self._sequence, self._request)
            self.socket.sendall(HEAD.pack(b"MSG", chunk, HEADS + len(part)) + head + part)
        return self._request

    def receive(self) -> list[tuple[int, bytes]]:
        """Read once from the socket; the messages that are whole now, with their requests."""
        got = self.socket.recv(READ_AT_ONCE)
        if not got:
            raise ConnectionEnded("the server has closed the connection")
        self._received += got
        at, end = 0, len(self._received)
        messages = []
        while end - at >= HEAD.size:
            kind, chunk, size = HEAD.unpack_from(self._received, at)
            if end - at < size:
                break
            if kind != b"MSG":
                raise ConnectionEnded(f"{kind!r}: {bytes(self._received[at + 8 : at + size])!r}")
            self._parts.append(bytes(memoryview(self._received)[at + HEADS : at + size]))
            if chunk == b"F":
                request = struct.unpack_from("<I", self._received, at + 20)[0]
                messages.append((request, b"".join(self._parts)))
                self._parts.clear()
            at += size
        del self._received[:at]
        return messages

    def _open(self, endpoint: bytes) -> None:
        hello = struct.pack("<IIIIIi", 0, BUFFER, BUFFER, 0, 0, len(endpoint)) + endpoint
        self.socket.sendall(HEAD.pack(b"HEL", b"F", 8 + len(hello)) + hello)
        self._read_one(b"ACK")

        request = ua.OpenSecureChannelRequest()
        request.Parameters.SecurityMode = ua.MessageSecurityMode.None_
        request.Parameters.RequestedLifetime = LIFETIME_MS
        self._sequence, self._request = 1, 1
        body = struct.pack("<Ii", 0, len(POLICY)) + POLICY + struct.pack("<ii", -1, -1)
        body += struct.pack("<II", self._sequence, self._request) + struct_to_binary(request)
        self.socket.sendall(HEAD.pack(b"OPN", b"F", 8 + len(body)) + body)
        answer = Buffer(self._read_one(b"OPN"))
        answer.read(4)
        struct_from_binary(ua.AsymmetricAlgorithmHeader, answer)
        struct_from_binary(ua.SequenceHeader, answer)
        response = struct_from_binary(ua.OpenSecureChannelResponse, answer)
        token = response.Parameters.SecurityToken
        self._channel, self._token = token.ChannelId, token.TokenId

    def _read_one(self, wanted: bytes) -> bytes:
        """The body of one message of the handshake."""
        kind, _, size = HEAD.unpack(self._read_exactly(HEAD.size))
        body = self._read_exactly(size - HEAD.size)
        if kind != wanted:
            raise ConnectionEnded(f"{kind!r} instead of {wanted!r}: {body!r}")
        return body

    def _read_exactly(self, size: int) -> bytes:
        read = b""
        while len(read) < size:
            got = self.socket.recv(size - len(read))
            if not got:
                raise ConnectionEnded("the server has closed the connection")
            read += got
        return read


def decoded(response_type: Any, body: bytes) -> Any:
    """A response as asyncua's object; a fault raises its status."""
    buffer = Buffer(body)
    found = nodeid_from_binary(buffer.copy())
    if found.Identifier == ua.ObjectIds.ServiceFault_Encoding_DefaultBinary:
        response_type = ua.ServiceFault
    response = struct_from_binary(response_type, buffer)
    response.ResponseHeader.ServiceResult.check()
    return response

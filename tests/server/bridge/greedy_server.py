"""A server that answers the first request of a client with something that has no end."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Iterator

from asyncua import ua
from asyncua.common.connection import MessageChunk, SecureConnection, TransportLimits
from asyncua.crypto.security_policies import SecurityPolicyNone
from asyncua.ua.ua_binary import (
    header_from_binary,
    struct_from_binary,
    struct_to_binary,
    uatcp_to_binary,
)

CHANNEL = 7
HUGE = 2**32 - 1
SEQUENCE = REQUEST = 2  # the first opened the channel


def endless_chunks(size: int) -> Iterator[bytes]:
    """Parts of one message, each so large, of which none is the last."""
    crypto = SecurityPolicyNone().symmetric_cryptography
    number = SEQUENCE
    while True:
        kind = ua.ChunkType.Intermediate
        chunk = MessageChunk(crypto, b"\0" * size, ua.MessageType.SecureMessage, kind)
        chunk.MessageHeader.ChannelId = CHANNEL
        chunk.SecurityHeader.TokenId = 13  # as asyncua gives it
        chunk.SequenceHeader.SequenceNumber, chunk.SequenceHeader.RequestId = number, REQUEST
        yield chunk.to_binary()
        number += 1


def one_huge_chunk() -> Iterator[bytes]:
    """A chunk that says it has four gigabytes."""
    yield struct.pack("<3scI", b"MSG", b"F", HUGE)
    while True:
        yield b"\0" * 65_536


class GreedyServer:
    """Tells how much it could send."""

    def __init__(self, answer: Iterator[bytes]) -> None:
        self._answer = answer
        self.sent = 0
        self.hello = ua.Hello()
        self.url = ""

    def get_new_channel_id(self) -> int:
        return CHANNEL

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        channel = SecureConnection(SecurityPolicyNone(), TransportLimits())
        self.hello = struct_from_binary(ua.Hello, (await _chunk(reader))[1])
        huge = ua.Acknowledge(0, HUGE, HUGE, HUGE, HUGE)
        writer.write(uatcp_to_binary(ua.MessageType.Acknowledge, huge))
        message = channel.receive_from_header_and_body(*await _chunk(reader))
        request = struct_from_binary(ua.OpenSecureChannelRequest, message.body())
        response = ua.OpenSecureChannelResponse(Parameters=channel.open(request.Parameters, self))
        opened = channel.message_to_binary(
            struct_to_binary(response), ua.MessageType.SecureOpen, message.request_id()
        )
        writer.write(opened)
        await _chunk(reader)
        for part in self._answer:
            writer.write(part)
            await writer.drain()
            self.sent += len(part)
        await reader.read()


async def _chunk(reader: asyncio.StreamReader) -> tuple[ua.Header, ua.utils.Buffer]:
    head = await reader.readexactly(8)
    rest = await reader.readexactly(struct.unpack_from("<I", head, 4)[0] - len(head))
    data = ua.utils.Buffer(head + rest)
    return header_from_binary(data), data


@contextlib.asynccontextmanager
async def greedy(answer: Iterator[bytes]) -> AsyncIterator[GreedyServer]:
    """Serve on a port of this machine."""
    server = GreedyServer(answer)
    async with await asyncio.start_server(server.serve, "127.0.0.1", 0) as listening:
        server.url = f"opc.tcp://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        yield server

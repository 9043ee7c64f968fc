"""The first words on a connection: Hello, Acknowledge, or an Error that says what was wrong."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.ua.ua_binary import struct_from_binary, uatcp_to_binary

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true

pytestmark = pytest.mark.asyncio(loop_scope="session")

PATIENCE_S = 20.0
URL = "opc.tcp://localhost:4840"


class Wire:
    """A connection on which the test speaks byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    def hello(self, **changed: object) -> None:
        fields = {
            "ProtocolVersion": 0,
            "ReceiveBufferSize": 65_535,
            "SendBufferSize": 65_535,
            "MaxMessageSize": 0,
            "MaxChunkCount": 0,
            "EndpointUrl": URL,
        }
        hello = ua.Hello(**(fields | changed))
        self.send(uatcp_to_binary(ua.MessageType.Hello, hello))

    async def receive(self) -> tuple[bytes, Buffer]:
        """The type and the body of the next message."""
        async with asyncio.timeout(PATIENCE_S):
            head = await self._reader.readexactly(8)
            (size,) = struct.unpack_from("<I", head, 4)
            return head[:3], Buffer(await self._reader.readexactly(size - 8))

    async def acknowledge(self) -> ua.Acknowledge:
        type_, body = await self.receive()
        assert type_ == b"ACK"
        return struct_from_binary(ua.Acknowledge, body)

    async def error(self) -> str:
        """The status of an Error message, after which the connection ends."""
        type_, body = await self.receive()
        assert type_ == b"ERR"
        error = struct_from_binary(ua.ErrorMessage, body)
        assert error.Reason
        async with asyncio.timeout(PATIENCE_S):
            assert await self._reader.read() == b""
        return str(error.Error.name)

    async def close(self) -> None:
        self._writer.close()
        await asyncio.gather(self._writer.wait_closed(), return_exceptions=True)


@asynccontextmanager
async def wire_to(cell: InProcess) -> AsyncIterator[Wire]:
    wire = Wire(*await asyncio.open_connection("127.0.0.1", cell.server.port))
    try:
        yield wire
    finally:
        await wire.close()
        await comes_true(lambda: not cell.server.admission.connections)


async def test_a_hello_is_acknowledged_with_our_sizes(cell):
    limits = cell.server.limits
    async with wire_to(cell) as wire:
        wire.hello()
        told = await wire.acknowledge()
    assert told.ProtocolVersion == 0
    assert told.ReceiveBufferSize == limits.chunk_bytes
    assert told.SendBufferSize == limits.chunk_bytes
    assert told.MaxMessageSize == limits.message_bytes
    assert told.MaxChunkCount == limits.chunks


@pytest.mark.parametrize("version", [0, 1, 2**32 - 1])
async def test_every_version_is_answered_with_ours(cell, version):
    async with wire_to(cell) as wire:
        wire.hello(ProtocolVersion=version)
        assert (await wire.acknowledge()).ProtocolVersion == 0


async def test_smaller_buffers_of_the_client_are_respected(cell):
    async with wire_to(cell) as wire:
        wire.hello(ReceiveBufferSize=8_192, SendBufferSize=10_000)
        told = await wire.acknowledge()
    assert told.SendBufferSize == 8_192
    assert told.ReceiveBufferSize == 10_000


async def test_larger_buffers_of_the_client_are_more_than_is_used(cell):
    async with wire_to(cell) as wire:
        wire.hello(ReceiveBufferSize=2**32 - 1, SendBufferSize=2**32 - 1)
        told = await wire.acknowledge()
    assert told.SendBufferSize == told.ReceiveBufferSize == cell.server.limits.chunk_bytes


@pytest.mark.parametrize("field", ["ReceiveBufferSize", "SendBufferSize"])
@pytest.mark.parametrize("size", [0, 1, 8_191])
async def test_buffers_below_the_least_of_the_standard_are_refused(cell, field, size):
    async with wire_to(cell) as wire:
        wire.hello(**{field: size})
        assert await wire.error() == "BadTcpNotEnoughResources"


@pytest.mark.parametrize("url", [None, "", "nonsense", "http://[", URL, "opc.tcp://" + "x" * 4_000])
async def test_any_short_url_will_do(cell, url):
    async with wire_to(cell) as wire:
        wire.hello(EndpointUrl=url)
        await wire.acknowledge()


async def test_a_url_without_end_is_refused(cell):
    async with wire_to(cell) as wire:
        wire.hello(EndpointUrl="opc.tcp://" + "x" * 4_096)
        assert await wire.error() == "BadTcpEndpointUrlInvalid"


async def test_a_hello_may_come_byte_by_byte(cell):
    data = uatcp_to_binary(ua.MessageType.Hello, ua.Hello(0, 65_535, 65_535, 0, 0, EndpointUrl=URL))
    async with wire_to(cell) as wire:
        for byte in data:
            wire.send(bytes([byte]))
            await asyncio.sleep(0)
        await wire.acknowledge()


async def test_a_second_hello_is_refused(cell):
    async with wire_to(cell) as wire:
        wire.hello()
        await wire.acknowledge()
        wire.hello()
        assert await wire.error() == "BadTcpMessageTypeInvalid"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "BadTcpMessageTypeInvalid"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01", "BadTcpMessageTypeInvalid"),
        (b"HELF\xff\xff\xff\x7f", "BadTcpMessageTooLarge"),
        (b"HELF\x08\0\0\0", "BadTcpMessageTypeInvalid"),
        (b"HELC\x20\0\0\0", "BadTcpMessageTypeInvalid"),
        (b"HELF\x0c\0\0\0\0\0\0\0", "BadDecodingError"),
        (b"OPNF\x0c\0\0\0\0\0\0\0", "BadTcpMessageTypeInvalid"),
        (b"MSGF\x0c\0\0\0\0\0\0\0", "BadTcpMessageTypeInvalid"),
        (b"CLOF\x0c\0\0\0\0\0\0\0", "BadTcpMessageTypeInvalid"),
    ],
    ids=lambda value: repr(value[:12]),
)
async def test_whoever_begins_with_something_else_is_told_and_shown_out(cell, data, status):
    async with wire_to(cell) as wire:
        wire.send(data)
        assert await wire.error() == status


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"MSGF" + struct.pack("<IIIII", 28, 1, 1, 1, 1) + bytes(4), "BadTcpSecureChannelUnknown"),
        (b"CLOF" + struct.pack("<IIIII", 28, 0, 0, 1, 1) + bytes(4), "BadTcpSecureChannelUnknown"),
        (b"OPNF" + struct.pack("<II", 12, 0), "BadDecodingError"),
        (b"OPNF" + struct.pack("<IIiii", 24, 0, -1, -1, -1), "BadSecurityPolicyRejected"),
        (b"OPNF" + struct.pack("<IIi", 16, 0, 2**31 - 1), "BadDecodingError"),
    ],
    ids=lambda value: repr(value[:12]),
)
async def test_nonsense_after_the_hello_is_told_and_shown_out(cell, data, status):
    async with wire_to(cell) as wire:
        wire.hello()
        await wire.acknowledge()
        wire.send(data)
        assert await wire.error() == status


def _silence(_: Wire) -> None: ...


def _half_a_hello(wire: Wire) -> None:
    wire.send(b"HELF\x40\0\0\0")


@pytest.mark.parametrize("say", [_silence, _half_a_hello], ids=["silence", "half a hello"])
async def test_whoever_opens_no_channel_in_time_is_shown_out(
    cell, monkeypatch, say: Callable[[Wire], None]
):
    change_limits(cell, monkeypatch, seconds_to_open=0.2)
    async with wire_to(cell) as wire:
        say(wire)
        assert await wire.error() == "BadTimeout"


async def test_a_hello_alone_does_not_gain_time(cell, monkeypatch):
    change_limits(cell, monkeypatch, seconds_to_open=0.2)
    async with wire_to(cell) as wire:
        wire.hello()
        await wire.acknowledge()
        assert await wire.error() == "BadTimeout"


async def test_whoever_never_reads_the_error_is_cut_off(cell):
    _, writer = await asyncio.open_connection("127.0.0.1", cell.server.port)
    writer.write(b"nonsense")
    await comes_true(lambda: not cell.server.admission.connections)
    writer.close()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)

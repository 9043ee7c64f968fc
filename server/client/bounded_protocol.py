"""The connection of a client that takes only so much of whatever a server sends.

asyncua's client says in Hello that it takes everything, and does: chunks without an end, a chunk of
four gigabytes, an array of four million elements in a few bytes. Here Hello tells what we take, and
a server that sends more is left with a reason, before it has cost us more than that.

Relies on asyncua: UaClient._make_protocol makes what is connected to the socket;
UASocketProtocol.data_received gets all that comes, _process_received_data takes whole chunks,
_call_callback hands an answer over, _fail_all_pending ends all waiting with an exception;
TransportLimits.update_client_limits takes what the server says about itself.
"""

import asyncio

from asyncua import ua
from asyncua.client.ua_client import UaClient, UASocketProtocol
from asyncua.common.connection import TransportLimits
from asyncua.common.utils import Buffer, wait_for
from asyncua.crypto.security_policies import SecurityPolicy
from asyncua.ua.ua_binary import uatcp_to_binary

from twincell.server.client.mistake import Mistake
from twincell.server.opcua.wire.decoding import LimitedBuffer
from twincell.server.opcua.wire.framing import FROM_SERVER, MORE_FOLLOW, Framing, TransportRefused

CHUNK_BYTES = 65_535  # as most servers have it
MESSAGE_BYTES = 16_777_216  # four times the longest message that our own server takes; chosen
MOST_CHUNKS = 2_100  # such a message in chunks of 8192 bytes, the least that the standard allows
MOST_PARTS = 2_000_000  # that a message decodes to: some 200 MB, and an honest one has a tenth
FEW_PARTS = 1_000  # that any message may have, besides one for each of its bytes

MEND = "mend or replace what answers there: no OPC UA server has a reason to do so"


class OutOfBounds(Mistake, ua.UaError):
    """A server sent more than we take; for asyncua it is an error of its own."""


class OwnLimits(TransportLimits):
    """Ours stay, whatever the server says; but we send no larger chunks than it takes."""

    def update_client_limits(self, msg: ua.Acknowledge) -> None:
        self.max_send_buffer = min(CHUNK_BYTES, msg.ReceiveBufferSize or CHUNK_BYTES)


class BoundedProtocol(UASocketProtocol):
    """What a socket leads to."""

    def __init__(self, timeout: float, security_policy: SecurityPolicy) -> None:
        limits = OwnLimits(CHUNK_BYTES, CHUNK_BYTES, MOST_CHUNKS, MESSAGE_BYTES)
        super().__init__(timeout, security_policy, limits)
        self._url = ""
        self._framing = Framing(CHUNK_BYTES, FROM_SERVER)
        self._chunks = self._bytes = 0  # of the message that has begun

    async def send_hello(
        self, url: str, max_messagesize: int = 0, max_chunkcount: int = 0
    ) -> ua.Acknowledge:
        """Say what we take; the arguments are asyncua's, who would say: everything."""
        self._url = url
        hello = ua.Hello(
            ReceiveBufferSize=CHUNK_BYTES,
            SendBufferSize=CHUNK_BYTES,
            MaxMessageSize=MESSAGE_BYTES,
            MaxChunkCount=MOST_CHUNKS,
            EndpointUrl=url,
        )
        answer: asyncio.Future[ua.Acknowledge] = asyncio.get_running_loop().create_future()
        self._callbackmap[0] = answer
        if self.transport is not None:
            self.transport.write(uatcp_to_binary(ua.MessageType.Hello, hello))
        return await wait_for(answer, self.timeout)

    def data_received(self, data: bytes) -> None:
        try:
            for chunk in self._framing.feed(data):
                self._count(chunk)
                self._process_received_data(chunk)
                if self.transport is None or self.transport.is_closing():
                    return  # that was the last we wanted to hear
        except TransportRefused as refused:
            self._fail_all_pending(OutOfBounds(f"{self._url}: {refused.reason}", MEND))
            self.disconnect_socket()

    def _count(self, chunk: bytes) -> None:
        self._chunks += 1
        self._bytes += len(chunk)
        if self._bytes > MESSAGE_BYTES or self._chunks > MOST_CHUNKS:
            told = f"sends a message of more than {MESSAGE_BYTES} bytes or {MOST_CHUNKS} chunks"
            raise TransportRefused(ua.StatusCodes.BadResponseTooLarge, told)
        if chunk[3:4] != MORE_FOLLOW:
            self._chunks = self._bytes = 0

    def _call_callback(self, request_id: int, body: Buffer | ua.Acknowledge) -> None:
        if isinstance(body, Buffer):
            parts = min(len(body) + FEW_PARTS, MOST_PARTS)
            body = LimitedBuffer(body.read(len(body)), parts, MESSAGE_BYTES)
        super()._call_callback(request_id, body)


class BoundedUaClient(UaClient):
    """Makes such connections."""

    def _make_protocol(self) -> UASocketProtocol:
        protocol = BoundedProtocol(self._timeout, self.security_policy)
        protocol.pre_request_hook = self._pre_request_hook
        protocol.on_connection_lost = self._on_transport_lost
        protocol.is_session_closing = self._is_session_closing
        self.protocol = protocol
        return protocol

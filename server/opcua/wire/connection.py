"""One client's connection: from its first byte to its last.

    Hello, OpenSecureChannel, then messages, each of one or more chunks

Chunks wait in a short queue; when it is full nothing more is read from the client, and when the
client does not read its answers nothing more is answered. Requests of all connections take turns,
one request at a time: in between, subscriptions publish on time. Whoever sends what can be no
message, or never gets as far as a session, is shown out.
"""

import asyncio
import logging
import socket
from collections.abc import Coroutine
from typing import Any, Protocol

from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.ua.ua_binary import struct_to_binary, uatcp_to_binary

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.wire.admission import Admission
from twincell.server.opcua.wire.channel import Channel
from twincell.server.opcua.wire.decoding import LimitedBuffer, Longest, decoded
from twincell.server.opcua.wire.detour import Detour
from twincell.server.opcua.wire.framing import HEAD, Framing, TransportRefused
from twincell.server.opcua.wire.request import ANY_SIZE, Request
from twincell.server.opcua.wire.turns import TimeUsed
from twincell.server.security.origin import THIS_MACHINE

MOST_WAITING = 32  # chunks of one client that wait for their turn; chosen
MOST_WAITING_BEFORE = 2  # of one that has not logged in
LONGEST_URL = 4_096  # of Hello; part 6, 7.1.2.3
LEAST_BUFFER = 8_192  # bytes that either side can take; part 6, 7.1.2.3
SECONDS_TO_READ = 1.0  # for the Error message that ends a connection
HEADER_PARTS = 1_000  # to decode of what comes before a request's parameters; chosen
WORD_BYTES = 8  # of the largest element of an array

log = logging.getLogger("twincell.opcua")


class Dispatch(Protocol):
    """What answers requests."""

    async def answer(
        self, request: Request, body: LimitedBuffer
    ) -> Coroutine[Any, Any, None] | None:
        """Answer a request; or what remains to be done, which may take its time."""

    def connection_lost(self, connection: "Connection") -> None:
        """A connection is gone."""


class Connection(asyncio.Protocol):
    """The server's end of a connection."""

    transport: asyncio.Transport
    address: str  # of the client
    origin: str  # the machine that it is on
    local_address: tuple[str, int]  # at which it reached us

    def __init__(
        self, admission: Admission, dispatch: Dispatch, channel: Channel, limits: Limits
    ) -> None:
        self._admission = admission
        self._dispatch = dispatch
        self.channel = channel
        self._limits = limits
        self._framing = Framing(limits.chunk_bytes)
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue()
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._is_unread = False  # too much of what was sent
        self.detour = Detour(limits.unread_bytes, self._look_whether_to_write)
        self._said_hello = False
        self.has_session = False  # whether one was ever activated here
        self.logins = 0  # that are under way
        self._has_failed = False  # to log in
        self._time_used = admission.strangers_time  # by its requests
        self.long_time_used = admission.strangers_long_time  # by its long ones
        self._most_answer = ANY_SIZE  # bytes of a message that the client can take
        self._most_chunks = 0  # of a message; 0: any
        self._worker: asyncio.Task[None] | None = None  # takes chunk after chunk
        self._calls: set[asyncio.Task[None]] = set()  # that are not waited for
        self._deadline: asyncio.TimerHandle | None = None

    # ---------------------------------------------------------------- the socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let a client in, if there is room."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        peer = transport.get_extra_info("peername")
        self.address, self.name = str(peer[0]), f"{peer[0]}:{peer[1]}"
        self.channel.address = self.address
        self.local_address = transport.get_extra_info("sockname")
        self.origin = self._admission.origin_of(self.address, str(self.local_address[0]))
        if not self._admission.enter(self):
            transport.abort()
            return
        # a small answer must not wait until the last one was acknowledged, up to 40 ms later
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport.set_write_buffer_limits(high=self._limits.unread_bytes)
        self._worker = self._begin(self._work())
        self._show_out_after(self._limits.seconds_to_open)

    def connection_lost(self, _: Exception | None) -> None:
        """The client is gone."""
        if self._deadline is not None:
            self._deadline.cancel()
        if self._worker is not None:
            self._worker.cancel()
        self.detour.forget()
        if self._admission.leave(self):
            self._dispatch.connection_lost(self)

    def data_received(self, data: bytes) -> None:
        """Cut what came into chunks, and let them wait for their turn."""
        try:
            for chunk in self._framing.feed(data):
                self._waiting.put_nowait(chunk)
        except TransportRefused as refusal:
            self._end(refusal)
            return
        if self._waiting.qsize() >= self._most_waiting:
            self.transport.pause_reading()

    def pause_writing(self) -> None:
        """The client does not read what it asked for."""
        self._is_unread = True
        self._look_whether_to_write()

    def resume_writing(self) -> None:
        """It does again."""
        self._is_unread = False
        self._look_whether_to_write()

    def _look_whether_to_write(self) -> None:
        waits = self._is_unread or self.detour.is_full
        (self._may_write.clear if waits else self._may_write.set)()

    # ---------------------------------------------------------------- sending

    @property
    def is_open(self) -> bool:
        return not self.transport.is_closing()

    @property
    def is_congested(self) -> bool:
        return not self._may_write.is_set()

    def send(self, number: int, response: bytes) -> None:
        """Send an encoded response to the request with a number."""
        if not self.is_open:
            return
        self.transport.write(self.channel.message_to_binary(response, request_id=number))

    @property
    def room(self) -> int:
        """Bytes of a message that the client said it can take."""
        if not self._most_chunks:
            return self._most_answer
        return min(self._most_answer, self._most_chunks * self.channel.bytes_a_chunk)

    def give_up(self) -> None:
        """End the connection: its session was not used for too long."""
        self.transport.abort()

    # ---------------------------------------------------------------- working

    @property
    def _most_waiting(self) -> int:
        return MOST_WAITING if self.has_session else MOST_WAITING_BEFORE

    async def _work(self) -> None:
        """Take chunk after chunk."""
        while True:
            chunk = await self._waiting.get()
            if self._waiting.qsize() <= self._most_waiting // 2 and self.is_open:
                self.transport.resume_reading()
            await self._may_write.wait()
            async with self._admission.turns.of(self._time_used):
                try:
                    rest = await self._take(chunk)
                except TransportRefused as refusal:
                    self._end(refusal)
                    return
            if rest is not None:
                await rest

    async def _take(self, chunk: bytes) -> Coroutine[Any, Any, None] | None:
        kind = chunk[:3]
        if kind == b"HEL":
            self._hello(chunk)
            return None
        if not self._said_hello:
            raise TransportRefused(ua.StatusCodes.BadTcpMessageTypeInvalid, "say Hello first")
        message = self.channel.receive(chunk)
        if kind == b"CLO":
            self.transport.close()
            return None
        if message is None:
            return None
        number = message.SequenceHeader().RequestId
        body = self._limited(bytes(message.body()))
        type_id = decoded_or_end(ua.NodeId, body)
        header = decoded_or_end(ua.RequestHeader, body)
        request = Request(self, type_id, header, number)
        if kind == b"OPN":
            self._open(request, body)
            return None
        body.allow(self._limits.decoded_parts)
        return await self._dispatch.answer(request, body)

    def _limited(self, data: bytes) -> LimitedBuffer:
        limits = self._limits
        longest = max(
            limits.array_length * WORD_BYTES, limits.string_length, limits.byte_string_length
        )
        lengths = Longest(limits.array_length, limits.string_length, limits.byte_string_length)
        return LimitedBuffer(data, HEADER_PARTS, longest, longest=lengths)

    def _hello(self, chunk: bytes) -> None:
        if self._said_hello:
            raise TransportRefused(ua.StatusCodes.BadTcpMessageTypeInvalid, "it said Hello before")
        hello = decoded_or_end(ua.Hello, self._limited(chunk[HEAD.size :]))
        if len(hello.EndpointUrl or "") > LONGEST_URL:
            raise TransportRefused(ua.StatusCodes.BadTcpEndpointUrlInvalid, "the URL is too long")
        if min(hello.ReceiveBufferSize, hello.SendBufferSize) < LEAST_BUFFER:
            raise TransportRefused(
                ua.StatusCodes.BadTcpNotEnoughResources, f"buffers have {LEAST_BUFFER} bytes"
            )
        self._said_hello = True
        # asyncua's client says 1601, and means 100 MB
        if hello.MaxMessageSize >= LEAST_BUFFER:
            self._most_answer = hello.MaxMessageSize
        self._most_chunks = hello.MaxChunkCount
        acknowledge = self.channel.agree(hello)
        self.transport.write(uatcp_to_binary(ua.MessageType.Acknowledge, acknowledge))

    def _open(self, request: Request, body: LimitedBuffer) -> None:
        """OpenSecureChannel: a channel is opened or renewed."""
        params = decoded_or_end(ua.OpenSecureChannelParameters, body)
        is_new = not self.channel.is_open()
        response = ua.OpenSecureChannelResponse()
        response.Parameters = self.channel.open_or_renew(params, self._admission.next_channel())
        response.ResponseHeader.RequestHandle = request.header.RequestHandle
        self.transport.write(
            self.channel.message_to_binary(
                struct_to_binary(response), ua.MessageType.SecureOpen, request.number
            )
        )
        if self.has_session:
            self._end_with_channel()
        elif is_new:  # who only renews, and never logs in, gains no time
            self._show_out_after(self._limits.seconds_to_activate)

    @property
    def is_local(self) -> bool:
        """Whether the client is on this machine."""
        return self.origin == THIS_MACHINE

    @property
    def is_logging_in(self) -> bool:
        """Whether a login is under way, and is no guess after another."""
        return self.logins > 0 and not self._has_failed

    def login_failed(self) -> None:
        """Whoever tries again gains no time by that."""
        self._has_failed = True

    def session_activated(self) -> None:
        """Somebody has logged in here: the connection lives as long as its channel."""
        if not self.has_session:
            self.has_session = True
            self._time_used, self.long_time_used = TimeUsed(), TimeUsed()
            self._admission.logged_in(self)
        self._end_with_channel()

    def no_session_left(self) -> None:
        """Nobody is logged in here any more: it is a stranger again."""
        if self.has_session and self.is_open:
            self.has_session = False
            self._time_used = self._admission.strangers_time
            self.long_time_used = self._admission.strangers_long_time
            self.channel.allow_large_messages(False)
            self._admission.logged_out(self)
            self._show_out_after(self._limits.seconds_to_activate)

    @property
    def n_call(self) -> int:
        """How many calls are not over."""
        return len(self._calls)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside other requests, to its end even if the client goes meanwhile."""
        task = self._begin(work)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    # ---------------------------------------------------------------- ending

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            log.error("a request of %s failed", self.name, exc_info=task.exception())
            self.transport.abort()

    def _show_out_after(self, seconds: float) -> None:
        """End the connection then, unless it has got further."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = asyncio.get_running_loop().call_later(seconds, self._too_late)

    def _end_with_channel(self) -> None:
        self._show_out_after(self.channel.seconds_left)

    def _too_late(self) -> None:
        status = ua.StatusCodes.BadTimeout
        self._end(TransportRefused(status, "the channel or a session was not opened in time"))

    def _end(self, refusal: TransportRefused) -> None:
        """Tell the client why, and close; whoever does not read that is cut off."""
        if not self.is_open:
            return
        self._admission.complain(f"{self.name}: {refusal.reason}")
        error = ua.ErrorMessage(ua.StatusCode(refusal.status), refusal.told[:LONGEST_URL])
        self.transport.write(uatcp_to_binary(ua.MessageType.Error, error))
        self.transport.close()
        asyncio.get_running_loop().call_later(SECONDS_TO_READ, self.transport.abort)


def decoded_or_end(structure: type[Any], body: LimitedBuffer) -> Any:
    """A structure without which the connection makes no sense."""
    try:
        return decoded(structure, body)
    except ServiceError as error:
        raise TransportRefused(error.code, "the message cannot be decoded") from error

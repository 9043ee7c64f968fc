"""A small HTTP server for questions that have one short answer, which no client can wear out.

    a request's head      8 kB at most, within 5 s of the connection
    an answer             is taken within 5 s
    connections           16 at a time: one more, and the oldest goes
    connections a second  100: the others wait in the system's queue, or are turned away there

One request a connection. So the worst that clients can do together is 100 answers a second.
"""

import asyncio
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

import h11

LONGEST_HEAD = 8_192  # bytes
REQUEST_S = 5.0
ANSWER_S = 5.0
MOST_CONNECTIONS = 16
BETWEEN_S = 0.01  # two connections
AT_ONCE = 4_096  # bytes read at once
OUT_OF_FILES_S = 1.0  # wait for better times
PLAIN = "text/plain; charset=utf-8"


class Asked(NamedTuple):
    """A request, as far as it matters here."""

    path: str
    accept: str  # which kinds of answer the client understands


class Answer(NamedTuple):
    """What is sent back."""

    status: int
    kind: str
    body: bytes


Answering = Callable[[Asked], Answer]


class HttpServer:
    """Answers GET and HEAD at a socket that listens."""

    def __init__(self, listening: socket.socket, answering: Answering) -> None:
        self._listening = listening
        self._answering = answering
        self._tasks: dict[asyncio.Task[None], None] = {}  # of open connections, the oldest first

    async def serve(self) -> None:
        """Answer for ever."""
        self._listening.setblocking(False)
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listening)
            except OSError:  # gone again, or there are too many open files
                await asyncio.sleep(OUT_OF_FILES_S)
                continue
            self._begin(connection)
            await asyncio.sleep(BETWEEN_S)

    def _begin(self, connection: socket.socket) -> None:
        if len(self._tasks) >= MOST_CONNECTIONS:
            oldest = next(iter(self._tasks))
            del self._tasks[oldest]
            oldest.cancel()
        task = asyncio.create_task(self._talk(connection))
        self._tasks[task] = None
        task.add_done_callback(lambda done: self._tasks.pop(done, None))

    async def _talk(self, connection: socket.socket) -> None:
        """One request and its answer; whatever else the client does, the connection ends."""
        loop = asyncio.get_running_loop()
        protocol = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD)
        with connection:
            connection.setblocking(False)
            try:
                async with asyncio.timeout(REQUEST_S):
                    answer = await self._answer(connection, protocol)
                async with asyncio.timeout(ANSWER_S):
                    await loop.sock_sendall(connection, _encoded(protocol, answer))
                connection.shutdown(socket.SHUT_WR)
            except (OSError, TimeoutError, h11.ProtocolError):
                return

    async def _answer(self, connection: socket.socket, protocol: h11.Connection) -> Answer:
        """The answer to the next request; ConnectionError when there is none."""
        try:
            request = await _request(connection, protocol)
        except h11.RemoteProtocolError as problem:
            status = problem.error_status_hint
            return Answer(status, PLAIN, f"this is no HTTP request: {problem}\n".encode())
        if request.method not in (b"GET", b"HEAD"):
            return Answer(405, PLAIN, b"only GET and HEAD are answered\n")
        accept = b",".join(value for name, value in request.headers if name == b"accept")
        path = request.target.partition(b"?")[0]
        return self._answering(Asked(path.decode("latin-1"), accept.decode("latin-1")))


async def _request(connection: socket.socket, protocol: h11.Connection) -> h11.Request:
    loop = asyncio.get_running_loop()
    while True:
        event = protocol.next_event()
        if isinstance(event, h11.Request):
            return event
        if event is not h11.NEED_DATA:
            raise ConnectionError
        protocol.receive_data(await loop.sock_recv(connection, AT_ONCE))


def _encoded(protocol: h11.Connection, answer: Answer) -> bytes:
    """An answer as bytes; h11 leaves the body out where the request was HEAD."""
    headers = [
        ("content-type", answer.kind),
        ("content-length", str(len(answer.body))),
        ("cache-control", "no-store"),
        ("connection", "close"),
    ]
    if answer.status == 405:
        headers.append(("allow", "GET, HEAD"))
    reason = HTTPStatus(answer.status).phrase
    parts = [
        protocol.send(h11.Response(status_code=answer.status, headers=headers, reason=reason)),
        protocol.send(h11.Data(data=answer.body)),
        protocol.send(h11.EndOfMessage()),
    ]
    return b"".join(part or b"" for part in parts)

"""Somebody between a client and the server: hears every chunk of the client, and may spoil it.

chunk      type 3 bytes | chunk F, C or A | size u32 | ...                    OPC UA part 6, 6.7.2
"""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from bench.ua_wire import HEAD

READ_AT_ONCE = 1 << 16
PATIENCE_S = 20.0

Spoil = Callable[[bytes], bytes]


class Relay:
    """One connection, passed on; what the client says is kept."""

    def __init__(self, port: int) -> None:
        self._admission = socket.create_server(("127.0.0.1", 0))
        self._admission.settimeout(PATIENCE_S)
        self._port = port
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._pass_on, daemon=True)]
        self._threads[0].start()
        self.heard: list[bytes] = []  # the client's chunks, as it sent them
        self.spoil: Spoil | None = None  # is done to the client's next chunk, once

    @property
    def endpoint(self) -> str:
        return f"opc.tcp://127.0.0.1:{self._admission.getsockname()[1]}"

    def close(self) -> None:
        """End both connections."""
        self._admission.close()
        for one in self._sockets:
            with suppress(OSError):  # the other side was first
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for one in self._sockets:
            one.close()

    def _pass_on(self) -> None:
        with suppress(OSError):
            client, _ = self._admission.accept()
            server = socket.create_connection(("127.0.0.1", self._port), PATIENCE_S)
            self._sockets += [client, server]
            back = threading.Thread(target=_copy, args=(server, client), daemon=True)
            self._threads.append(back)
            back.start()
            self._pass_chunks(client, server)

    def _pass_chunks(self, client: socket.socket, server: socket.socket) -> None:
        received = bytearray()
        while got := client.recv(READ_AT_ONCE):
            received += got
            while len(received) >= HEAD.size:
                size = HEAD.unpack_from(received)[2]
                if len(received) < size:
                    break
                chunk = bytes(received[:size])
                del received[:size]
                self.heard.append(chunk)
                spoil, self.spoil = self.spoil, None
                server.sendall(spoil(chunk) if spoil else chunk)
        with suppress(OSError):
            server.shutdown(socket.SHUT_WR)


@contextmanager
def relay(port: int) -> Iterator[Relay]:
    """A relay to a port of this machine, for as long as the block lasts."""
    made = Relay(port)
    try:
        yield made
    finally:
        made.close()


def _copy(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while got := one.recv(READ_AT_ONCE):
            other.sendall(got)
        other.shutdown(socket.SHUT_RDWR)

"""awlsim as a process of its own, talked to over TCP: a program goes in, then images of its memory.

A message of awlsim's server has a head of 32 bytes, in network order, and a payload:

    magic  message  flags  sequence  reply to message  reply to sequence     16 bits each
    four reserved words  length of the payload                              32 bits each
"""

import itertools
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VENV = Path(__file__).parents[2] / ".venv-awlsim"
SERVER = VENV / "bin" / "awlsim-server"
PROGRAM = Path(__file__).with_name("tool_change.awl")
PATIENCE_S = 60.0

HEAD = struct.Struct(">6H5I")
MAGIC = 0x5719
IS_REPLY = 1
REPLY, EXCEPTION, RESET = 0x0000, 0x0001, 0x0005
AWL_SOURCE, BUILD, CONFIGURATION, RUN_STATE = 0x0101, 0x0300, 0x0505, 0x0601
REQUEST_MEMORY, MEMORY = 0x0606, 0x0607

ENABLED, RUNNING, SYNCHRONOUS = 1, 1, 1
NONE = 0xFFFFFFFF
INPUTS, OUTPUTS = 0, 1  # kinds of memory
AREA = struct.Struct(">BBHIII8x")  # kind, flags, index, start, length asked for, length
ASKED_AREA = struct.Struct(">BBHII20x")


class AwlPlc:
    """A running PLC: bytes of its inputs go in, bytes of its outputs come out."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._sequence = itertools.count(1)
        self._received = bytearray()

    def load(self, program: bytes) -> None:
        """Let it run a program, from a cold start."""
        self._order(RESET, bytes(32))
        # language by itself, no clock memory, longest cycle, no end, nothing more
        longest_us = round(PATIENCE_S * 1e6)  # a PLC would stop; here the machine may be busy
        numbers = (0, NONE, longest_us, NONE, NONE)
        self._order(CONFIGURATION, struct.pack(">5I108x", *numbers))
        name = b"tool change"
        packed = struct.pack(">I28xI", ENABLED, len(name)) + name
        self._order(AWL_SOURCE, packed + struct.pack(">I", len(program)) + program)
        self._order(BUILD, bytes(32))
        self._order(RUN_STATE, struct.pack(">H30x", RUNNING))

    def write_inputs(self, image: bytes) -> None:
        """Its input bytes, from EB0 on; four at a time, which is what a message can write."""
        words = [image[k : k + 4] for k in range(0, len(image), 4)]
        areas = b"".join(
            AREA.pack(INPUTS, 0, 0, 4 * k, len(word), len(word)) + word
            for k, word in enumerate(words)
        )
        self._order(MEMORY, struct.pack(">2I8x", SYNCHRONOUS, len(words)) + areas)

    def follow_outputs(self, count: int, period_s: float) -> None:
        """Let it tell its output bytes, from AB0 on, again and again."""
        starts = range(0, count, 4)
        areas = b"".join(ASKED_AREA.pack(OUTPUTS, 0, 0, start, 4) for start in starts)
        head = struct.pack(">IiI20x", SYNCHRONOUS, round(period_s * 1e9), len(starts))
        self._order(REQUEST_MEMORY, head + areas)

    def next_outputs(self) -> bytes:
        """The next image of its outputs that it tells."""
        while True:
            message, _, payload = self._receive()
            if message == MEMORY:
                return _image(payload)

    def _order(self, message: int, payload: bytes) -> None:
        """Send something, and wait until it is done; outputs that come meanwhile are old."""
        sequence = next(self._sequence) % 2**16
        head = HEAD.pack(MAGIC, message, 0, sequence, 0, 0, 0, 0, 0, 0, len(payload))
        self._connection.sendall(head + payload)
        while True:
            received, reply_to, answer = self._receive()
            if received == REPLY and reply_to == sequence:
                assert answer[:2] == b"\0\0", f"message {message:#x} has failed"
                return

    def _receive(self) -> tuple[int, int, bytes]:
        magic, message, flags, _, _, reply_to, *_, length = HEAD.unpack(self._take(HEAD.size))
        assert magic == MAGIC
        payload = self._take(length)
        assert message != EXCEPTION, payload.decode("utf-8", "replace")
        return message, reply_to if flags & IS_REPLY else -1, payload

    def _take(self, count: int) -> bytes:
        while len(self._received) < count:
            part = self._connection.recv(65536)
            assert part, "awlsim has ended"
            self._received += part
        taken = bytes(self._received[:count])
        del self._received[:count]
        return taken


def _image(payload: bytes) -> bytes:
    """The bytes of a memory message."""
    _, count = struct.unpack_from(">2I", payload)
    image, offset = b"", 16
    for _ in range(count):
        *_, length = AREA.unpack_from(payload, offset)
        offset += AREA.size
        image += payload[offset : offset + length]
        offset += length + -length % 4
    return image


@contextmanager
def running_plc(folder: Path, program: Path = PROGRAM) -> Iterator[AwlPlc]:
    """awlsim with a program, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    with (folder / "awlsim.txt").open("wb") as said:
        process = subprocess.Popen(
            [SERVER, "--force-ipv4", "--listen", f"127.0.0.1:{port}"],
            cwd=folder,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        with _connected(port, process) as connection:
            plc = AwlPlc(connection)
            plc.load(program.read_bytes())
            yield plc
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        finally:
            process.kill()


def _connected(port: int, process: "subprocess.Popen[bytes]") -> socket.socket:
    until_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        except OSError:
            assert process.poll() is None, "awlsim did not start"
            assert time.monotonic() < until_s, "awlsim does not listen"
            time.sleep(0.05)
        else:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection

"""What looks for malformed packets finds one."""

import socket
import struct
from pathlib import Path

from tests.plc.capture import captured

HELLO = struct.pack("<4sI5I", b"HELF", 32, 0, 65536, 65536, 0, 0) + struct.pack("<i", -1)
CUT_SHORT = struct.pack("<4sI4I", b"MSGF", 28, 1, 1, 1, 1) + b"\x01\x00\x77\x02"  # and no request


def test_a_whole_message_is_not_malformed_and_one_that_is_cut_short_is(tmp_path: Path) -> None:
    found = []
    for number, message in enumerate([HELLO, CUT_SHORT]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            with (
                captured(folder, port) as packets,
                socket.create_connection(("127.0.0.1", port)) as us,
            ):
                there, _ = server.accept()
                with there:
                    us.sendall(message)
                    assert there.recv(1024) == message
        found.append(len(packets.malformed()))
    assert found == [0, 1]

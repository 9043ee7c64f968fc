"""tshark beside a conversation: it dissects every packet, and is of nobody who wrote either end."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 60.0
# a packet that says what it is not, or that tshark cannot read to its end
MALFORMED = "_ws.malformed || _ws.expert.group == 0x07000000"


class Capture:
    """The packets of one TCP port."""

    def __init__(self, file: Path, port: int) -> None:
        self._file = file
        self._port = port

    def services(self) -> set[int]:
        """Which messages of OPC UA were seen, by the numbers of their encodings."""
        found = self._dissect("opcua.servicenodeid.numeric", "-e", "opcua.servicenodeid.numeric")
        return {int(number) for line in found for number in line.split(",") if number}

    def malformed(self) -> list[str]:
        """Packets that are not what they should be, in words."""
        return self._dissect(MALFORMED, "-e", "frame.number", "-e", "_ws.col.Info")

    def _dissect(self, which: str, *fields: str) -> list[str]:
        as_opc_ua = ("-d", f"tcp.port=={self._port},opcua")
        words = ["tshark", "-r", self._file, *as_opc_ua, "-Y", which, "-T", "fields", *fields]
        told = subprocess.run(words, capture_output=True, text=True, timeout=200, check=True)
        return told.stdout.splitlines()


@contextmanager
def captured(folder: Path, port: int) -> Iterator[Capture]:
    """Capture what goes through a port of this machine; it can be dissected after the block."""
    file = folder / f"port_{port}.pcapng"
    words = ["tshark", "-q", "-i", "lo", "-f", f"tcp port {port}", "-w", file]
    with (folder / "tshark.txt").open("wb") as said:
        process = subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT)
    try:
        _wait_for(file, process, folder / "tshark.txt")
        yield Capture(file, port)
        time.sleep(1.0)  # what is still in its buffers
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        finally:
            process.kill()


def _wait_for(file: Path, process: "subprocess.Popen[bytes]", said: Path) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not (file.exists() and file.stat().st_size):
        assert process.poll() is None, f"tshark cannot capture: {said.read_text()}"
        assert time.monotonic() < until_s, "tshark does not begin"
        time.sleep(0.05)

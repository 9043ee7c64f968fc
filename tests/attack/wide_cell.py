"""A cell under attack that has a thousand variables, a page, and a bridge to a PLC."""

import socket
from pathlib import Path

from bench.ua_cells import doubles, many_tools
from bench.ua_samples import DOUBLES_PER_TOOL
from tests.attack.besieged import Besieged

VARIABLES = 1_000


class WideCell(Besieged):
    """The cell."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as found:
            self.plc_port = found.getsockname()[1]
        self.file = folder / "wide.toml"
        self.file.write_text(
            f"""{many_tools(VARIABLES // DOUBLES_PER_TOOL)}
[[bridge]]
name = "Plc1"
endpoint = "opc.tcp://127.0.0.1:{self.plc_port}"
security = "None"
feedback = [{{ node = "nsu=urn:plc;s=Z", signal = "Tool0.Pose.Z" }}]
""",
            encoding="utf-8",
        )
        self.names = doubles(self.file, VARIABLES)
        super().__init__(folder, self.file, self.names[:4], "--web-port", 0)
        assert self.cell.process.stdout
        self.page_url = self.cell.process.stdout.readline().split()[-1]

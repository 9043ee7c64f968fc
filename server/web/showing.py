"""How a cell is shown: what the web process has to know besides the cell and how it is served."""

from dataclasses import dataclass
from pathlib import Path

from twincell.server.web.guard.listening_socket import WebAddress

WEB_NAME = "twincell web"  # as whom the page looks at events for everybody; nobody else can


@dataclass(frozen=True)
class Showing:
    """Where the page is, and where it finds things."""

    address: WebAddress
    recordings: Path  # folder
    password: str  # of WEB_NAME, made up anew for every start
    endpoint: str = ""  # of the OPC UA server, known once that is ready

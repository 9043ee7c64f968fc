"""What a bridge stands between; light, as every process has it before the bridges are started."""

from dataclasses import dataclass
from pathlib import Path

from twincell.server.security.folder import SecurityFolder
from twincell.sim.signals import SignalTable
from twincell.sim.spec.bridge import Bridge


@dataclass(frozen=True)
class Ends:
    """The two sides of a bridge, and how to log in on both."""

    bridge: Bridge
    cell_file: Path
    signals: SignalTable
    folder: SecurityFolder | None  # with our certificate, and those that we trust
    own: str  # endpoint of our own server
    password: str  # with which the bridge logs in there

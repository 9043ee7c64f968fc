"""The TCP ports that `twincell run` listens at: taken before anything takes time, or refused."""

from __future__ import annotations

import errno
import socket
from typing import NamedTuple

from server.listening import EVERYWHERE, THIS_MACHINE
from server.refusal import Refusal


class PortOption(NamedTuple):
    """The options that say where to listen."""

    name: str  # of the port
    address: str
    usual: str  # who else may be there


PORT = PortOption("--port", "--listen", "another twincell, or another OPC UA server")
METRICS = PortOption("--metrics", "--listen", "another twincell, or another exporter of metrics")
WEB = PortOption("--web-port", "--host", "another twincell, or another web server")


class PortTaken(Refusal):
    """Somebody else listens there."""


def open_port(option: PortOption, address: str, port: int) -> socket.socket:
    """A socket that listens; refused with the option to change."""
    if not 0 <= port <= 65_535:
        raise Refusal(f"{option.name} {port}: must be 1 to 65535, or 0 for a free one")
    if not address:  # a socket would take that for all addresses
        raise _no_address(option, "''")
    try:
        return socket.create_server((address, port))
    except PermissionError:
        raise Refusal(f"{option.name} {port}: not allowed", "take one above 1023") from None
    except (OSError, TypeError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise port_in_use(option, port) from None
        raise _no_address(option, address) from None


def port_in_use(option: PortOption, port: int) -> PortTaken:
    """What to say of a port where somebody else listens."""
    return PortTaken(
        f"port {port} is in use: {option.usual}",
        f"stop it, or take another port with {option.name} (0 takes a free one)",
    )


def metrics_line(listening: socket.socket | None) -> list[str]:
    """What to say about metrics at the start; nothing where none are wanted."""
    if listening is None:
        return []
    host, port = listening.getsockname()[:2]
    name = "localhost" if host in (EVERYWHERE, THIS_MACHINE) else host
    return [f"metrics:    http://{name}:{port}/metrics, and /health beside it"]


def _no_address(option: PortOption, address: str) -> Refusal:
    return Refusal(
        f"{option.address} {address}: is no IPv4 address of this machine",
        "0.0.0.0 listens at all of them, 127.0.0.1 only for this machine itself",
    )

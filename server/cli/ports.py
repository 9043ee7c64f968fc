"""The TCP ports that `twincell run` listens at: taken before anything takes time, or refused."""

from __future__ import annotations

import errno
import socket
from typing import NamedTuple

from twincell.server.errors import Refusal
from twincell.server.listening import EVERYWHERE, LOOPBACK


class PortOption(NamedTuple):
    """An option that names a port."""

    name: str
    usual: str  # who else may be there
    address: str = "--listen"  # the option that names the address


class PortTaken(Refusal):
    """Somebody else listens at a port."""


PORT = PortOption("--port", "another twincell, or another OPC UA server")
METRICS = PortOption("--metrics", "another twincell, or another exporter of metrics")
WEB = PortOption("--web-port", "another twincell, or another program", "--host")


def open_port(option: PortOption, listen: str, port: int) -> socket.socket:
    """A socket that listens; refused with the option to change."""
    if not 0 <= port <= 65_535:
        raise Refusal(f"{option.name} {port}: must be 1 to 65535, or 0 for a free one")
    if not listen:  # a socket would take that for all addresses
        raise _no_address(option, "''")
    try:
        return socket.create_server((listen, port))
    except PermissionError:
        raise Refusal(f"{option.name} {port}: not allowed", "take one above 1023") from None
    except (OSError, TypeError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise port_in_use(option, port) from None
        raise _no_address(option, listen) from None


def port_in_use(option: PortOption, port: int) -> PortTaken:
    """What to say of a port where somebody else listens."""
    return PortTaken(
        f"port {port} is in use: {option.usual}",
        f"stop it, or take another port with {option.name} (0 takes a free one)",
    )


def metrics_url(listening: socket.socket) -> str:
    """Where a browser on this machine finds the metrics."""
    host, port = listening.getsockname()[:2]
    return f"http://{'localhost' if host in (EVERYWHERE, LOOPBACK) else host}:{port}"


def _no_address(option: PortOption, listen: str) -> Refusal:
    return Refusal(
        f"{option.address} {listen}: is no IPv4 address of this machine",
        "0.0.0.0 listens at all of them, 127.0.0.1 only for this machine itself",
    )

"""Where browsers find the page: a socket that listens from the start on.

The supervisor makes it and keeps it, and the web process inherits it: the port is known and taken
before anything takes time, and whoever comes while that process starts, or starts again, waits a
moment instead of being refused.
"""

import socket
from dataclasses import dataclass

from twincell.server.listening import EVERYWHERE, LOOPBACK
from twincell.server.security.origin import is_loopback

DEFAULT_PORT = 8080


@dataclass(frozen=True)
class WebAddress:
    """A socket for browsers."""

    host: str
    listener: socket.socket

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def is_encrypted(self) -> bool:
        """Beyond this machine nobody may read the passwords that people type."""
        return self.host != "localhost" and not is_loopback(self.host)

    @property
    def url(self) -> str:
        """For somebody on this machine."""
        scheme = "https" if self.is_encrypted else "http"
        name = "localhost" if self.host in (EVERYWHERE, LOOPBACK) else self.host
        return f"{scheme}://{name}:{self.port}"

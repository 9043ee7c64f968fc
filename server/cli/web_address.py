"""Where `twincell run` shows the cell to browsers."""

from __future__ import annotations

import errno
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from server.refusal import Refusal
from server.web.address import DEFAULT_PORT as WEB_PORT
from server.web.address import WebAddress

if TYPE_CHECKING:
    from server.serving import Serving
    from server.web.showing import Showing

__all__ = ["WEB_PORT", "showing_of", "web_address", "web_line"]


def web_address(host: str, wanted: int | None) -> WebAddress | str:
    """A socket for the page; or why there is none, where nobody has asked for that very port."""
    port = WEB_PORT if wanted is None else wanted
    if not 0 <= port <= 65_535:
        raise Refusal(f"--web-port {port}: must be 1 to 65535, or 0 for a free one")
    try:
        if not host:  # a socket would take that for all addresses
            raise OSError(errno.EADDRNOTAVAIL, "no address")
        return WebAddress.listen(host, port)
    except PermissionError:
        raise Refusal(f"--web-port {port}: not allowed", "take one above 1023") from None
    except (OSError, TypeError) as error:
        if getattr(error, "errno", None) != errno.EADDRINUSE:
            raise Refusal(
                f"--host {host or repr(host)}: is no IPv4 address of this machine",
                "0.0.0.0 listens at all of them, 127.0.0.1 only for this machine itself",
            ) from None
        another = "take another one with --web-port (0 takes a free one)"
        if wanted is None:  # the cell is worth running without its picture
            return f"none: port {port} is in use by another program; {another}"
        raise Refusal(
            f"port {port} is in use by another program",
            f"{another}, or leave the page with --no-web",
        ) from None


def showing_of(address: WebAddress, recordings: Path, serving: Serving) -> Showing:
    """What the web process needs; the OPC UA server knows its user from now on."""
    from server.security.roles import Role
    from server.web.showing import WEB_NAME, Showing

    password = secrets.token_urlsafe()
    serving.security.users.admit(WEB_NAME, password, Role.OBSERVER)
    return Showing(address, recordings.resolve(), password)


def web_line(web: WebAddress | str | None) -> str:
    """What to say about the page at the start; nothing where none is wanted."""
    if web is None:
        return ""
    if isinstance(web, str):
        return web
    note = " (your browser will warn: it does not know our certificate)" if web.is_encrypted else ""
    return f"{web.url}{note}"

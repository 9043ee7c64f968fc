"""Where `twincell run` shows the cell to browsers."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from twincell.server.cli.ports import WEB, PortTaken, open_port
from twincell.server.web.guard.listening_socket import DEFAULT_PORT as WEB_PORT
from twincell.server.web.guard.listening_socket import WebAddress

if TYPE_CHECKING:
    from twincell.server.config import Serving
    from twincell.server.web.showing import Showing

__all__ = ["WEB_PORT", "showing_of", "web_address", "web_line"]


def web_address(
    host: str, wanted: int | None, others: Collection[int | None] = ()
) -> WebAddress | str:
    """A socket for the page; or why there is none, where nobody has asked for that very port.

    The usual port gives way to others of this cell.
    """
    port = WEB_PORT if wanted is None else wanted
    try:
        if port and port in others:
            raise PortTaken(f"--web-port {port}: is another port of this cell", "take another one")
        return WebAddress(host, open_port(WEB, host, port))
    except PortTaken:
        if wanted is not None:
            raise
        # the cell is worth running without its picture
        return f"none: port {port} is in use; take another one with --web-port (0: a free one)"


def showing_of(address: WebAddress, recordings: Path, serving: Serving) -> Showing:
    """What the web process needs; the OPC UA server knows its user from now on."""
    from twincell.server.security.roles import Role
    from twincell.server.web.showing import WEB_NAME, Showing

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

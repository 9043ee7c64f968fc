"""Where `twincell run` shows the cell to browsers."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from server.cli.ports import WEB, PortTaken, open_port
from server.web.address import DEFAULT_PORT as WEB_PORT
from server.web.address import WebAddress

if TYPE_CHECKING:
    from server.serving import Serving
    from server.web.showing import Showing

__all__ = ["WEB_PORT", "showing_of", "web_address", "web_line"]


def web_address(host: str, wanted: int | None) -> WebAddress | str:
    """A socket for the page; or why there is none, where nobody has asked for that very port."""
    try:
        return WebAddress(host, open_port(WEB, host, WEB_PORT if wanted is None else wanted))
    except PortTaken as taken:
        if wanted is None:  # the cell is worth running without its picture
            return "none: " + str(taken).replace("\n  hint: ", "; ")
        raise


def showing_of(address: WebAddress, recordings: Path, serving: Serving) -> Showing:
    """What the web process needs; the OPC UA server knows its user from now on."""
    from server.security.roles import Role
    from server.web.showing import WEB_NAME, Showing

    password = secrets.token_urlsafe()
    serving.security.users.admit(WEB_NAME, password, Role.OBSERVER)
    return Showing(address, recordings.resolve(), password)


def web_line(web: WebAddress | str | None) -> list[str]:
    """What to say about the page at the start; nothing where none is wanted."""
    if web is None:
        return []
    if isinstance(web, str):
        return [f"web page:   {web}"]
    note = " (your browser will warn: it does not know our certificate)" if web.is_encrypted else ""
    return [f"web page:   {web.url}{note}"]

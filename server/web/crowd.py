"""How many pages there can be: each costs memory and time of the web process.

Whoever may not look is sent to the form before anything is made for him: so strangers cannot take
the places of those who may.
"""

from collections.abc import Callable

from fastapi import Request
from fastapi.responses import PlainTextResponse, RedirectResponse
from nicegui import Client

from server.security.roles import Role
from server.web.cell_view import CellView
from server.web.door import App, Receive, Scope, Send

MOST_PAGES = 60  # open, or closed a minute ago; chosen
FULL = f"{MOST_PAGES} pages are open already: close some, and try again in a minute\n"


def pages_now() -> int:
    """Pages that NiceGUI holds."""
    return len(Client.instances)


class Crowd:
    """Lets people to the page while there is room."""

    def __init__(self, app: App, view: CellView, count: Callable[[], int] = pages_now) -> None:
        self._app, self._view, self._count = app, view, count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http" and scope["path"] == "/":
            request = Request(scope)
            address = request.client.host if request.client else ""
            if not self._view.visitors.visitor(request.cookies, address).may(Role.OBSERVER):
                app = RedirectResponse("/login")
            elif self._count() >= MOST_PAGES:
                app = PlainTextResponse(FULL, 503)
        await app(scope, receive, send)

"""How many pages there can be: each costs memory and time of the web process.

Whoever may not look is sent to the form before anything is made for him, and a path that there is
not makes no page: so strangers cannot take the places of those who may.
"""

from collections.abc import Callable

from fastapi import Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from nicegui import Client
from nicegui import app as nicegui_app
from starlette.requests import HTTPConnection

from twincell.server.security.roles import Role
from twincell.server.web.access.visitors import origin_of_request
from twincell.server.web.data.cell_view import CellView
from twincell.server.web.guard.origin_guard import App, Receive, Scope, Send

MOST_PAGES = 60  # open, or closed a minute ago; chosen
FULL = f"{MOST_PAGES} pages are open already: close some, and try again in a minute\n"
UNKNOWN = "there is no such page here: the cell is at /\n"
SOCKETS = "/_nicegui_ws/"  # of pages that are open


def pages_now() -> int:
    """Pages that NiceGUI holds."""
    return len(Client.instances)


def answer_unknown_paths() -> None:
    """Tell in a line that there is no such path; NiceGUI would make a page to say so."""
    nicegui_app.add_exception_handler(404, _unknown)


def _unknown(_: Request, __: Exception) -> Response:
    return PlainTextResponse(UNKNOWN, 404)


class PageLimit:
    """Lets people to the page while there is room."""

    def __init__(self, app: App, view: CellView, count: Callable[[], int] = pages_now) -> None:
        self._app, self._view, self._count = app, view, count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] in ("http", "websocket"):
            is_socket = scope["path"].startswith(SOCKETS)
            if scope["path"] == "/" and not self._may_look(scope):
                app = RedirectResponse("/login")
            elif scope["path"] == "/" and self._count() >= MOST_PAGES:
                app = PlainTextResponse(FULL, 503)
            elif is_socket and not self._may_look(scope):
                app = _refuse
        await app(scope, receive, send)

    def _may_look(self, scope: Scope) -> bool:
        asking = HTTPConnection(scope)
        visitor = self._view.visitors.visitor(asking.cookies, origin_of_request(asking))
        return visitor.may(Role.OBSERVER)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await Response(status_code=403)(scope, receive, send)

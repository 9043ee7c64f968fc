"""Who gets a page: those who may look, while there is room."""

from types import SimpleNamespace

import pytest

from twincell.server.security.roles import Identity, Role
from twincell.server.web.access.visitors import Visitor
from twincell.server.web.guard.page_limit import MOST_PAGES, PageLimit


async def status_of(role: Role, pages: int, path: str = "/") -> int:
    """How a request is answered; 200 stands for the page."""
    sent = []

    async def send(message):
        sent.append(message)

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})

    visitors = SimpleNamespace(visitor=lambda *_: Visitor(Identity("", role), None))
    crowd = PageLimit(app, SimpleNamespace(visitors=visitors), lambda: pages)
    scope = {
        "type": "http",
        "path": path,
        "headers": [],
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 80),
    }
    await crowd(scope, None, send)
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    ("role", "pages", "path", "status"),
    [
        (Role.OBSERVER, MOST_PAGES - 1, "/", 200),
        (Role.OBSERVER, MOST_PAGES, "/", 503),
        (Role.OBSERVER, MOST_PAGES, "/live", 200),  # of a page that is open
        (Role.NOBODY, 0, "/", 307),
        (Role.NOBODY, MOST_PAGES, "/", 307),
        (Role.NOBODY, 0, "/login", 200),
    ],
)
async def test_a_page_is_made_for_who_may_look_while_there_is_room(role, pages, path, status):
    assert await status_of(role, pages, path) == status


async def test_the_sockets_of_pages_are_for_those_who_may_look():
    assert await status_of(Role.OBSERVER, MOST_PAGES, "/_nicegui_ws/socket.io/") == 200
    assert await status_of(Role.NOBODY, 0, "/_nicegui_ws/socket.io/") == 403

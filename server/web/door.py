"""Who may talk to the page at all: requests to this machine's names, from pages of its own.

A browser runs the scripts of any site. Two tricks would let such a script talk to a server on the
same machine: a name of the foreign site that suddenly means 127.0.0.1 (DNS rebinding), and a
WebSocket, which browsers let any site open. The first shows in `Host`, the second in `Origin`.
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    # everything comes from here; Vue compiles its templates in the browser
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval';"
        " style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:;"
        " worker-src 'self' blob:; frame-ancestors 'none'; form-action 'self'; base-uri 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


class Door:
    """Lets only requests through that a page of ours, or a person, has made."""

    def __init__(self, app: App, names: Iterable[str]) -> None:
        self._app = app
        self._names = {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.lower(): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self._refusal(headers.get(b"host", ""), headers.get(b"origin"))
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()  # the connect event
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            plain = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": plain})
            await send({"type": "http.response.body", "body": f"{refusal}\n".encode()})

    def _refusal(self, host: str, origin: str | None) -> str | None:
        if (_host_name(f"//{host}") or "") not in self._names:
            return f"{host}: is no name of this server; open the address that twincell run printed"
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "pages of other sites may not talk to this one"
        return None


def _host_name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _with_headers(send: Send) -> Send:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            own = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await send(message)

    return sending

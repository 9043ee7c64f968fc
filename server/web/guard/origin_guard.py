"""Who may talk to the page at all: short requests to this machine's names, from pages of its own.

A browser runs the scripts of any site. Two tricks would let such a script talk to a server on the
same machine: a name of the foreign site that suddenly means 127.0.0.1 (DNS rebinding), and a
WebSocket, which browsers let any site open. The first shows in `Host`, the second in `Origin`.
Browsers of today also say that another site asks (`Sec-Fetch-Site`); a link there may lead here.

Nobody has to log in to send a form, so what is sent is read here, up to a length and for a while
only, before anything else looks at it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LONGEST_BODY = 4_096  # bytes; a form with a name and a password is far shorter; chosen
BODYLESS = ("GET", "HEAD", "OPTIONS")
BODY_S = 10.0  # in which it must be here
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


class Refused(Exception):
    """A request that nobody answers; the text says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class OriginGuard:
    """Lets only requests through that a page of ours, or a person, has made."""

    def __init__(self, app: App, names: Iterable[str]) -> None:
        self._app = app
        self._names = {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.lower(): value.decode("latin-1") for key, value in scope["headers"]}
        try:
            self._check(headers)
            if scope["type"] == "http" and scope["method"] not in BODYLESS:
                receive = await _read(headers, receive)
        except Refused as refused:
            await _refuse(scope, receive, send, refused)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _check(self, headers: dict[bytes, str]) -> None:
        """Refuse other names of this machine, and other sites."""
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if _split(f"//{host}").hostname not in self._names:
            why = "is no name of this server; open the address that twincell run printed"
            raise Refused(403, f"{host}: {why}")
        is_foreign = headers.get(b"sec-fetch-site") == "cross-site"
        is_link = headers.get(b"sec-fetch-mode") == "navigate"
        is_ours = origin is None or _split(origin).netloc.lower() == host.lower()
        if not is_ours or (is_foreign and not is_link):
            raise Refused(403, "pages of other sites may not talk to this one")


def _split(url: str) -> SplitResult:
    """The parts of an address; of what is none, there are none."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


async def _read(headers: dict[bytes, str], receive: Receive) -> Receive:
    """What a browser sends, all of it; and how the page receives it."""
    if headers.get(b"content-type", "").lower().startswith("multipart/"):
        raise Refused(415, "files are not taken here")
    length = headers.get(b"content-length", "0")
    is_short = length.isdecimal() and len(length) <= len(str(LONGEST_BODY))
    if not is_short or int(length) > LONGEST_BODY:
        raise Refused(413, f"at most {LONGEST_BODY} bytes are taken here")
    body, is_whole = b"", False
    try:
        async with asyncio.timeout(BODY_S):
            while not is_whole:
                message = await receive()
                # one that is gone has sent nothing more
                body += message.get("body", b"")
                is_whole = not message.get("more_body", False)
                if len(body) > LONGEST_BODY:
                    raise Refused(413, f"at most {LONGEST_BODY} bytes are taken here")
    except TimeoutError:
        raise Refused(408, "that took too long") from None
    parts = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receiving() -> Any:
        return next(parts, None) or await receive()

    return receiving


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: Refused) -> None:
    if scope["type"] == "websocket":
        await receive()  # the connect event
        await send({"type": "websocket.close", "code": 1008, "reason": str(refused)})
        return
    # what it may still be sending is not waited for
    plain = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": refused.status, "headers": plain})
    await send({"type": "http.response.body", "body": f"{refused}\n".encode()})


def _with_headers(send: Send) -> Send:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            own = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await send(message)

    return sending

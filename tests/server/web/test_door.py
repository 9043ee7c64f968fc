"""Only pages of our own talk to the server, and only under names of this machine."""

import pytest

from server.web.door import Door


async def knock(host: str, origin: str | None, kind: str = "http") -> str:
    """What becomes of a request: served, or why it is not."""
    served = []

    async def app(scope, receive, send):
        served.append(scope)

    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "websocket.connect"}

    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    door = Door(app, ["localhost", "127.0.0.1", "::1", "plc-server"])
    await door({"type": kind, "headers": headers}, receive, send)
    if served:
        return "served"
    assert sent[0].get("status", sent[0].get("code")) in (403, 1008)
    return str(sent[-1].get("body", b"").decode() or sent[0]["reason"])


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:8080", None),
        ("localhost:8080", "http://localhost:8080"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("PLC-Server:8080", "https://plc-server:8080"),
    ],
)
async def test_a_page_of_our_own_is_served(kind, host, origin):
    assert await knock(host, origin, kind) == "served"


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "[", "192.168.0.9"])
async def test_another_name_for_this_machine_is_refused(kind, host):
    assert "is no name of this server" in await knock(host, None, kind)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://localhost:9999", "null", "http://localhost:8080.evil"]
)
async def test_a_page_of_another_site_is_refused(kind, origin):
    assert "other sites" in await knock("localhost:8080", origin, kind)

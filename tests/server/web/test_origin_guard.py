"""Only pages of our own talk to the server, under names of this machine, and not for long."""

import pytest

from twincell.server.web.guard.origin_guard import OriginGuard


async def knock(
    host: str,
    origin: str | None,
    kind: str = "http",
    method: str = "GET",
    body: tuple[bytes, ...] = (),
    **more: str,
) -> str:
    """What becomes of a request: served, or why it is not."""
    served = []

    async def app(scope, receive, send):
        served.append(await receive() if body else scope)

    sent = []

    async def send(message):
        sent.append(message)

    parts = list(body)

    async def receive():
        if kind == "websocket":
            return {"type": "websocket.connect"}
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    headers += [(name.replace("_", "-").encode(), value.encode()) for name, value in more.items()]
    door = OriginGuard(app, ["localhost", "127.0.0.1", "::1", "plc-server"])
    await door({"type": kind, "method": method, "headers": headers}, receive, send)
    if served:
        assert not body or served[0]["body"] == b"".join(body)
        return "served"
    assert sent[0].get("status", sent[0].get("code")) in (403, 413, 415, 1008)
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
    "origin",
    [
        "http://evil.example",
        "http://localhost:9999",
        "null",
        "http://localhost:8080.evil",
        "http://[",
        "",
    ],
)
async def test_a_page_of_another_site_is_refused(kind, origin):
    assert "other sites" in await knock("localhost:8080", origin, kind)


async def test_another_site_may_link_to_the_page_but_not_load_it():
    foreign = {"sec_fetch_site": "cross-site"}
    assert await knock("localhost", None, **foreign, sec_fetch_mode="navigate") == "served"
    assert "other sites" in await knock("localhost", None, **foreign, sec_fetch_mode="no-cors")


@pytest.mark.parametrize("more", [{}, {"content_length": "4096"}])
async def test_a_form_is_taken_in_however_many_parts_it_comes(more):
    parts = (b"a" * 4000, b"b" * 96)
    assert await knock("localhost", None, method="POST", body=parts, **more) == "served"


@pytest.mark.parametrize(
    ("length", "parts"),
    [
        ({"content_length": "4097"}, (b"",)),
        ({"content_length": "9" * 5000}, (b"",)),
        ({"content_length": "-1"}, (b"",)),
        ({}, (b"a" * 4000, b"b" * 97)),  # nobody said how long it would become
        ({"content_length": "10"}, (b"a" * 4097,)),
    ],
)
async def test_what_is_too_long_for_a_form_is_refused(length, parts):
    told = await knock("localhost", None, method="POST", body=parts, **length)
    assert "at most 4096 bytes" in told


async def test_files_are_refused():
    kind = "Multipart/form-data; boundary=x"
    told = await knock("localhost", None, method="POST", body=(b"",), content_type=kind)
    assert "files are not taken" in told

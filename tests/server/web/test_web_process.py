"""The web process as a stranger meets it: names, origins, passwords, encryption, ports."""

import asyncio
import os
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import aiohttp
import pytest

from tests.server.running_cell import RunningCell, children_of, name_of
from tests.server.twincell_command import run_in
from twincell.server.cli import web_address as command_line
from twincell.server.client.login import Login
from twincell.server.client.mistake import Mistake
from twincell.server.client.session import connected
from twincell.server.errors import Refusal
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.roles import Role
from twincell.server.security.users import Users
from twincell.server.web.guard.listening_socket import WebAddress
from twincell.server.web.guard.page_limit import MOST_PAGES

USER, PASSWORD = "bert", "correct horse"
NO_GUESTS = '\n[server]\nanonymous = "nobody"\n'
UNKNOWN = ssl.create_default_context()
UNKNOWN.check_hostname, UNKNOWN.verify_mode = False, ssl.CERT_NONE


def security_folder() -> SecurityFolder:
    """Of all tests together."""
    return SecurityFolder(Path(os.environ["TWINCELL_SECURITY"]))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningCell, str]]:
    """A cell on the network, at which nobody there looks without a name, and its page."""
    from tests.server.conftest import SMALL_CELL

    folder = tmp_path_factory.mktemp("web_process")
    (folder / "cell.toml").write_text(SMALL_CELL + NO_GUESTS, encoding="utf-8")
    users = Users(security_folder().users)
    users.add(USER, Role.OBSERVER, PASSWORD)
    options = ["cell.toml", "--port=0", "--no-demo", "--web-port=0", "--host=0.0.0.0"]
    cell = RunningCell(folder, *options, lab=False)
    try:
        assert cell.process.stdout
        line = cell.process.stdout.readline()
        assert "your browser will warn" in line
        yield cell, line.split()[2]
    finally:
        cell.end()
        users.remove(USER)


@pytest.fixture
def url(served: tuple[RunningCell, str]) -> str:
    return served[1]


class Stay(urllib.request.HTTPRedirectHandler):
    """Shows redirections instead of following them."""

    def redirect_request(self, *_: object) -> None:
        return None


def ask(url: str, data: dict[str, str] | None = None, **headers: str) -> tuple[int, str, object]:
    """Status, text and headers of an answer."""
    body = urllib.parse.urlencode(data).encode() if data is not None else None
    request = urllib.request.Request(url, body, headers)
    opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=UNKNOWN), Stay)
    try:
        with opener.open(request, timeout=60) as answer:
            return answer.status, answer.read().decode("utf-8", "replace"), answer.headers
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode("utf-8", "replace"), refusal.headers


def test_the_page_shows_nothing_before_the_login_that_the_cell_demands(url):
    assert url.startswith("https://")
    status, _, headers = ask(url)
    assert (status, headers["location"]) == (307, "/login")
    assert ask(f"{url}/history?columns=0")[0] == 403
    assert ask(f"{url}/signals")[0] == 403
    assert ask(f"{url}/replay/anything")[0] == 404
    status, _, headers = ask(f"{url}/login")
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]

    status, _, headers = ask(f"{url}/login", {"user": USER, "password": PASSWORD})
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert {"HttpOnly", "Secure", "SameSite=strict"} <= set(cookie.split("; "))
    key = cookie.partition(";")[0]
    assert ask(url, Cookie=key)[0] == 200
    assert ask(f"{url}/history?columns=0", Cookie=key)[0] == 200
    assert ask(f"{url}/history?columns=99999", Cookie=key)[0] == 404
    assert ask(f"{url}/history?columns={'9' * 5000}", Cookie=key)[0] == 404
    assert ask(f"{url}/logout", {}, Cookie=key)[0] == 303
    assert ask(url, Cookie=key)[0] == 307


def test_other_names_and_other_sites_are_refused(url):
    assert ask(url, Host="evil.example")[0] == 403
    assert (
        ask(f"{url}/login", {"user": USER, "password": PASSWORD}, Origin="http://evil.example")[0]
        == 403
    )
    assert asyncio.run(opens_live(url, "https://evil.example")) == 403


async def opens_live(url: str, origin: str) -> int:
    """Status of an attempt to open the WebSocket of live data."""
    async with aiohttp.ClientSession() as http:
        try:
            await http.ws_connect(f"{url}/live", origin=origin, ssl=UNKNOWN)
        except aiohttp.WSServerHandshakeError as refusal:
            return refusal.status
    return 101


def test_strangers_who_ask_for_what_there_is_not_take_no_places(url):
    _, _, headers = ask(f"{url}/login", {"user": USER, "password": PASSWORD})
    key = headers["set-cookie"].partition(";")[0]
    for n in range(MOST_PAGES + 2):
        path = ("", "_nicegui/", "_nicegui/static/", "mesh/")[n % 4] + f"nothing{n}"
        assert ask(f"{url}/{path}")[0] in (404, 422)
    assert "there is no such page here" in ask(f"{url}/nothing")[1]
    assert ask(f"{url}/_nicegui_ws/socket.io/?EIO=4&transport=polling")[0] == 403
    assert ask(url, Cookie=key)[0] == 200
    assert ask(f"{url}/logout", {}, Cookie=key)[0] == 303


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_connections_on_which_nothing_is_asked_keep_nobody_out(url, is_encrypted):
    host, port = "127.0.0.1", int(url.rpartition(":")[2])
    with ExitStack() as held:
        for _ in range(520):
            one = held.enter_context(socket.create_connection((host, port), timeout=60))
            if is_encrypted:
                with suppress(OSError):  # it has gone for a newer one
                    one = held.enter_context(UNKNOWN.wrap_socket(one))
                    one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        assert ask(f"{url}/login")[0] == 200


def test_a_body_without_end_is_refused_and_the_page_goes_on(url):
    long = {"user": USER, "password": "a" * 5000}
    assert ask(f"{url}/login", long)[0] == 413
    files = {"Content-Type": "multipart/form-data; boundary=x"}
    assert ask(f"{url}/login", {}, **files)[0] == 415
    assert asyncio.run(is_cut_off(url))
    assert ask(f"{url}/login")[0] == 200


async def is_cut_off(url: str) -> bool:
    """Whether a form that never ends, and does not say how long it is, is refused."""

    async def parts():
        yield b"user=a&password="
        while True:
            yield b"a" * 1000
            await asyncio.sleep(0)

    async with aiohttp.ClientSession() as http:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            async with http.post(f"{url}/login", data=parts(), headers=kind, ssl=UNKNOWN) as answer:
                return answer.status == 413
        except aiohttp.ClientOSError:
            return True  # before it could read why


def test_who_guesses_passwords_has_to_wait_and_locks_out_nobody_else(served):
    cell, url = served
    for nobody in ("", " ", "twincell web"):  # the page's own connection is let in as these
        status, text, _ = ask(f"{url}/login", {"user": nobody, "password": "a guess"})
        assert status == 403
        assert "a wrong name or password" in text
    guesses = ({"user": USER, "password": f"guess {n}"} for n in range(8))
    answers = [ask(f"{url}/login", guess) for guess in guesses]
    assert {status for status, _, _ in answers[:7]} == {403}
    assert answers[7][0] == 429
    assert "wait a little" in answers[7][1]
    asyncio.run(guess_our_own(cell.url))
    asyncio.run(comes_in(cell.url, USER, PASSWORD))


async def comes_in(endpoint: str, user: str, password: str) -> None:
    async with connected(endpoint, "a test", Login(user, password, folder=security_folder())):
        pass


async def guess_our_own(endpoint: str) -> None:
    """More guesses than one address has: the password of a program of ours is too long for it."""
    for _ in range(60):
        with pytest.raises(Mistake):
            await comes_in(endpoint, "twincell web", "a guess")


def test_a_port_that_was_asked_for_and_is_taken_is_named_with_what_helps(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run_in(tmp_path, "run", "static_object", "--port=0", f"--web-port={port}")
    assert ended.code == 2
    assert f"port {port} is in use" in ended.err
    assert "--web-port" in ended.err


def test_when_only_the_usual_port_is_taken_the_cell_runs_without_a_page(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(command_line, "WEB_PORT", taken.getsockname()[1])
        told = command_line.web_address("127.0.0.1", None)
    assert isinstance(told, str)
    assert "in use" in command_line.web_line(told)
    assert "--web-port" in command_line.web_line(told)
    assert command_line.web_line(None) == ""


def test_the_usual_port_of_the_page_gives_way_to_others_of_the_cell(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as once:
        port = once.getsockname()[1]
    monkeypatch.setattr(command_line, "WEB_PORT", port)
    assert isinstance(command_line.web_address("127.0.0.1", None, (port, None)), str)
    with pytest.raises(Refusal, match=f"--web-port {port}: is another port of this cell"):
        command_line.web_address("127.0.0.1", port, (0, port))


@pytest.mark.parametrize(
    ("host", "port", "named"),
    [
        ("127.0.0.1", 70_000, "--web-port 70000"),
        ("", 0, "--host ''"),
        ("no.such.host", 0, "--host no"),
    ],
)
def test_an_address_that_cannot_be_is_refused(host, port, named):
    with pytest.raises(Refusal, match=named):
        command_line.web_address(host, port)


def test_without_a_page_no_process_pays_for_it(tmp_path):
    cell = RunningCell(tmp_path, "static_object", "--port=0", "--no-demo", "--no-web")
    try:
        assert cell.process.stdout
        assert cell.process.stdout.readline().startswith("cell:")
        assert "twincell web" not in {name_of(pid) for pid in children_of(cell.process.pid)}
    finally:
        cell.end()


def test_the_address_is_told_as_people_type_it():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = WebAddress("127.0.0.1", listener)
        assert address.url == f"http://localhost:{address.port}"
        assert not address.is_encrypted

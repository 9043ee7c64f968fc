"""Attacks that go past the subscriptions: at logins, the page, recordings and the bridge."""

import asyncio
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Coroutine
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

from tests.attack.beside import beside
from tests.attack.greedy_clients import Attack
from tests.attack.test_logins_attack import crowd, flood_of_sessions
from tests.attack.wide_cell import WideCell
from tests.server.bridge.greedy_server import GreedyServer, endless_chunks
from tests.server.recording.bomb import bomb, without_end
from tests.server.recording.forged_recording import forge
from tests.server.running_cell import wait_until
from tests.server.twincell_command import command, environment
from twincell.server.client.bounded_protocol import CHUNK_BYTES
from twincell.server.web.guard.page_limit import MOST_PAGES
from twincell.sim.cell import Cell

UNFINISHED = 520  # requests; more than the page has connections
HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


def status_of(url: str) -> int:
    """How a request is answered."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code


def sessions_that_nobody_activates(besieged: WideCell, stack: ExitStack) -> None:
    them = stack.enter_context(crowd(besieged))
    stack.enter_context(flood_of_sessions(them))


def unknown_paths(besieged: WideCell, stack: ExitStack) -> None:
    for n in range(MOST_PAGES + 2):
        assert status_of(f"{besieged.page_url}/nothing{n}") == 404
    assert status_of(besieged.page_url) == 200


def unfinished_requests(besieged: WideCell, stack: ExitStack) -> None:
    page = urlsplit(besieged.page_url)
    for _ in range(UNFINISHED):
        connection = socket.create_connection((page.hostname, page.port), 60)
        stack.callback(connection.close)
        connection.sendall(HEAD)
    assert status_of(besieged.page_url) == 200


def recordings_that_unpack_to_much(besieged: WideCell, stack: ExitStack) -> None:
    """They are read again and again, in a process of their own as `twincell info` is."""
    cell = Cell.load(besieged.file)
    path = forge(besieged.folder / "bomb.mcap", cell, [], cell.run(60))
    bomb(without_end(path))

    def read(is_over: threading.Event) -> None:
        while not is_over.is_set():
            words = command("info", path)
            subprocess.run(words, env=environment(), capture_output=True, check=True, timeout=200)

    stack.enter_context(beside(read))


def a_plc_that_sends_without_an_end(besieged: WideCell, stack: ExitStack) -> None:
    plc = GreedyServer(endless_chunks(CHUNK_BYTES - 24))
    over = asyncio.Event()

    async def serve() -> None:
        async with await asyncio.start_server(plc.serve, "127.0.0.1", besieged.plc_port):
            await over.wait()

    loop = asyncio.new_event_loop()
    serving = threading.Thread(target=_run, args=(loop, serve()))
    serving.start()
    stack.callback(serving.join)
    stack.callback(loop.call_soon_threadsafe, over.set)
    wait_until(lambda: plc.sent > 0)  # the bridge has come


def _run(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(work)


OTHERS: list[Attack] = [
    sessions_that_nobody_activates,
    unknown_paths,
    unfinished_requests,
    recordings_that_unpack_to_much,
    a_plc_that_sends_without_an_end,
]

"""From a client's command to the notification that shows what came of it.

A flange stands over a tool in its holder. The client writes Robot1Flange.Closed and waits for
Tool1.Partner to change; in between lie the request, a tick of the cell, and a publishing interval.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from asyncua import ua

from bench.result import Result
from bench.ua_cells import WAITING_FLANGE
from bench.ua_client import CHANGES, UaClient
from bench.ua_running import running_cell
from server.opcua.space.namespaces import CELL

TRIALS = 300
PUBLISHING_MS = 5.0
FLANGE, HOLDER = b"Robot1Flange", b"Holder1"
REST_S = 0.020  # between two trials, and up to twice as long: not in step with anything
TIMEOUT_S = 5.0


class NoEffect(Exception):
    """A command was accepted, and nothing came of it."""


def closed_to_effect() -> Iterator[Result]:
    """Milliseconds from the write call to the notification, half of the trials each way."""
    with TemporaryDirectory(prefix="twincell-bench-") as folder:
        file = Path(folder) / "flange.toml"
        file.write_text(WAITING_FLANGE, encoding="utf-8")
        with running_cell(file) as cell:
            client = UaClient(cell.endpoint)
            try:
                times_ms = list(_trials(client))
            finally:
                client.vanish()
    yield Result("closed_to_effect_ms", median(times_ms), "ms")
    yield Result("closed_to_effect_p95_ms", quantiles(times_ms, n=20)[-1], "ms")


def _trials(client: UaClient) -> Iterator[float]:
    command = ua.NodeId("Robot1Flange.Closed", CELL)
    client.subscribe([ua.NodeId("Tool1.Partner", CELL)], PUBLISHING_MS, CHANGES)
    _wait_for(client, HOLDER)
    chance = random.Random(1)
    for trial in range(TRIALS):
        time.sleep(chance.uniform(REST_S, 2 * REST_S))
        closes = trial % 2 == 0
        began = time.perf_counter()
        client.write(command, closes, ua.VariantType.Boolean)
        _wait_for(client, FLANGE if closes else HOLDER)
        yield (time.perf_counter() - began) * 1e3


def _wait_for(client: UaClient, partner: bytes) -> None:
    """Listen until a notification names this partner."""
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until:
        for message in client.notifications():
            if any(partner in body for body in message.data):
                return
    raise NoEffect(f"Tool1.Partner did not become {partner.decode()} in {TIMEOUT_S:g} s")

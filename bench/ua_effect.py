"""From a client's command to the notification that shows what came of it.

A flange stands over a tool in its holder. The client writes Robot1Flange.Closed and waits for
Tool1.Partner to change; in between lie the request, a tick of the cell, and a publishing interval.
Beside it, in turns, the same client writes a variable of an asyncua server as it comes, and reads
it: what two requests take on this machine at this hour.
"""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from asyncua import ua

from bench.bare_server import NAMESPACE
from bench.result import Result
from bench.ua_cells import WAITING_FLANGE
from bench.ua_client import CHANGES, UaClient
from bench.ua_running import running, running_cell
from twincell.server.opcua.space.namespaces import CELL

TRIALS = 300
SLOW_MS, FAST_MS = 5.0, 1.0  # publishing intervals: a usual one, and the shortest
FLANGE, HOLDER = b"Robot1Flange", b"Holder1"
CLOSED, PARTNER = ua.NodeId("Robot1Flange.Closed", CELL), ua.NodeId("Tool1.Partner", CELL)
COMMAND = ua.NodeId("Simulation.Command", NAMESPACE)
REST_S = 0.020  # between two trials, and up to twice as long: not in step with anything
TIMEOUT_S = 5.0


class NoEffect(Exception):
    """A command was accepted, and nothing came of it."""


def closed_to_effect() -> Iterator[Result]:
    """Milliseconds from the write call to the notification, half of the trials each way."""
    with TemporaryDirectory(prefix="twincell-bench-") as folder, ExitStack() as stack:
        file = Path(folder) / "flange.toml"
        file.write_text(WAITING_FLANGE, encoding="utf-8")
        cell = stack.enter_context(running_cell(file))
        bare = stack.enter_context(running(["bench.bare_server"]))
        clients = [UaClient(one.endpoint) for one in (cell, cell, bare)]
        for client in clients:
            stack.callback(client.vanish)
        slow, fast, writes_and_reads = _trials(*clients)
    yield Result("closed_to_effect_ms", median(slow), "ms")
    yield Result("closed_to_effect_p95_ms", quantiles(slow, n=20)[-1], "ms")
    yield Result("closed_to_effect_fast_ms", median(fast), "ms")
    yield Result("closed_to_effect_fast_p95_ms", quantiles(fast, n=20)[-1], "ms")
    yield Result("asyncua_write_and_read_ms", median(writes_and_reads), "ms")


def _trials(slow: UaClient, fast: UaClient, bare: UaClient) -> list[list[float]]:
    """Milliseconds of all trials, of each of the three."""
    slow.subscribe([PARTNER], SLOW_MS, CHANGES)
    fast.subscribe([PARTNER], FAST_MS, CHANGES)
    _wait_for(slow, HOLDER)
    _wait_for(fast, HOLDER)
    chance = random.Random(1)
    times_ms: list[list[float]] = [[], [], []]
    turns = [(slow, fast, times_ms[0]), (fast, slow, times_ms[1])]
    for trial in range(TRIALS):
        turns.reverse()  # who closes this time opens the next
        for (client, other, mine), partner in zip(turns, (FLANGE, HOLDER), strict=True):
            time.sleep(chance.uniform(REST_S, 2 * REST_S))
            began = time.perf_counter()
            client.write(CLOSED, partner is FLANGE, ua.VariantType.Boolean)
            _wait_for(client, partner)
            mine.append((time.perf_counter() - began) * 1e3)
            _wait_for(other, partner)
        time.sleep(chance.uniform(REST_S, 2 * REST_S))
        began = time.perf_counter()
        bare.write(COMMAND, trial % 2 == 0, ua.VariantType.Boolean)
        bare.read([COMMAND])
        times_ms[2].append((time.perf_counter() - began) * 1e3)
    return times_ms


def _wait_for(client: UaClient, partner: bytes) -> None:
    """Listen until a notification names this partner."""
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until:
        for message in client.notifications():
            if any(partner in body for body in message.data):
                return
    raise NoEffect(f"Tool1.Partner did not become {partner.decode()} in {TIMEOUT_S:g} s")

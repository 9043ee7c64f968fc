"""From a change at a PLC that is a server to its effect in the cell, over the bridge.

A flange stands over a tool in its holder. The PLC changes its variable Close; the time until the
tick that closes the flange is taken from that tick's source time, so that nothing is in it which
comes after the effect. Then the way back: until the PLC has the sensor's bit in a variable of its
own.
"""

import random
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from asyncua import Node, ua
from asyncua.sync import Client

from bench.plc_server import PlcServer
from bench.result import Result
from bench.ua_cells import WAITING_FLANGE
from bench.ua_effect import REST_S, TIMEOUT_S, NoEffect
from bench.ua_running import running_cell
from twincell.server.opcua.space.namespaces import CELL

TRIALS = 300
BRIDGE = """
[[bridge]]
name = "Plc1"
endpoint = "{endpoint}"
security = "None"
publishing_ms = 5
command = [{{ node = "nsu=urn:plc;s=Close", signal = "Robot1Flange.Closed" }}]
feedback = [{{ node = "nsu=urn:plc;s=IsClosed", signal = "Robot1Flange.IsClosed" }}]
"""
VARIABLES = {name: ua.Variant(False, ua.VariantType.Boolean) for name in ("Close", "IsClosed")}


class _Effects:
    """When the flange closed or opened, by the source time of the tick."""

    def __init__(self) -> None:
        self._news = threading.Event()
        self._value: bool | None = None
        self._at = datetime.now(UTC)

    def datachange_notification(self, _: Node, value: bool, data: Any) -> None:
        self._value = value
        self._at = data.monitored_item.Value.SourceTimestamp.replace(tzinfo=UTC)
        self._news.set()

    def wait_for(self, value: bool) -> datetime:
        until_s = time.monotonic() + TIMEOUT_S
        while self._value is not value:
            if not self._news.wait(until_s - time.monotonic()):
                raise NoEffect(f"Robot1Flange.IsClosed did not become {value}")
            self._news.clear()
        return self._at


def bridge_to_effect() -> Iterator[Result]:
    """Milliseconds from the PLC's change to the tick of its effect, and to the PLC's own input."""
    with TemporaryDirectory(prefix="twincell-bench-") as folder, PlcServer(VARIABLES) as plc:
        file = Path(folder) / "bridge.toml"
        file.write_text(WAITING_FLANGE + BRIDGE.format(endpoint=plc.endpoint), encoding="utf-8")
        with running_cell(file) as cell, Client(cell.endpoint) as client:
            effects = _Effects()
            subscription = client.create_subscription(5, effects)
            node = client.get_node(ua.NodeId("Robot1Flange.IsClosed", CELL))
            subscription.subscribe_data_change(node, queuesize=100, sampling_interval=1)
            trials = list(_trials(plc, effects))
    there_ms, round_ms = ([trial[k] for trial in trials] for k in range(2))
    yield Result("bridge_to_effect_ms", median(there_ms), "ms")
    yield Result("bridge_to_effect_p95_ms", quantiles(there_ms, n=20)[-1], "ms")
    yield Result("bridge_round_trip_ms", median(round_ms), "ms")


def _trials(plc: PlcServer, effects: _Effects) -> Iterator[tuple[float, float]]:
    plc["Close"] = True
    effects.wait_for(True)  # the bridge is connected
    chance = random.Random(1)
    for trial in range(TRIALS):
        time.sleep(chance.uniform(REST_S, 2 * REST_S))
        closes = trial % 2 == 1
        began, began_s = datetime.now(UTC), time.perf_counter()
        plc["Close"] = closes
        until_s = time.monotonic() + TIMEOUT_S
        while plc["IsClosed"] is not closes:
            if time.monotonic() > until_s:
                raise NoEffect(f"the PLC's IsClosed did not become {closes}")
            time.sleep(0.0005)
        back_ms = (time.perf_counter() - began_s) * 1e3
        yield (effects.wait_for(closes) - began).total_seconds() * 1e3, back_ms

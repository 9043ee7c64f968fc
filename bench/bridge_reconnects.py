"""24 signals over a bridge whose connection is cut again and again: is the last value ever lost?

    python -m bench.bridge_reconnects [1000]

Twelve Booleans of the PLC close twelve flanges, whose twelve sensors go back to the PLC. Each time
the connection is cut, the PLC changes all twelve at once, at a moment when the bridge is down or
goes down. Then every flange must become what the PLC has last said, and the PLC must see it.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from asyncua import ua
from asyncua.sync import Client
from rich.progress import track

from bench.plc_server import PlcServer
from bench.ua_running import Running, running_cell
from twincell.server.opcua.space.namespaces import cell_id

N_FLANGE = 12
WAIT_S = 30.0


class Lost(Exception):
    """A value did not arrive."""


def reconnects(times: int) -> Iterator[float]:
    """Seconds that each reconnect took until both sides were up to date."""
    names = [f"{kind}{k}" for kind in ("Close", "IsClosed") for k in range(N_FLANGE)]
    variables = {name: ua.Variant(False, ua.VariantType.Boolean) for name in names}
    with TemporaryDirectory(prefix="twincell-bench-") as folder, PlcServer(variables) as plc:
        file = Path(folder) / "flanges.toml"
        file.write_text(_cell(plc.endpoint), encoding="utf-8")
        with running_cell(file) as cell:
            yield from _cuts(plc, cell, times)


def _cuts(plc: PlcServer, cell: Running, times: int) -> Iterator[float]:
    chance = random.Random(1)
    with Client(cell.endpoint) as client:
        sensors = [client.get_node(cell_id(f"Flange{k}.IsClosed")) for k in range(N_FLANGE)]
        inputs = [f"IsClosed{k}" for k in range(N_FLANGE)]
        up = [client.get_node(cell_id("Plc1.Connected"))]
        counter = [client.get_node(cell_id("Plc1.Reconnects"))]
        _until([True], lambda: client.read_values(up), "the first connection")
        (count,) = client.read_values(counter)
        for turn in range(count + 1, count + times + 1):
            wanted = [chance.random() < 0.5 for _ in range(N_FLANGE)]
            began_s = time.monotonic()
            plc.cut()
            time.sleep(chance.uniform(0.0, 0.05))  # some changes come before the bridge is back
            for k, value in enumerate(wanted):
                plc[f"Close{k}"] = value
            _until([turn], lambda: client.read_values(counter), f"reconnect {turn}")
            _until(wanted, lambda: client.read_values(sensors), f"commands of reconnect {turn}")
            _until(wanted, lambda: [plc[name] for name in inputs], f"feedback of reconnect {turn}")
            yield time.monotonic() - began_s


def _until(wanted: list[Any], look: Callable[[], list[Any]], what: str) -> None:
    until_s = time.monotonic() + WAIT_S
    while (found := look()) != wanted:
        if time.monotonic() > until_s:
            raise Lost(f"{what}: {found} instead of {wanted}")
        time.sleep(0.005)


def _cell(endpoint: str) -> str:
    flanges = "".join(
        f"""
[collision_object.Flange{k}]
on = "Rack"
mode = "control"
sphere = {{ radius_m = 0.1 }}
"""
        for k in range(N_FLANGE)
    )
    wires = [
        f'{{ node = "nsu=urn:plc;s=Close{k}", signal = "Flange{k}.Closed" }}'
        for k in range(N_FLANGE)
    ]
    back = [
        f'{{ node = "nsu=urn:plc;s=IsClosed{k}", signal = "Flange{k}.IsClosed" }}'
        for k in range(N_FLANGE)
    ]
    return f"""
name = "Twelve flanges"
[frame.Rack]
{flanges}
[[bridge]]
name = "Plc1"
endpoint = "{endpoint}"
security = "None"
command = [{", ".join(wires)}]
feedback = [{", ".join(back)}]
"""


if __name__ == "__main__":
    wanted_times = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    try:
        taken_s = list(track(reconnects(wanted_times), "cutting ...", total=wanted_times))
    except Lost as lost:
        sys.exit(f"lost: {lost}")
    print(f"{2 * N_FLANGE} signals, {len(taken_s)} reconnects, no last value lost;")
    print(
        f"until both sides were up to date: {median(taken_s):.2f} s, at most {max(taken_s):.2f} s"
    )

"""What subscriptions cost that nobody listens to: their sessions have ended, they have not."""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from asyncua import ua

from bench.result import Result
from bench.ua_cells import WAITING_FLANGE
from bench.ua_client import UaClient
from bench.ua_effect import NoEffect
from bench.ua_processes import cpu_s
from bench.ua_running import running_cell
from twincell.server.opcua.space.namespaces import CELL

MANY, EACH = 1000, 100  # of all, and of each session
PUBLISHING_MS = 5.0
LIFETIME = 110_000  # cycles: almost the longest, as a busy machine takes minutes to make them all
LIMITS = "server.limits.subscriptions = 10000  # one client may have a part of them\n"
PARTNER = ua.NodeId("Tool1.Partner", CELL)
COUNT = ua.NodeId(
    ua.ObjectIds.Server_ServerDiagnostics_ServerDiagnosticsSummary_CurrentSubscriptionCount
)
SECONDS = 10.0


def orphans() -> Iterator[Result]:
    """Cores that a thousand of them take, beyond what the server takes with nobody there."""
    with TemporaryDirectory(prefix="twincell-bench-") as folder:
        file = Path(folder) / "flange.toml"
        file.write_text(LIMITS + WAITING_FLANGE, encoding="utf-8")
        with running_cell(file) as cell:
            alone = _cores(cell.serving_pid)
            for _ in range(MANY // EACH):
                _leave_behind(cell.endpoint)
            _check(cell.endpoint)
            yield Result("ua_orphans_core_share", _cores(cell.serving_pid) - alone, "cores")


def _leave_behind(endpoint: str) -> None:
    """Subscribe, log out and delete nothing."""
    client = UaClient(endpoint, "leaving")
    try:
        for _ in range(EACH):
            client.subscribe([PARTNER], PUBLISHING_MS, lifetime=LIFETIME)
    finally:
        client.close(delete_subscriptions=False)


def _check(endpoint: str) -> None:
    """All of them are there."""
    client = UaClient(endpoint, "counting")
    (count,) = client.read([COUNT])
    client.close()
    if count != MANY:
        raise NoEffect(f"{count} subscriptions are left alone, not {MANY}")


def _cores(pid: int) -> float:
    """Cores that a process takes."""
    time.sleep(1.0)  # what came before is over
    before_s, began = cpu_s(pid), time.monotonic()
    time.sleep(SECONDS)
    return (cpu_s(pid) - before_s) / (time.monotonic() - began)

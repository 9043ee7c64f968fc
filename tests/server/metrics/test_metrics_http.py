"""A running cell tells how it is over HTTP, also to clients that behave badly."""

import os
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from asyncua import Client, ua
from prometheus_client.parser import text_string_to_metric_families

from tests.server.conftest import SMALL_CELL
from tests.server.metrics.asking import ask, health, metrics
from tests.server.running_cell import RunningCell, running, wait_until
from twincell.server.metrics.http_server import LONGEST_HEAD, MOST_CONNECTIONS


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCell]:
    folder: Path = tmp_path_factory.mktemp("metrics")
    (folder / "small.toml").write_text(SMALL_CELL, encoding="utf-8")
    with running(folder, "small.toml", "--port", 0, "--metrics", 0, "--no-demo") as made:
        yield made


@pytest.fixture(scope="module")
def url(cell: RunningCell) -> str:
    """Where it says that it tells."""
    assert cell.process.stdout
    for line in cell.process.stdout:
        if line.startswith("metrics:"):
            return line.split()[1].removesuffix("/metrics,")
    raise AssertionError("it does not say where")


def test_a_cell_that_ticks_is_well_and_counts(url: str) -> None:
    assert health(url) == (200, {"status": "ok", "state": "running"})
    # its timeline lets the flange take the tool from the holder and drop it after a second
    wait_until(lambda: metrics(url)["twincell_released_total"] == 1)
    told = metrics(url)
    assert told["twincell_handed_over_total"] == 1
    assert told["twincell_healthy"] == told["twincell_state{state=running}"] == 1
    assert told["twincell_tick_rate_hertz"] > 100  # 1000 on a machine with time for it
    # every tick is looked at; those since the look are the next ones
    assert told["twincell_unwatched_ticks_total"] == 0
    late, ticks = told["twincell_tick_lateness_seconds_count"], told["twincell_ticks_total"]
    assert 0.9 * ticks < late <= ticks
    assert told["twincell_tick_lateness_seconds_bucket{le=+Inf}"] == late
    assert told["twincell_simulated_seconds"] > 1.0


def test_the_page_on_metrics_lists_every_one_of_them_and_no_other(url: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "use" / "metrics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_]+)` \| (info|gauge|counter|histogram) \|", page, re.MULTILINE)
    families = text_string_to_metric_families(ask(f"{url}/metrics").body)
    found = {}
    for family in families:
        name = family.name.removeprefix("twincell_").removeprefix("twincell")
        found[f"{name}_total" if family.type == "counter" else name] = family.type
    assert found == {**dict(rows), "info": "gauge"}  # as the text format writes it


def test_prometheus_chooses_the_format_and_other_paths_lead_nowhere(url: str) -> None:
    open_metrics = ask(f"{url}/metrics", "application/openmetrics-text; version=1.0.0")
    assert open_metrics.kind.startswith("application/openmetrics-text")
    assert open_metrics.body.endswith("# EOF\n")
    assert ask(f"{url}/metrics").kind.startswith("text/plain")
    assert ask(f"{url}/secrets") == (
        404,
        "text/plain; charset=utf-8",
        "there are /metrics and /health\n",
    )


async def test_clients_and_the_samples_that_they_get_or_not_are_counted(
    cell: RunningCell, url: str
) -> None:
    class Deaf:
        def datachange_notification(self, *_: object) -> None:
            pass

    async with Client(cell.url) as client:
        subscription = await client.create_subscription(500.0, Deaf())
        index = await client.get_namespace_index("urn:twincell:cell")
        node = client.get_node(ua.NodeId("Simulation.Tick", index))
        # of 500 samples in an interval, ten find room
        await subscription.subscribe_data_change(node, queuesize=10, sampling_interval=1.0)
        wait_until(
            lambda: metrics(url)["twincell_opcua_samples_dropped_total{reason=queue_full}"] > 100
        )
        told = metrics(url)
        assert told["twincell_opcua_subscriptions"] == told["twincell_opcua_monitored_items"] == 1
        assert told["twincell_opcua_connections"] == told["twincell_opcua_sessions"] == 1
        assert told["twincell_opcua_samples_sent_total"] >= 10
    wait_until(lambda: metrics(url)["twincell_opcua_connections"] == 0)


async def test_a_pause_on_purpose_is_no_illness(cell: RunningCell, url: str) -> None:
    async with Client(cell.url) as client:
        index = await client.get_namespace_index("urn:twincell:cell")
        simulation = client.get_node(ua.NodeId("Simulation", index))
        await simulation.call_method(ua.NodeId("Simulation.Pause", index))
        status, told = health(url)
        assert (status, told["state"]) == (200, "paused")
        assert "on purpose" in told["note"]
        await simulation.call_method(ua.NodeId("Simulation.Resume", index))
    assert health(url)[1]["state"] == "running"


def test_a_loop_that_hangs_is_told_and_its_restart_is_counted(cell: RunningCell, url: str) -> None:
    os.kill(cell.child("twincell loop"), signal.SIGSTOP)
    wait_until(lambda: health(url)[0] == 503)
    _, told = health(url)
    assert told["status"] == "failing"
    assert "real-time process" in told["reason"]  # gives no sign of life, or is not up any more
    wait_until(lambda: health(url)[0] == 200)  # the supervisor has started another one
    assert metrics(url)["twincell_process_restarts_total{process=loop}"] == 1


def test_metrics_that_die_come_back_at_the_same_port(cell: RunningCell, url: str) -> None:
    os.kill(cell.child("twincell metric"), signal.SIGKILL)
    wait_until(lambda: "the metrics process ended (signal 9); started again" in cell.notes)
    assert health(url)[0] == 200  # who asked meanwhile was made to wait, not refused
    assert metrics(url)["twincell_process_restarts_total{process=metric}"] == 1


def test_idle_slow_and_talkative_clients_keep_nobody_out(url: str) -> None:
    port = int(url.rpartition(":")[2])
    with ExitStack() as open_ones:
        for number in range(3 * MOST_CONNECTIONS):
            one = open_ones.enter_context(socket.create_connection(("127.0.0.1", port), 30))
            if number % 3 == 1:
                one.sendall(b"GET /met")  # and never the rest
        assert health(url)[0] == 200
        assert "twincell_ticks_total" in metrics(url)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x00\xff\r\n\r\n", b"400"),
        (b"GET /metrics HTTP/1.1\r\n\r\n", b"400"),  # names no host
        (b"DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n", b"405"),
        (b"GET /" + b"a" * 2 * LONGEST_HEAD, b"431"),
    ],
    ids=["garbage", "no host", "another method", "an endless head"],
)
def test_what_is_no_question_gets_a_short_answer(url: str, sent: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 30) as client:
        client.sendall(sent)
        assert client.recv(100).startswith(b"HTTP/1.1 " + status + b" ")
    assert health(url)[0] == 200

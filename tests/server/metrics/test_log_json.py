"""Lines for programs: what a cell says in JSON, and what its health is when it has failed."""

import json
import socket
import subprocess
from pathlib import Path

from tests.server.metrics.asking import health, metrics
from tests.server.running_cell import wait_until
from tests.server.twincell_command import command, environment, run_in


def test_a_cell_whose_mechanics_fail_says_so_in_json_and_its_health_fails(
    exploding_cell: Path,
) -> None:
    arguments = ("run", exploding_cell, "--port", 0, "--metrics", 0, "--lab", "--log-json")
    with (
        (exploding_cell.parent / "notes").open("w+") as notes,
        subprocess.Popen(
            command(*arguments, "--log-level", "debug"),
            cwd=exploding_cell.parent,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=notes,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout
            head = []
            while not head or not head[-1]["message"].startswith("to stop"):
                head.append(json.loads(process.stdout.readline()))
            (url,) = [
                one["message"].split()[1].removesuffix("/metrics,")
                for one in head
                if one["message"].startswith("metrics:")
            ]
            wait_until(lambda: "the cell has stopped: Bullet: " in health(url)[1].get("reason", ""))
            assert health(url)[0] == 503
            assert metrics(url)["twincell_faults_total"] == 1
            assert metrics(url)["twincell_state{state=fault}"] == 1
            server = head[0]["message"].removeprefix("ready: ")
            assert run_in(exploding_cell.parent, "read", server, "Simulation.Fault").code == 0
        finally:
            process.terminate()
            assert process.wait(60) == 143
        notes.seek(0)
        said = [*head, *map(json.loads, notes)]
    assert {tuple(one) for one in said} == {("time", "level", "process", "message")}
    assert head[0]["message"].startswith("ready: opc.tcp://localhost:")
    warning = next(one for one in head if one["message"].startswith("WARNING"))
    assert (warning["level"], warning["process"]) == ("warning", "supervisor")
    assert any(one["process"] == "opcua" for one in said)  # of the session that has read


def test_a_port_of_metrics_that_is_taken_is_refused_before_anything_takes_time(twincell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = twincell("run", "tool_change_single", "--port", 0, "--metrics", port)
        told = twincell("run", "tool_change_single", "--port", 0, "--metrics", port, "--log-json")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"port {port} is in use: another twincell, or another exporter of metrics\n"
        "  hint: stop it, or take another port with --metrics (0 takes a free one)\n"
    )
    assert (told.code, told.out) == (2, "")
    line = json.loads(told.err)
    assert (line["level"], line["process"]) == ("error", "supervisor")
    assert line["message"] == " ".join(ended.err.split())


def test_one_port_cannot_be_both(twincell) -> None:
    ended = twincell("run", "tool_change_single", "--port", 4850, "--metrics", 4850)
    assert ended.code == 2
    assert ended.err.startswith("--metrics 4850: is the port of OPC UA\n  hint: ")

"""A PLC that is a server changes a tool: the example of the documentation, in its own process."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from asyncua import ua

from bench.plc_server import PlcServer
from tests.server.bridge.bridged_cell import bridged
from tests.server.bridge.plc_variables import as_in_the_documentation
from tests.server.bridge.tool_change import CELL, PORT, change_tool
from tests.server.running_cell import PATIENCE_S, wait_until
from tests.server.twincell_command import Ended, command
from twincell.server.files.cells import find_cell
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.roles import Role
from twincell.server.security.users import Users

PLC = Path(__file__).parents[3] / "docs" / "plc" / "plc_server.py"


def free_port() -> int:
    with PlcServer({}) as plc:
        return plc.port


def test_the_plc_of_the_documentation_changes_the_tool_over_the_bridge(tmp_path):
    port = free_port()
    plc = subprocess.Popen(
        [sys.executable, PLC, str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert plc.stdout
        assert plc.stdout.readline() == f"the PLC listens at opc.tcp://127.0.0.1:{port}\n"
        change_tool(tmp_path, port)
        said, _ = plc.communicate(timeout=PATIENCE_S)
        assert said.splitlines()[-1] == "the tool was changed"
        assert plc.returncode == 0
    finally:
        plc.kill()
        plc.wait()


# ---------------------------------------------------------------- security: a cell plays the PLC

PEER = """
[[bridge]]
name = "Other"
endpoint = "{endpoint}"
user = "bridge"
password_file = "secret.txt"
[[bridge.command]]
node = "nsu=urn:twincell:cell;s=Tool1.Constrained"
signal = "Robot1Flange.Closed"
[[bridge.feedback]]
node = "nsu=urn:twincell:cell;s=Robot1Flange.Closed"
signal = "Robot1Flange.IsClosed"
"""
PASSWORD = "a long password"


def test_a_controller_is_trusted_before_it_is_told_anything(tmp_path, monkeypatch):
    """Encrypted, with a user: refused until it is accepted, on both sides; the cell goes on."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    text = find_cell("tool_change_single").read_text(encoding="utf-8")
    for folder in (ours, theirs):
        folder.mkdir()

    def twincell(folder: Path, *words: object) -> str:
        ended = subprocess.run(
            command(*words),
            cwd=folder,
            env={**os.environ, "TWINCELL_SECURITY": str(folder / "security")},
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.stdout + ended.stderr

    def accept(folder: Path) -> None:
        """Trust what was rejected there."""
        entries = [
            line for line in twincell(folder, "trust", "list").splitlines() if "rejected" in line
        ]
        for line in entries:
            assert "trusted" in twincell(folder, "trust", "accept", line.split()[-1])
        assert entries

    Users(SecurityFolder(theirs / "security").users).add("bridge", Role.OPERATOR, PASSWORD)
    monkeypatch.setenv("TWINCELL_SECURITY", str(theirs / "security"))
    with bridged(theirs, text, "--no-demo", lab=False) as other:
        monkeypatch.setenv("TWINCELL_SECURITY", str(ours / "security"))
        endpoint = other.cell.url
        with bridged(ours, text + PEER.format(endpoint=endpoint), lab=False) as cell:
            cell.until_said(f"bridge Other: not connected: the password file {ours / 'secret.txt'}")
            (ours / "secret.txt").write_text("a wrong password\n", encoding="utf-8")
            cell.until_said("is not trusted here: to let it in, run: twincell trust accept")
            accept(ours)
            cell.until_said(f"{endpoint}: does not trust our certificate; in the controller's")
            accept(theirs)
            cell.until_said(f"{endpoint}: does not let bridge in; a wrong password?")
            (ours / "secret.txt").write_text(PASSWORD + "\n", encoding="utf-8")
            cell.until("Other.Connected", True)
            cell.until("Robot1Flange.Closed", True)
            wait_until(lambda: other["Robot1Flange.Closed"] is True)
            assert cell["Simulation.State"] == "Running"
            checked = twincell(ours, "bridge", "check", ours / "bridged.toml")
            assert "Aes256_Sha256_RsaPss, SignAndEncrypt, user bridge" in checked


# ---------------------------------------------------------------- twincell bridge check


def test_check_lists_every_wire_and_says_what_is_wrong_with_remedies(
    tmp_path: Path, twincell: Callable[..., Ended]
):
    file = tmp_path / "checked.toml"
    variables = as_in_the_documentation()
    plc = PlcServer(variables | {"RobotX": ua.Variant("", ua.VariantType.String)})
    plc.read_only, plc.missing = {"Sensors"}, {"Tick"}
    with plc:
        text = CELL.read_text(encoding="utf-8").replace(PORT, f"127.0.0.1:{plc.port}")
        file.write_text(text, encoding="utf-8")
        ended = twincell("bridge", "check", file)
        assert ended.code == 1
        rows = {re.split(r"\s{2,}", line)[1]: line for line in ended.out.splitlines()[1:]}
        assert len(rows) == 10
        assert rows["connection"].endswith("ok")
        assert rows["nsu=urn:plc;s=Close -> Robot1Flange.Closed"].endswith("ok")
        assert "6 of 10 ok" in ended.err
        for problem, remedy in (
            ("s=Tick: there is no such node (BadNodeIdUnknown)", "look its node ids up there"),
            ("s=RobotX: is a String, and Robot1.Pose.X a Double", "name a node that is a number"),
            ("s=Sensors bit 0: we may not write it", "in the controller's project"),
        ):
            (place,) = [k for k, line in enumerate(ended.err.splitlines()) if problem in line]
            assert remedy in ended.err.splitlines()[place + 1]
        assert plc["Close"] is False  # nothing was written
        told = json.loads(twincell("bridge", "check", file, "--json").out)
        assert [line["ok"] for line in told].count(False) == 4
    ended = twincell("bridge", "check", file)
    assert ended.code == 1
    assert f"127.0.0.1:{plc.port}: connection refused\n  hint: is it switched on" in ended.err


def test_check_of_a_good_bridge_is_content_and_of_a_cell_without_one_refuses(
    tmp_path: Path, twincell: Callable[..., Ended]
):
    with PlcServer(as_in_the_documentation()) as plc:
        file = tmp_path / "checked.toml"
        text = CELL.read_text(encoding="utf-8").replace(PORT, f"127.0.0.1:{plc.port}")
        file.write_text(text, encoding="utf-8")
        ended = twincell("bridge", "check", file)
        assert ended.code == 0, ended.err
        assert "10 of 10 ok" in ended.err
    ended = twincell("bridge", "check", "first_cell")
    assert ended.code == 2
    assert "has no [[bridge]]" in ended.err

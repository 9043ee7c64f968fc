"""The bridge against an OPC UA server of another stack, which plays the PLC."""

import json
import os
import subprocess
from pathlib import Path

from tests.node.player import INSTALLED
from tests.server.bridge.tool_change import change_tool

PLC = Path(__file__).parent / "plc.js"


def test_a_plc_of_node_opcua_changes_the_tool_over_the_bridge(tmp_path):
    assert INSTALLED.exists(), "npm has yet to install node-opcua-server: `make test` does it"
    with (tmp_path / "node.txt").open("wb") as notes:
        plc = subprocess.Popen(
            ["node", PLC],
            # the library keeps a certificate where a user's settings are
            env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=notes,
            text=True,
        )
    try:
        assert plc.stdout
        port = json.loads(plc.stdout.readline())["port"]
        change_tool(tmp_path, port)
        steps = [json.loads(plc.stdout.readline())["step"] for _ in range(5)]
        assert steps == [10, 20, 30, 40, 50]
    finally:
        plc.kill()
        plc.wait()
        assert plc.stdout
        plc.stdout.close()

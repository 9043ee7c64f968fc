"""The same AWL program behind our bridge: an OPC UA server in front of it has its variables."""

import os
from pathlib import Path

from tests.plc import first_cell, robot
from tests.plc.awl_plc import AwlPlc
from tests.plc.bridge_coupling import coupled
from tests.plc.capture import captured

CHANGES = int(os.environ.get("TWINCELL_PLC_CHANGES", "2"))
# the flange of first_cell waits for nobody: at half speed a busy machine has a second to spare
UNHURRIED, QUICK = 0.5, 4.0
WRITE, PUBLISH = 673, 826  # messages of OPC UA, as OPC 10000-6 numbers their binary encodings


def test_tools_are_changed_on_the_first_cell_over_the_bridge_without_a_missed_one(
    plc: AwlPlc, tmp_path: Path
) -> None:
    with coupled(tmp_path, "first_cell", plc, UNHURRIED) as (coupling, _):
        first_cell.change_tools(coupling, CHANGES)


def test_tools_are_changed_by_the_arm_over_the_bridge_without_a_malformed_packet(
    plc: AwlPlc, tmp_path: Path
) -> None:
    with (
        coupled(tmp_path, "tool_changer_atc", plc, QUICK) as (coupling, server),
        captured(tmp_path, server.port) as packets,
    ):
        robot.change_tools(coupling, CHANGES)
    assert {WRITE, PUBLISH} <= packets.services()
    assert packets.malformed() == []

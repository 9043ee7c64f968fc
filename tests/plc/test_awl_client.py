"""An AWL program in awlsim changes tools, as a client of the cell."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.plc import first_cell, robot
from tests.plc.awl_plc import AwlPlc
from tests.plc.capture import captured
from tests.plc.client_coupling import ClientCoupling
from tests.plc.image import ALARM, CHANGER, HAS_TOOL
from tests.plc.robot import ABOVE_M, AT_S, AT_TOOL_M, Robot
from twincell import CellUnderTest
from twincell.server.cli.scenario_file import SHIPPED
from twincell.server.kit.scenario import Scenario
from twincell.server.kit.scenario_load import load_scenario

CHANGES = int(os.environ.get("TWINCELL_PLC_CHANGES", "2"))
SCENARIOS = (  # of the tool changer, whose faults the program survives
    *("air_lost_before_locking", "power_fails", "bus_fails"),
    *("locked_sensor_stuck", "stand_channels_disagree"),
)
# messages of OPC UA, as OPC 10000-6 numbers their binary encodings
READ, WRITE, CALL, PUBLISHED = 631, 673, 712, 829


@pytest.mark.cell("first_cell")
def test_tools_are_changed_on_the_first_cell_without_a_missed_one_or_a_malformed_packet(
    cell: CellUnderTest, plc: AwlPlc, tmp_path: Path
) -> None:
    with captured(tmp_path, int(cell.connection.url.rpartition(":")[2])) as packets:
        first_cell.change_tools(ClientCoupling(cell, plc), CHANGES)
    assert {READ, WRITE, CALL, PUBLISHED} <= packets.services()
    assert packets.malformed() == []


@pytest.mark.cell("tool_changer_atc")
def test_tools_are_changed_by_the_arm_without_a_missed_one(
    cell: CellUnderTest, plc: AwlPlc
) -> None:
    robot.change_tools(ClientCoupling(cell, plc), CHANGES)


def fault_of(scenario: Scenario) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a scenario breaks, and how its changer tells of it."""
    levers = {lever: value for step in scenario.step for lever, value in step.fault.items()}
    told = {
        signal: value
        for step in scenario.step
        for signal, value in step.expect.items()
        if signal in (f"{CHANGER}.Fault", f"{CHANGER}.FaultCode")
    }
    assert levers and told
    return levers, told


@pytest.mark.cell("tool_changer_atc")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_shipped_fault_alarms_and_once_it_is_cleared_and_acknowledged_the_change_goes_on(
    cell: CellUnderTest, plc: AwlPlc, name: str
) -> None:
    levers, told = fault_of(load_scenario(SHIPPED / "tool_changer" / f"{name}.toml"))
    coupling = ClientCoupling(cell, plc)
    arm = Robot(coupling)
    arm.go("Gripper", ABOVE_M)
    for lever, value in levers.items():
        cell.fault(lever, value)
    arm.go("Gripper", AT_TOOL_M)
    coupling.until(lambda: coupling.outputs.has(ALARM), AT_S)
    assert {signal: cell[signal] for signal in told} == told
    cell.stays("Gripper.Constrained", True, for_s=1.0)  # whatever is broken, nothing falls
    cell.clear_faults()

    coupling.acknowledge(AT_S)
    coupling.until(lambda: coupling.outputs.has(HAS_TOOL), AT_S)
    arm.go("Gripper", ABOVE_M)
    assert cell["Gripper.Partner"] == "Robot1Flange"
    arm.bring_back("Gripper")
    assert cell["Gripper.Partner"] == "Holder1"
    assert coupling.outputs.changes == 1

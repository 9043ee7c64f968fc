"""A bridge between a running cell and a real OPC UA server that plays the PLC."""

import math
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from asyncua import ua

from bench.plc_server import PlcServer
from bench.ua_cells import WAITING_FLANGE
from tests.server.bridge.bridged_cell import BridgedCell, bridged
from tests.server.running_cell import wait_until
from twincell.server.opcua.space.namespaces import cell_id

GANTRY = Path(__file__).parents[3] / "config" / "robots" / "gantry.toml"
Type = ua.VariantType
VARIABLES = {
    "Close": ua.Variant(False, Type.Boolean),
    "Valves": ua.Variant(0, Type.UInt16),
    "Target_mm": ua.Variant(100.0, Type.Float),
    "Count": ua.Variant(3, Type.Int64),
    "Text": ua.Variant("", Type.String),
    "Late": ua.Variant(0.0, Type.Double),
    "Status": ua.Variant(0, Type.Int16),
    "Force": ua.Variant(0.0, Type.Float),
    "Partner": ua.Variant("", Type.String),
    "Tiny": ua.Variant(0, Type.SByte),
    "ReadOnly": ua.Variant(False, Type.Boolean),
}
BRIDGE = """
[robot.Gantry]
model = "{gantry}"
[controller]
silence_s = 0.5
[[bridge]]
name = "Plc1"
endpoint = "{endpoint}"
security = "None"
command = [
  {{ node = "nsu=urn:plc;s=Close", signal = "Robot1Flange.Closed" }},
  {{ node = "ns=2;s=Valves", signal = "Gantry.Stop", bit = 2, invert = true }},
  {{ node = "ns=2;s=Target_mm", signal = "Gantry.JointTarget.1", scale = 0.001, offset = 0.05 }},
  {{ node = "ns=2;s=Count", signal = "Gantry.JointSetPoint" }},
  {{ node = "ns=2;s=Late", signal = "Gantry.JointTarget.2" }},
  {{ node = "ns=2;s=Text", signal = "Gantry.TcpSetPoint" }},
]
feedback = [
  {{ node = "ns=2;s=Status", signal = "Tool1.Constrained", bit = 0 }},
  {{ node = "ns=2;s=Status", signal = "Robot1Flange.IsClosed", bit = 15 }},
  {{ node = "ns=2;s=Force", signal = "Tool1.Force.Z", scale = 1000 }},
  {{ node = "ns=2;s=Partner", signal = "Tool1.Partner" }},
  {{ node = "ns=2;s=Tiny", signal = "Tool1.Force.Z", scale = 100 }},
  {{ node = "ns=2;s=ReadOnly", signal = "Tool1.Constrained" }},
]
"""
BROKEN = 3  # of these, once Late is there: Text, Tiny, ReadOnly
HELD, CLOSED = 1, -(2**15) | 1  # Status: bit 0; bits 0 and 15 of an Int16


class Bench(SimpleNamespace):
    """The PLC and the cell."""

    plc: PlcServer
    cell: BridgedCell


def until(plc: PlcServer, name: str, value: int) -> None:
    wait_until(lambda: plc[name] == value)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    plc = PlcServer(VARIABLES)
    plc.read_only, plc.missing = {"ReadOnly"}, {"Late"}
    with plc:
        text = WAITING_FLANGE + BRIDGE.format(gantry=GANTRY, endpoint=plc.endpoint)
        with bridged(tmp_path_factory.mktemp("bridge"), text) as cell:
            cell.until("Plc1.Connected", True)
            yield Bench(plc=plc, cell=cell)


def test_values_go_both_ways_converted_packed_and_scaled(bench):
    plc, cell = bench.plc, bench.cell
    cell.until("Gantry.JointTarget.1", pytest.approx(0.15, abs=1e-6))  # a Float has 24 bits
    cell.until("Gantry.JointSetPoint", 3)
    cell.until("Gantry.Stop", True)
    plc["Close"], plc["Valves"] = True, 0b100
    cell.until("Tool1.Partner", "Robot1Flange")
    cell.until("Gantry.Stop", False)
    wait_until(lambda: plc["Status"] == CLOSED and plc["Partner"] == "Robot1Flange")
    assert plc["Force"] == pytest.approx(9810, rel=1e-3)  # its weight, in mN
    assert cell["Cell.Control"] == "bridge Plc1"
    assert cell["Plc1.Endpoint"] == plc.endpoint
    plc["Close"] = False
    wait_until(lambda: plc["Status"] == HELD)


def test_wires_that_cannot_work_are_named_with_a_remedy_and_the_others_work(bench):
    for line in (
        "ns=2;s=Late -> Gantry.JointTarget.2: there is no such node (BadNodeIdUnknown); look",
        "ns=2;s=Text -> Gantry.TcpSetPoint: is a String, and Gantry.TcpSetPoint a Int32; name a",
        "Tool1.Constrained -> ns=2;s=ReadOnly: we may not write it; let",
        "Tool1.Force.Z -> ns=2;s=Tiny: 981 is out of the range of SByte: the last value stays;",
    ):
        bench.cell.until_said(f"bridge Plc1: {line}")
    bench.cell.until("Plc1.Problems", BROKEN + 1)
    assert bench.plc["Tiny"] == 0


def test_a_node_that_appears_later_is_used_and_no_session_ends_for_it(bench):
    reconnects = bench.cell["Plc1.Reconnects"]
    bench.plc.add("Late")
    bench.plc["Late"] = 0.25
    bench.cell.until("Gantry.JointTarget.2", 0.25)
    bench.cell.until_said("ns=2;s=Late -> Gantry.JointTarget.2: works again")
    bench.cell.until("Plc1.Problems", BROKEN)
    assert bench.cell["Plc1.Reconnects"] == reconnects
    assert "has gone" not in bench.cell.cell.notes


def test_a_pulse_between_two_messages_is_not_lost(bench):
    class Heard(list):
        def datachange_notification(self, node, value, data):
            self.append(value)

    heard = Heard()
    subscription = bench.cell.panel.create_subscription(10, heard)
    node = bench.cell.panel.get_node(cell_id("Robot1Flange.Closed"))
    subscription.subscribe_data_change(node, queuesize=1000, sampling_interval=1)
    wait_until(lambda: heard == [False])
    for value in (True, False, True, False):
        bench.plc["Close"] = value
    wait_until(lambda: heard == [False, True, False, True, False])
    subscription.delete()


@pytest.mark.parametrize(
    ("name", "value", "said", "signal"),
    [
        ("Target_mm", ua.Variant(math.nan, Type.Float), "is nan", "Gantry.JointTarget.1"),
        ("Target_mm", ua.Variant(math.inf, Type.Float), "is inf", "Gantry.JointTarget.1"),
        ("Count", ua.Variant(2**31, Type.Int64), "out of the range of Int32", "JointSetPoint"),
    ],
)
def test_a_value_that_is_no_command_leaves_the_last_one_and_is_told(
    bench, name, value, said, signal
):
    before = bench.plc[name]
    bench.plc.write(name, ua.DataValue(value))
    wait_until(lambda: said in bench.cell["Plc1.LastError"])
    assert bench.cell["Plc1.Problems"] == BROKEN + 1
    assert bench.cell["Gantry.JointTarget.1"] == pytest.approx(0.15, abs=1e-6)
    assert bench.cell["Gantry.JointSetPoint"] == 3
    assert bench.cell["Simulation.State"] == "Running"
    bench.plc[name] = before
    bench.cell.until("Plc1.Problems", BROKEN)


def test_a_bad_value_of_the_controller_leaves_the_last_command_and_is_told(bench):
    bench.plc["Close"] = True
    bench.cell.until("Robot1Flange.Closed", True)
    bad = ua.StatusCode(ua.StatusCodes.BadSensorFailure)
    bench.plc.write("Close", ua.DataValue(ua.Variant(False, Type.Boolean), bad))
    bench.cell.until_said("the controller's value is BadSensorFailure: the last command stays")
    assert bench.cell["Robot1Flange.Closed"] is True
    bench.plc["Close"] = False
    bench.cell.until("Robot1Flange.Closed", False)
    bench.cell.until_said("nsu=urn:plc;s=Close -> Robot1Flange.Closed: works again")


def test_a_controller_that_changes_nothing_is_not_silent_for_too_long(bench):
    bench.cell.until("Simulation.ControllerLost", False)
    time.sleep(1.0)  # twice silence_s
    assert bench.cell["Simulation.ControllerLost"] is False
    assert bench.cell["Cell.Control"] == "bridge Plc1"


def test_a_reset_cell_gets_the_commands_of_the_controller_again(bench):
    bench.plc["Valves"] = 0  # turned round: Stop is on, which a reset would clear
    bench.cell.until("Gantry.Stop", True)
    bench.cell.call("Simulation.Reset")
    wait_until(lambda: bench.cell["Simulation.Time"] < 5.0)
    bench.cell.until("Gantry.Stop", True)
    bench.cell.until("Gantry.JointTarget.1", pytest.approx(0.15, abs=1e-6))


def test_a_restored_cell_gets_the_commands_of_the_controller_again(bench):
    bench.plc["Valves"] = 0b100  # Stop is off
    bench.cell.until("Gantry.Stop", False)
    snapshot = bench.cell.call("Simulation.Snapshot")
    bench.plc["Valves"] = 0
    bench.cell.until("Gantry.Stop", True)
    bench.cell.call("Simulation.Reset")
    bench.cell.until("Gantry.Stop", True)
    # the snapshot's tick is later than the cell's: time does not go back
    bench.cell.call("Simulation.Restore", ua.Variant(snapshot, Type.Int64))
    assert bench.cell["Simulation.Resets"] >= 2
    time.sleep(0.05)  # the row that was restored is there
    bench.cell.until("Gantry.Stop", True)


def test_the_last_values_survive_every_reconnect(bench):
    plc, cell = bench.plc, bench.cell
    before = cell["Plc1.Reconnects"]
    for turn in range(1, 11):
        plc.cut()
        plc["Close"], plc["Count"] = turn % 2 == 0, turn  # while nobody is connected, or nearly
        cell.until("Plc1.Reconnects", before + turn)
        cell.until("Gantry.JointSetPoint", turn)
        until(plc, "Status", CLOSED if turn % 2 == 0 else HELD)
    plc["Count"] = 3
    cell.until("Gantry.JointSetPoint", 3)


def test_a_lost_controller_is_told_and_comes_back_with_what_it_wants_then(bench):
    plc, cell = bench.plc, bench.cell
    plc["Close"] = True
    cell.until("Robot1Flange.Closed", True)
    plc.stop()
    cell.until("Plc1.Connected", False)
    cell.until("Simulation.ControllerLost", True)
    assert cell["Cell.Control"] == "nobody"
    wait_until(lambda: cell["Plc1.LastError"] == f"{plc.endpoint}: connection refused")
    assert cell["Robot1Flange.Closed"] is True  # the last command stays
    tick = cell["Simulation.Tick"]
    wait_until(lambda: cell["Simulation.Tick"] > tick)
    plc.read_only, plc.missing = set(), set()
    plc.start()
    cell.until("Plc1.Connected", True)
    cell.until("Simulation.ControllerLost", False)
    cell.until("Plc1.Problems", BROKEN - 1)
    cell.until_said("Tool1.Constrained -> ns=2;s=ReadOnly: works again")
    plc["Close"] = False


def test_feedback_is_bad_at_the_controller_while_the_loop_is_down(bench):
    os.kill(bench.cell.cell.child("twincell loop"), signal.SIGKILL)
    wait_until(lambda: bench.plc.found("Force").StatusCode.name == "BadNoCommunication")
    wait_until(lambda: bench.plc.found("Force").StatusCode.is_good())
    assert bench.plc["Force"] == pytest.approx(9810, rel=1e-3)
    bench.cell.until("Gantry.JointSetPoint", 3)


def test_a_bridge_that_dies_is_started_again(bench):
    os.kill(bench.cell.cell.child("twincell bridge"), signal.SIGKILL)
    bench.cell.until_said("the bridge Plc1 ended (signal 9); it starts again in 1 s")
    bench.cell.until("Plc1.Connected", True)


def test_a_bridge_that_hangs_has_no_controller_and_is_started_again(bench):
    bench.cell.until("Plc1.Connected", True)
    os.kill(bench.cell.cell.child("twincell bridge"), signal.SIGSTOP)
    bench.cell.until("Plc1.Connected", False)
    bench.cell.until_said("the bridge Plc1 ended (no sign of life); it starts again in")
    bench.cell.until("Plc1.Connected", True)


def test_the_bridge_outlives_our_own_server(bench):
    os.kill(bench.cell.cell.child("twincell opcua"), signal.SIGKILL)
    bench.cell.until_said("the OPC UA process ended (signal 9); started again")
    bench.plc["Close"] = True
    until(bench.plc, "Status", CLOSED)

"""Ranges of values, deadbands in percent of them, and what the numbers of codes mean."""

import math
from typing import Any

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.space.namespaces import cell_id
from twincell.sim.devices.tool_changer.signals import FAULTS, STATES

pytestmark = pytest.mark.asyncio(loop_scope="session")

TARGET, TARGETS = "Robot1.JointTarget.1", "Robot1.JointTarget"


def percent(deadband: float) -> ua.DataChangeFilter:
    return ua.DataChangeFilter(ua.DataChangeTrigger.StatusValue, ua.DeadbandType.Percent, deadband)


async def range_of(client: Client, name: str) -> tuple[float, float]:
    found = await client.get_node(cell_id(f"{name}.EURange")).read_value()
    return found.Low, found.High


async def write(cell: InProcess, client: Client, name: str, value: Any, type_: Any) -> None:
    await client.get_node(cell_id(name)).write_value(ua.DataValue(ua.Variant(value, type_)))
    cell.tick(1)


@pytest.mark.parametrize("name", [TARGET, TARGETS])
async def test_a_change_is_reported_beyond_its_share_of_the_range(
    cell: InProcess, client: Client, name: str
):
    low, high = await range_of(client, name)
    step = (high - low) / 100.0
    raw = RawClient(client)
    await raw.monitored(item(name, 1, filter_=percent(2.0)))
    await raw.hear(1, 1)
    start = await client.get_node(cell_id(TARGET)).read_value()
    for share in (1.9, 2.1, 3.9, 4.2, 2.15):  # of percent, from the start on
        await write(cell, client, TARGET, start + share * step, ua.VariantType.Double)
    await raw.hear(1, 4)
    first = [one[0] if isinstance(one, list) else one for one in raw.told(1)]
    assert first == pytest.approx([start + share * step for share in (0.0, 2.1, 4.2, 2.15)])


@pytest.mark.parametrize(
    ("name", "deadband", "status"),
    [
        (TARGET, 0.0, "Good"),
        (TARGET, 100.0, "Good"),
        ("Tool1.Pose.A", 1.0, "Good"),
        (TARGET, 100.1, "BadDeadbandFilterInvalid"),
        (TARGET, -1.0, "BadDeadbandFilterInvalid"),
        (TARGET, math.nan, "BadDeadbandFilterInvalid"),
        ("Tool1.Pose.X", 1.0, "BadMonitoredItemFilterUnsupported"),  # it may be anywhere
        ("Simulation.Speed", 1.0, "BadMonitoredItemFilterUnsupported"),
        ("Tool1.Pose", 1.0, "BadFilterNotAllowed"),
        ("Robot1Flange.Closed", 1.0, "BadFilterNotAllowed"),
    ],
)
async def test_what_has_no_range_has_no_percent(
    client: Client, name: str, deadband: float, status: str
):
    raw = RawClient(client)
    subscription = await raw.subscribe()
    (result,) = await raw.monitor(subscription, item(name, filter_=percent(deadband)))
    assert result.StatusCode.name == status


async def test_joints_have_the_range_of_their_limits(cell: InProcess, client: Client):
    for k, axis in enumerate(cell.cell.spec.robot_models["Robot1"].axes, start=1):
        for quantity in ("JointTarget", "JointPosition", "JointReference"):
            assert await range_of(client, f"Robot1.{quantity}.{k}") == (axis.lower, axis.upper)
        speed = await range_of(client, f"Robot1.JointVelocity.{k}")
        assert speed == (-axis.velocity, axis.velocity)
        effort = await range_of(client, f"Robot1.JointTorque.{k}")
        assert effort == (-axis.effort, axis.effort)


async def test_the_codes_of_a_changer_are_words_and_have_texts():
    async with InProcess("tool_changer_atc") as cell:
        client = await cell.client()
        for name, texts in (("StateCode", STATES), ("FaultCode", FAULTS)):
            node = client.get_node(cell_id(f"Changer1.{name}"))
            assert await node.read_data_type_as_variant_type() is ua.VariantType.UInt16
            listed = await client.get_node(cell_id(f"Changer1.{name}.EnumStrings")).read_value()
            assert [one.Text for one in listed] == [text or "none" for text in texts]
            code = await node.read_value()
            assert listed[code].Text in (texts[code], "none")
        supply = cell.cell.spec.tool_changer["Changer1"].supply_bar
        assert await range_of(client, "Changer1.AirPressure") == (0.0, supply)


async def test_words_of_a_changer_are_16_bits():
    async with InProcess("tool_changer_atc") as cell:
        client = await cell.client()
        name = "Changer1.ToolOutputs"
        await write(cell, client, name, 0xFFFF, ua.VariantType.UInt16)
        raw = RawClient(client)
        await raw.monitored(item(name, 1))
        (heard,) = await raw.hear(1, 1)
        assert (heard.Value.Value, heard.Value.VariantType) == (0xFFFF, ua.VariantType.UInt16)
        with pytest.raises(ua.uaerrors.BadTypeMismatch):
            await write(cell, client, name, 1, ua.VariantType.Int32)
        for word in ("ToolInputs", "BadSignals", "Truth.ToolOutputs"):
            node = client.get_node(cell_id(f"Changer1.{word}"))
            assert await node.read_data_type_as_variant_type() is ua.VariantType.UInt16

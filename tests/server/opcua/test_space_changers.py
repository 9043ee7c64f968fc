"""Tool changers in the address space: their I/O, and apart from it truth and fault levers."""

from pathlib import Path

import pytest
from asyncua import ua

from tests.server.opcua.asking import change, read_value, write
from tests.server.opcua.built_space import shipped
from tests.server.opcua.in_process import InProcess
from twincell.server.opcua.space.namespaces import cell_id, type_id
from twincell.sim.devices.tool_changer.signals import (
    COMMANDS,
    FEEDBACK,
    LEVERS,
)

NAMES = [declared[0] for declared in (*COMMANDS, *LEVERS, *FEEDBACK)]


def of_folder(folder: str) -> set[str]:
    return {name.partition(".")[2] for name in NAMES if name.partition(".")[0] == folder} - {""}


@pytest.mark.parametrize("owner", [cell_id("Changer1"), type_id("ToolChangerType")])
def test_a_changer_and_its_type_have_io_truth_and_levers_apart(owner):
    built = shipped("first_cell")
    below = built.children(owner)
    io = {name for name in NAMES if "." not in name}
    assert set(below) == io | {"Truth", "Faults", "Flange"}
    assert set(built.children(below["Truth"])) == of_folder("Truth")
    assert set(built.children(below["Faults"])) == of_folder("Fault")


def test_nodes_are_called_like_their_signals():
    built = shipped("first_cell")
    for signal in built.signals:
        assert cell_id(signal.name) in built.aspace
    folder = built.children(cell_id("Cell"))["ToolChangers"]
    assert built.children(folder)["Changer1"] == cell_id("Changer1")
    assert built.value("Changer1.Flange") == "Flange"


def test_only_commands_can_be_written():
    built = shipped("first_cell")
    commands = {f"Changer1.{name}" for name, *_ in COMMANDS}
    for signal in built.signals:
        level = built.attribute(cell_id(signal.name), ua.AttributeIds.AccessLevel)
        assert level == (3 if signal.name in commands else 1), signal.name


@pytest.mark.asyncio(loop_scope="session")
async def test_a_plc_locks_a_tool_through_valves_and_sensors() -> None:
    """In the cell of the tutorial, driven by a client as a PLC would."""
    async with InProcess("first_cell") as cell:
        client = await cell.client()
        cell.tick(2600)  # the mover has brought the flange down to the tool
        assert await read_value(client, "Changer1.State") == "ReadyToLock"
        closed = await write(client, change("Flange.Closed", True))
        assert closed == ["BadNodeIdUnknown"]
        assert await write(client, change("Changer1.LockValve", True)) == ["Good"]
        cell.tick(302)
        assert await read_value(client, "Changer1.State") == "LockedTool"
        assert await read_value(client, "Changer1.StateCode") == 3
        assert await read_value(client, "Changer1.ToolId") == 3
        assert await read_value(client, "Changer1.FaultText") == ""
        assert await read_value(client, "Gripper.Partner") == "Flange"
        bad = await write(client, change("Changer1.Locked", False))
        assert bad == ["BadNotWritable"]
        await write(client, change("Changer1.UnlockValve", True))
        cell.tick(2)
        assert await read_value(client, "Changer1.FaultCode") == 1
        text = await read_value(client, "Changer1.FaultText")
        assert text == "LockValve and UnlockValve are both on"


def test_the_page_names_every_signal_of_a_changer():
    page = (Path(__file__).parents[3] / "docs" / "use" / "tool_changer.md").read_text(
        encoding="utf-8"
    )
    for name in NAMES:
        assert f"`{name}`" in page or f"`{name.partition('.')[2]}`" in page, name

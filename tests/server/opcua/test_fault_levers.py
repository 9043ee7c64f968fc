"""Fault levers are there to be seen: a controller's Write does not break the cell."""

from pathlib import Path

import pytest
from asyncua import ua

from tests.server.opcua.asking import change, read_value, write
from tests.server.opcua.built_space import build
from tests.server.opcua.in_process import InProcess
from tests.sim.devices.stand_cell import STAND
from twincell.server.demo.script import script_of
from twincell.server.opcua.space.namespaces import cell_id, type_id
from twincell.sim.cell import Cell
from twincell.sim.spec import load_text

LEVER = "Stand.Fault.Empty"


def test_levers_stand_in_a_folder_of_their_object_and_of_its_type():
    built = build(load_text(STAND))
    fault = built.children(cell_id("Stand"))["Faults"]
    assert fault == cell_id("Stand.Faults")
    assert built.children(fault)["Empty"] == cell_id(LEVER)
    assert built.attribute(cell_id(LEVER), ua.AttributeIds.AccessLevel) == 1  # read only
    declared = built.children(type_id("ToolStandType"))["Faults"]
    assert "Empty" in built.children(declared)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_lever_can_be_read_but_not_written(tmp_path: Path) -> None:
    file = tmp_path / "stand.toml"
    file.write_text(STAND)
    async with InProcess(file) as cell:
        client = await cell.client()
        refused = await write(client, change(LEVER, True), change("Jaw.Closed", True))
        assert refused == ["BadNotWritable", "Good"]
        cell.tick(2)
        assert await read_value(client, LEVER) is False
        assert await read_value(client, "Jaw.Closed") is True
        assert await read_value(client, "Stand.Truth.Tool") == "Tool"


def test_the_demo_plays_a_plc_which_has_no_levers():
    text = STAND + f'[[timeline]]\nat_s = 1\nset = {{ "{LEVER}" = true, "Jaw.Closed" = true }}\n'
    cell = Cell(load_text(text))
    (scene,) = script_of(cell.spec, cell.compiled).scenes
    assert list(scene.values) == ["Jaw.Closed"]

"""An indicator lamp over OPC UA: its type, its words, a PLC that lights it, a wire that breaks."""

from pathlib import Path

import pytest
from asyncua import ua

from tests.server.opcua.asking import call_status, change, read, read_value, write
from tests.server.opcua.built_space import build
from tests.server.opcua.in_process import InProcess
from twincell.server.opcua.space.namespaces import cell_id, type_id
from twincell.sim.devices.indicator_lamp.signals import BLINKING, SIGNALS, STATES
from twincell.sim.devices.parts.wire_signals import BROKEN_WIRE
from twincell.sim.spec import load_text

PANEL = 'name = "Panel"\n[indicator_lamp.Start]\n'


@pytest.mark.parametrize("owner", [cell_id("Start"), type_id("IndicatorLampType")])
def test_a_lamp_and_its_type_have_commands_feedback_truth_and_levers(owner):
    built = build(load_text(PANEL))
    below = built.children(owner)
    names = {one.quantity for one in (*SIGNALS.commands, *SIGNALS.feedback)}
    assert set(below) == {name for name in names if "." not in name} | {"Truth", "Faults"}
    levers = {one.quantity.removeprefix("Fault.") for one in SIGNALS.levers}
    assert set(built.children(below["Faults"])) == levers


def test_a_lamp_stands_in_a_folder_of_its_kind():
    built = build(load_text(PANEL))
    folder = built.children(cell_id("Cell"))["IndicatorLamps"]
    assert built.children(folder) == {"Start": cell_id("Start")}


@pytest.mark.parametrize(("code", "words"), [("StateCode", STATES), ("Blink", BLINKING)])
def test_clients_find_the_words_of_its_numbers(code, words):
    built = build(load_text(PANEL))
    assert [text.Text for text in built.value(f"Start.{code}.EnumStrings")] == list(words)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_plc_answers_a_press_with_light(tmp_path: Path) -> None:
    file = tmp_path / "panel.toml"
    file.write_text(PANEL)
    async with InProcess(file) as cell:
        client = await cell.client()
        press = ("Simulation.InjectFault", "Start.Fault.Press")
        assert await call_status(client, *press, 1.0) == "Good"
        cell.tick(20)
        assert await read_value(client, "Start.Pressed") is True
        assert await write(client, change("Start.On", True)) == ["Good"]
        blink = change("Start.Blink", ua.Variant(2, ua.VariantType.UInt16))
        assert await write(client, blink) == ["Good"]
        assert await call_status(client, *press, 0.0) == "Good"
        cell.tick(20)
        assert await read_value(client, "Start.State") == "BlinkingFast"
        assert await read_value(client, "Start.Pressed") is False
        assert await read_value(client, "Start.PressCount") == 1

        broken = ("Simulation.InjectFault", "Start.Fault.Lit", float(BROKEN_WIRE))
        assert await call_status(client, *broken) == "Good"
        cell.tick(2)
        (lit, pressed) = await read(client, "Start.Lit", "Start.Pressed")
        assert lit.StatusCode.value == ua.StatusCodes.BadSensorFailure
        assert pressed.StatusCode.is_good()
        assert await read_value(client, "Start.FaultText") == "The wire of a signal is broken"
        too_much = ("Simulation.InjectFault", "Start.Fault.Lit", BROKEN_WIRE + 1.0)
        assert await call_status(client, *too_much) == "BadInvalidArgument"

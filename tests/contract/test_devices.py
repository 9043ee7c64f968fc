"""A device is a folder and a line in one list: nobody else knows it, and it declares everything."""

import re
from pathlib import Path

import pytest

from twincell.sim.arrays import declared
from twincell.sim.devices import DEVICES, modules
from twincell.sim.devices.contract import DeviceSignals, type_name
from twincell.sim.signals import Kind

ROOT = Path(__file__).parents[2]
SOURCES = [
    file
    for folder in ("sim", "server", "bench", "twincell")
    for file in sorted((ROOT / folder).rglob("*"))
    if file.suffix in (".py", ".js", ".html", ".css") and "__pycache__" not in file.parts
]
PARTS = ("signals", "spec", "model", "state", "build", "advance", "row")


def signals_of(device: str) -> DeviceSignals:
    signals: DeviceSignals = modules("signals")[device].SIGNALS
    return signals


@pytest.mark.parametrize("device", DEVICES)
def test_a_device_is_known_in_its_folder_and_in_the_list_only(device):
    """Another device may build on it; nothing outside the devices may."""
    known = re.compile(rf"\b\w*({device}|{type_name(device)})\w*\b")
    for file in SOURCES:
        where = file.relative_to(ROOT)
        if where.parts[:2] == ("sim", "devices") and len(where.parts) > 3:
            continue
        found = known.search(_without_comments(file))
        if where.as_posix() == "sim/devices/__init__.py":
            assert found
        else:
            assert not found, f"{where}: {found}"


def _without_comments(file: Path) -> str:
    """The code; what it says about itself may name a device as an example."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        text = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
        return re.sub(r"#.*", "", text)
    return re.sub(r"//.*|/\*.*?\*/", "", text, flags=re.DOTALL if file.suffix == ".css" else 0)


@pytest.mark.parametrize("part", PARTS)
def test_every_device_has_this_part(part):
    assert tuple(modules(part)) == DEVICES


@pytest.mark.parametrize("device", DEVICES)
def test_a_device_has_a_table_of_its_name_whose_keys_are_described(device):
    table = modules("spec")[device].TABLES[device]
    assert table.__name__ == type_name(device)
    assert table.__doc__.endswith(".")
    assert all(field.description for field in table.model_fields.values())


@pytest.mark.parametrize("device", DEVICES)
def test_all_signals_of_a_device_are_declared_once_and_described(device):
    signals = signals_of(device)
    every = [*signals.commands, *signals.levers, *signals.feedback]
    assert len({one.quantity for one in every}) == len(every) > 0
    for one in every:
        assert one.description and not one.description.endswith("."), one.quantity
        if one.kind is Kind.STRING:
            assert one.texts or one.names_of, f"{one.quantity} has no words"


@pytest.mark.parametrize("device", DEVICES)
def test_levers_are_called_faults_and_nothing_else_is(device):
    signals = signals_of(device)
    assert all(lever.quantity.startswith("Fault.") for lever in signals.levers)
    others = (*signals.commands, *signals.feedback)
    assert not any(one.quantity.startswith("Fault.") for one in others)
    assert not any(one.by_hand for one in others)


@pytest.mark.parametrize("device", DEVICES)
def test_codes_and_texts_of_a_device_mean_the_same(device):
    words = {one.quantity: one.texts for one in signals_of(device).feedback}
    assert words.get("State") == words.get("StateCode")
    assert words.get("FaultText") == words.get("FaultCode")
    assert words.get("FaultText", ("",))[0] == ""  # 0 is no fault


@pytest.mark.parametrize("device", DEVICES)
def test_every_whole_number_of_a_state_is_a_count_or_has_limits(device):
    """One that is neither might select something, and a made-up state any of it."""
    state = modules("state")[device]
    sizes = dict.fromkeys(_sizes(modules("model")[device].MODEL), 3)
    limits = state.limits(sizes) if hasattr(state, "limits") else {}
    counts = getattr(state, "COUNTS", ())
    assert sorted([*limits, *counts]) == sorted(_whole_numbers(state.STATE))
    assert all(least <= most for least, most in limits.values())


def _sizes(kind):
    for form in declared(kind).values():
        if hasattr(form, "_fields"):
            yield from _sizes(form)
        else:
            yield from (length for length in form.lengths if isinstance(length, str))


def _whole_numbers(kind, above=""):
    for name, form in declared(kind).items():
        if hasattr(form, "_fields"):
            yield from _whole_numbers(form, f"{above}{name}.")
        elif form.dtype.kind == "i":
            yield f"{above}{name}"


@pytest.mark.parametrize("device", modules("report"))
def test_what_is_told_about_a_device_goes_by_its_states(device):
    states = {one.quantity: one.texts for one in signals_of(device).feedback}["State"]
    values = {"ToolId": 7, "FaultText": "something"}
    for state in states:
        told = modules("report")[device].event("", (values | {"State": state}).__getitem__)
        assert isinstance(told, str)
    assert told == "fault: something"  # the last state


@pytest.mark.parametrize("device", DEVICES)
def test_a_page_of_the_documentation_has_every_signal_of_a_device(device):
    pages = " ".join(
        file.read_text(encoding="utf-8") for file in sorted((ROOT / "docs" / "use").glob("*.md"))
    )
    for one in (*signals_of(device).commands, *signals_of(device).feedback):
        assert f"`{one.quantity.rpartition('.')[2]}`" in pages, one.quantity

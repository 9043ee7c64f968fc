"""The tool's electric side: power, bus, number, inputs and outputs."""

import pytest
from changer_cell import LOCK, Changer, bench, changer

from twincell.sim.spec import SpecError, load_text

POWER, BUS, POWER_OFF = 100, 1000, 30  # ticks: the defaults


def ticks_until(unit, name, value, most=3000):
    """Ticks after the first until a signal has a value."""
    rows = unit.run(most)
    seen = rows[:, unit.cell.signals[f"Changer.{name}"].column]
    return int((seen == value).argmax()) if (seen == value).any() else None


def test_power_and_bus_take_their_time():
    unit = changer().lock()
    unit["ToolPowerEnable"] = 1
    snapshot = unit.cell.snapshot()
    assert ticks_until(unit, "ToolPowerOk", 1) == POWER
    unit.cell.restore(snapshot)
    assert ticks_until(unit, "ToolBusOk", 1) == POWER + BUS


def test_power_waits_for_a_tool():
    unit = changer()
    unit["ToolPowerEnable"] = 1
    unit.run(2000)
    assert (unit["ToolPowerOk"], unit.fault) == (0, "")


def test_power_goes_before_the_contacts_part():
    unit = changer().lock()
    unit["ToolPowerEnable"] = 1
    unit.run(POWER + BUS + 1)
    unit["UnlockValve"] = 1
    snapshot = unit.cell.snapshot()
    off = ticks_until(unit, "ToolPowerOk", 0)
    unit.cell.restore(snapshot)
    parted = ticks_until(unit, "ToolId", 0)
    assert off == POWER_OFF < 50  # ms
    assert parted >= 100  # ms
    unit.cell.restore(snapshot)
    assert ticks_until(unit, "ToolBusOk", 0) == POWER_OFF


@pytest.mark.parametrize("step_s", [0.0004, 0.001, 0.007, 0.01, 0.024, 0.04, 0.06, 0.1])
@pytest.mark.parametrize("power_off_s", [0.0, 0.03, 0.044, 0.049])
@pytest.mark.parametrize("fill_s", [0.08, 0.12])
def test_power_goes_before_the_contacts_part_whatever_the_step(step_s, power_off_s, fill_s):
    """A time is rounded to whole steps: what is accepted keeps the promise all the same."""
    keys = f"power_off_s = {power_off_s}\nfill_s = {fill_s}"
    text = f"step_s = {step_s}" + bench(keys=keys).replace("eta = 50", "eta = 5")
    off = round(power_off_s / step_s)  # ticks after the order
    starts = round(0.02 / step_s) + round(fill_s / step_s)
    if off * step_s > 0.05 - 1e-9 or starts * step_s < 0.1 - 1e-9:
        with pytest.raises(SpecError, match=r"unlock order|power to stay on"):
            load_text(text)
        return
    unit = Changer(text)
    unit.set(LockValve=1, ToolPowerEnable=1)
    unit.run(round(0.6 / step_s) + 2)
    unit.set(LockValve=0, UnlockValve=1)
    rows = unit.run(round(0.6 / step_s) + 2)
    power, number, locked = (
        rows[:, unit.cell.signals[f"Changer.{name}"].column] > 0
        for name in ("ToolPowerOk", "ToolId", "Locked")
    )
    assert number[0] and int(power.argmin()) == off
    assert int(number.argmin()) > int(locked.argmin()) - 1 == starts


def test_a_refused_unlock_leaves_the_power_on():
    unit = changer(closed=True, in_stand=False)
    unit["ToolPowerEnable"] = 1
    unit.run(POWER + BUS + 1)
    unit["UnlockValve"] = 1
    unit.run(LOCK)
    assert (unit["ToolPowerOk"], unit["ToolBusOk"]) == (1, 1)


def test_the_number_is_there_with_the_contact_and_needs_no_power():
    unit = changer(tool="id = 300")
    assert unit["ToolId"] == 0
    unit.lock()
    assert unit["ToolId"] == 300


def test_flipped_bits_make_another_tool_of_it():
    unit = changer().lock()
    unit["Fault.ToolIdFlip"] = 0b101
    unit.run(1)
    assert unit["ToolId"] == 3 ^ 0b101
    unit["Fault.ToolIdFlip"] = 0
    unit.run(1)
    assert unit["ToolId"] == 3


def test_inputs_and_outputs_live_while_coupled_and_powered():
    unit = changer(tool="id = 3\ninputs = 0x0101\necho = 0x00F0")
    unit["ToolOutputs"] = 0xFFFF
    unit.lock()
    assert (unit["ToolInputs"], unit["Truth.ToolOutputs"]) == (0, 0)
    unit["ToolPowerEnable"] = 1
    unit.run(POWER + 1)
    assert (unit["ToolInputs"], unit["Truth.ToolOutputs"]) == (0x01F1, 0xFFFF)
    unit["ToolOutputs"] = 0x0030
    unit.run(1)
    assert (unit["ToolInputs"], unit["Truth.ToolOutputs"]) == (0x0131, 0x0030)
    unit["ToolPowerEnable"] = 0
    unit.run(1)
    assert (unit["ToolInputs"], unit["Truth.ToolOutputs"]) == (0, 0)


@pytest.mark.parametrize("outputs", [-1, 0x1FFFF, 0.5])
def test_the_outputs_are_a_word_of_sixteen_bits(outputs):
    unit = changer()
    with pytest.raises(ValueError, match="ToolOutputs is a whole number of 0 to 65535"):
        unit.set(ToolOutputs=outputs)


def test_power_that_does_not_come_up_is_a_fault_after_a_second():
    unit = changer().lock()
    unit["Fault.PowerFail"] = 1
    unit["ToolPowerEnable"] = 1
    unit.run(1000)
    assert unit.fault == ""
    unit.run(1)
    assert unit.fault == "The tool's power did not come up in time"
    unit["Fault.PowerFail"] = 0
    unit.run(POWER + 1)
    unit["FaultReset"] = 1
    unit.run(1)
    assert (unit.fault, unit["ToolPowerOk"]) == ("", 1)


def test_a_bus_that_does_not_come_up_is_a_fault_after_five_seconds():
    unit = changer().lock()
    unit["Fault.BusFail"] = 1
    unit["ToolPowerEnable"] = 1
    unit.run(POWER + 5000)
    assert (unit.fault, unit["ToolPowerOk"]) == ("", 1)
    unit.run(1)
    assert unit.fault == "The tool's bus did not come up in time"


# ---------------------------------------------------------------- a tool's own jaws

PART = """
[body.PartBody]
mass_kg = 0.5
inertia_kg_m2 = [0.001, 0.001, 0.001]
position_m = [0, 0, 0.8]
[frame.Table]
position_m = [0, 0, 0.8]
[frame.JawFrame]
on = "ToolBody"
position_m = [0, 0, -0.2]
[collision_object.Nest]
on = "Table"
sphere = { radius_m = 0.05 }
[collision_object.Jaws]
on = "JawFrame"
mode = "control"
sphere = { radius_m = 0.05 }
[constrained_object.Part]
on = "PartBody"
radius_m = 0.05
eta = 50
"""
JAWS = "id = 3\necho = 4\noutputs = { Jaws = 2 }"
CLOSE = 1 << 2


def with_jaws(**keys):
    return changer(tool=JAWS, more=PART, **keys)


def powered_with_jaws():
    unit = with_jaws().lock()
    unit["ToolPowerEnable"] = 1
    unit.run(POWER + 1)
    return unit


def test_an_output_closes_the_jaws_of_a_tool_that_is_coupled_and_has_power():
    unit = powered_with_jaws()
    assert unit.cell.text("Part.Partner") == "Nest"
    unit["ToolOutputs"] = CLOSE
    unit.run(2)
    assert (unit.cell["Jaws.IsClosed"], unit.cell.text("Part.Partner")) == (1, "Jaws")
    assert unit["ToolInputs"] == CLOSE
    unit.run(1000)
    # the flange carries the tool, and the tool its part
    assert unit.cell["Flange.Force.Z"] == pytest.approx(-9.81 * (2.0 + 0.5), rel=1e-6)
    unit["ToolOutputs"] = 0xFFFF ^ CLOSE
    unit.run(2)
    assert (unit.cell["Jaws.IsClosed"], unit.cell.text("Part.Partner")) == (0, "Nest")


def test_jaws_have_no_command_of_their_own():
    unit = with_jaws()
    assert "Jaws.Closed" not in [signal.name for signal in unit.cell.signals]
    text = bench(tool=JAWS, more=PART + '[[timeline]]\nat_s = 1\nset = { "Jaws.Closed" = true }\n')
    with pytest.raises(SpecError, match=r"Jaws\.Closed"):
        load_text(text)


def test_without_a_coupled_tool_or_without_power_nothing_closes():
    unit = with_jaws()
    unit["ToolOutputs"] = CLOSE
    unit["ToolPowerEnable"] = 1
    unit.run(POWER + 10)
    assert unit.cell["Jaws.IsClosed"] == 0  # the tool lies in its stand
    unit["ToolPowerEnable"] = 0
    unit.lock()
    unit.run(POWER + 10)
    assert unit.cell["Jaws.IsClosed"] == 0  # it is coupled, without power
    unit["ToolPowerEnable"] = 1
    unit.run(POWER + 2)
    assert unit.cell["Jaws.IsClosed"] == 1


@pytest.mark.parametrize("lever", ["PowerFail", "WeakCoupling"])
def test_jaws_open_when_the_power_or_the_tool_is_lost(lever):
    unit = powered_with_jaws()
    unit["ToolOutputs"] = CLOSE
    unit.run(5)
    assert unit.cell.text("Part.Partner") == "Jaws"
    unit[f"Fault.{lever}"] = 1
    unit.run(5)
    assert (unit.cell["Jaws.IsClosed"], unit.cell.text("Part.Partner")) == (0, "Nest")


def test_jaws_open_before_an_unlocked_tool_parts():
    unit = powered_with_jaws()
    unit["ToolOutputs"] = CLOSE
    unit.run(5)
    unit["UnlockValve"] = 1
    unit.run(POWER_OFF + 2)
    assert unit["ToolId"] == 3
    assert unit.cell["Jaws.IsClosed"] == 0

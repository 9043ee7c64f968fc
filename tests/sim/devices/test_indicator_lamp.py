"""An indicator lamp with a button, on a bench: light, blinking, presses, and what can be wrong."""

import numpy as np
import pytest

from twincell.sim.cell import Cell
from twincell.sim.devices.indicator_lamp.row import write
from twincell.sim.devices.indicator_lamp.signals import FEEDBACK
from twincell.sim.spec import SpecError, load_text

DEBOUNCE, DARK_FOR = 10, 200  # ticks: the defaults


class Lamp:
    """A cell with one lamp: its signals by their short names."""

    def __init__(self, keys: str = "", more: str = "") -> None:
        self.cell = Cell(load_text(f'name = "Panel"\n[indicator_lamp.Lamp]\n{keys}\n{more}'))
        self.run(1)

    def run(self, ticks: int):
        return self.cell.run(ticks)

    def seen(self, name: str, ticks: int) -> list[float]:
        """What a signal shows in the ticks that follow."""
        return self.run(ticks)[:, self.cell.signals[f"Lamp.{name}"].column].tolist()

    def __getitem__(self, name: str) -> float:
        return self.cell[f"Lamp.{name}"]

    def __setitem__(self, name: str, value: float) -> None:
        self.cell[f"Lamp.{name}"] = value

    @property
    def state(self) -> str:
        return self.cell.text("Lamp.State")

    @property
    def fault(self) -> str:
        return self.cell.text("Lamp.FaultText")


def test_a_cell_of_one_lamp_is_a_cell_and_starts_dark():
    lamp = Lamp()
    assert (lamp.state, lamp.fault) == ("Off", "")
    assert [lamp[name] for name in ("Lit", "Pressed", "Fault", "PressCount")] == [0, 0, 0, 0]


def test_a_lamp_is_lit_in_the_tick_of_its_command_and_dark_in_that_of_the_next():
    lamp = Lamp()
    lamp["On"] = 1
    assert lamp.seen("Lit", 3) == [1, 1, 1]
    assert lamp.state == "On"
    lamp["On"] = 0
    assert lamp.seen("Lit", 2) == [0, 0]
    assert lamp.state == "Off"


@pytest.mark.parametrize(
    ("blink", "period", "state"), [(1, 2000, "BlinkingSlowly"), (2, 500, "BlinkingFast")]
)
def test_a_lamp_blinks_from_its_command_on_lit_first_and_half_of_the_time(blink, period, state):
    lamp = Lamp()
    lamp.run(123)  # whatever time it is
    lamp["On"], lamp["Blink"] = 1, blink
    half = [1.0] * (period // 2) + [0.0] * (period // 2)
    assert lamp.seen("Lit", 2 * period) == half + half
    assert (lamp.state, lamp.fault) == (state, "")  # dark in between is no fault


def test_a_choice_that_there_is_not_lights_it_steadily():
    lamp = Lamp()
    lamp["On"], lamp["Blink"] = 1, 7
    assert lamp.seen("Lit", 600) == [1.0] * 600
    assert lamp.state == "On"


def test_a_press_shows_once_the_contact_has_settled_and_is_counted_once():
    lamp = Lamp()
    lamp["Fault.Press"] = 1
    assert lamp.seen("Pressed", DEBOUNCE + 2) == [0.0] * DEBOUNCE + [1.0, 1.0]
    assert lamp["Truth.Pressed"] == 1
    lamp["Fault.Press"] = 0
    assert lamp.seen("Pressed", DEBOUNCE + 2) == [1.0] * DEBOUNCE + [0.0, 0.0]
    assert lamp["PressCount"] == 1


def test_a_press_that_is_shorter_than_the_contact_settles_is_none():
    lamp = Lamp()
    lamp["Fault.Press"] = 1
    lamp.run(DEBOUNCE)
    lamp["Fault.Press"] = 0
    assert not any(lamp.seen("Pressed", 50))
    assert lamp["PressCount"] == 0


def test_a_burnt_lamp_stays_dark_and_says_so_in_time():
    lamp = Lamp()
    lamp["Fault.Burnt"], lamp["On"] = 1, 1
    assert lamp.seen("Fault", DARK_FOR + 1) == [0.0] * DARK_FOR + [1.0]
    assert (lamp.state, lamp.fault) == ("Fault", "The lamp stays dark though it is on")
    assert lamp["Truth.Lit"] == 0


@pytest.mark.parametrize("blink", [1, 2])
@pytest.mark.parametrize("time_out_s", [0.2, 0.25, 0.6, 3.0])
def test_a_burnt_lamp_that_blinks_is_found_by_the_time_that_it_should_have_been_lit(
    blink, time_out_s
):
    lamp = Lamp(f"lit_time_out_s = {time_out_s}")
    lamp["Fault.Burnt"], lamp["On"], lamp["Blink"] = 1, 1, blink
    half = 1000 if blink == 1 else 250
    flashes, rest = divmod(round(1000 * time_out_s), half)  # before the tick that is too much
    before = 2 * half * flashes + rest
    assert lamp.seen("Fault", before + 1) == [0.0] * before + [1.0]
    assert lamp.fault == "The lamp stays dark though it is on"


def test_a_burnt_lamp_that_the_controller_lets_blink_is_found_too():
    lamp = Lamp()
    lamp["Fault.Burnt"] = 1
    for flash in range(3):
        assert not lamp.fault
        lamp["On"] = 1
        lamp.run(DARK_FOR // 2 if flash < 2 else 1)
        lamp["On"] = 0
        lamp.run(500)
    assert lamp.fault == "The lamp stays dark though it is on"


def test_a_good_lamp_that_blinks_is_never_found_however_late_its_signal_may_be():
    lamp = Lamp("signals.lit.on_delay_s = 0.249\nlit_time_out_s = 0.3")
    lamp["On"], lamp["Blink"] = 1, 2
    assert lamp.seen("Fault", 3000) == [0.0] * 3000


def test_a_new_bulb_while_it_is_off_has_all_the_time_to_be_lit():
    lamp = Lamp("signals.lit.on_delay_s = 0.1")
    lamp["Fault.Burnt"], lamp["On"] = 1, 1
    lamp.run(DARK_FOR + 1)
    assert lamp.fault
    lamp["Fault.Burnt"], lamp["On"], lamp["FaultReset"] = 0, 0, 1
    lamp.run(1)
    assert (lamp.state, lamp.fault) == ("Off", "")
    lamp["On"], lamp["FaultReset"] = 1, 0
    assert lamp.seen("Fault", 2 * DARK_FOR) == [0.0] * (2 * DARK_FOR)


def test_a_new_bulb_and_a_reset_make_it_good_again():
    lamp = Lamp()
    lamp["Fault.Burnt"], lamp["On"] = 1, 1
    lamp.run(DARK_FOR + 10)
    lamp["FaultReset"] = 1
    lamp.run(1)
    assert lamp.fault  # its cause is still there
    lamp["FaultReset"], lamp["Fault.Burnt"] = 0, 0
    lamp.run(1)
    assert lamp.fault  # nobody has reset it
    lamp["FaultReset"] = 1
    lamp.run(1)
    assert (lamp.state, lamp.fault, lamp["Lit"]) == ("On", "", 1)


def test_a_stuck_button_stays_in_after_its_press_and_is_found():
    lamp = Lamp("press_time_out_s = 1")
    lamp["Fault.Stuck"] = 1
    lamp.run(50)
    assert lamp["Pressed"] == 0  # nobody has pressed it yet
    lamp["Fault.Press"] = 1
    lamp.run(50)
    lamp["Fault.Press"] = 0
    lamp.run(1000)
    assert (lamp["Pressed"], lamp.fault) == (1, "The button has been pressed for too long")
    lamp["Fault.Stuck"] = 0
    lamp.run(50)
    assert lamp["Pressed"] == 0


@pytest.mark.parametrize(
    ("lever", "shown"), [(1, 0), (2, 1), (3, 0), (6, 0)], ids=["false", "true", "frozen", "broken"]
)
def test_a_wire_lies_as_its_lever_says(lever, shown):
    lamp = Lamp()
    lamp["Fault.Pressed"] = lever
    lamp["Fault.Press"] = 0 if lever == 2 else 1
    lamp.run(50)
    assert lamp["Pressed"] == shown
    assert lamp["BadSignals"] == (0b010 if lever == 6 else 0)
    assert lamp.fault == ("The wire of a signal is broken" if lever == 6 else "")


def test_a_wire_may_be_inverted_and_late():
    lamp = Lamp("signals.lit = { inverted = true, on_delay_s = 0.005 }")
    assert lamp["Lit"] == 1  # dark: the wire is true
    lamp["On"] = 1
    assert lamp.seen("Lit", 7) == [1.0] * 5 + [0.0, 0.0]


def test_every_lamp_fills_its_own_block_and_nothing_else():
    cell = Lamp(more="[indicator_lamp.Other]").cell
    row = np.full(len(cell.signals), np.nan)
    model, _, commands, state, scratch, _ = cell._packs.values()
    write(model, commands, state, scratch, row)
    written = {signal.name for signal in cell.signals if not np.isnan(row[signal.column])}
    assert written == {f"{lamp}.{one.quantity}" for lamp in ("Lamp", "Other") for one in FEEDBACK}


def test_two_lamps_do_not_mind_each_other():
    lamp = Lamp(more="[indicator_lamp.Other]\nfast_blink_s = 0.1")
    lamp["On"], lamp.cell["Other.Fault.Press"] = 1, 1
    lamp.run(50)
    assert (lamp["Lit"], lamp.cell["Other.Lit"]) == (1, 0)
    assert (lamp["Pressed"], lamp.cell["Other.Pressed"]) == (0, 1)


@pytest.mark.parametrize(
    ("keys", "problem", "hint"),
    [
        ("fast_blink_s = 0.001", "fast_blink_s: 0.001 s is too short", "at least 0.002"),
        ("slow_blink_s = 0", "slow_blink_s: must be a number greater than 0", ""),
        (
            "signals.lit.on_delay_s = 0.25\nlit_time_out_s = 1",
            "fast_blink_s: signals.lit comes after 0.25 s, when a flash is over",
            "above 0.5, or a shorter on_delay_s",
        ),
        ("press_time_out_s = 0.01", "press_time_out_s: signals.pressed comes after 0.01", "more"),
        ("colour = 3", "colour: unknown key", ""),
    ],
)
def test_mistakes_are_named(keys, problem, hint):
    with pytest.raises(SpecError) as error:
        load_text(f'name = "Panel"\n[indicator_lamp.Lamp]\n{keys}')
    assert f"indicator_lamp.Lamp.{problem}" in str(error.value)
    assert hint in str(error.value)


def test_a_timeline_may_press_and_a_state_of_a_lamp_is_its_own():
    text = """
name = "Panel"
[indicator_lamp.Lamp]
[[timeline]]
at_s = 0.1
set = { "Lamp.On" = true, "Lamp.Blink" = 2, "Lamp.Fault.Press" = true }
"""
    cell = Cell(load_text(text))
    cell.run(200)
    assert cell.text("Lamp.State") == "BlinkingFast"
    before = cell.snapshot()
    rows = cell.run(300)
    cell.restore(before)
    assert np.array_equal(cell.run(300), rows)

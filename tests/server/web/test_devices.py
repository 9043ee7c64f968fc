"""Faceplates: which devices have one, what stands on it, and switches that stay as pressed."""

from pathlib import Path

import pytest

from twincell.server.web.page.panel_devices import SEEN_S, SETTLE_S, Presses, devices_of
from twincell.sim.cell import Cell
from twincell.sim.signals import Direction, Kind, Signal

CELL = Path(__file__).parents[3] / "config" / "cells" / "tool_changer_atc.toml"
SWITCH = Signal("Flange.Closed", 0, Kind.BOOLEAN, "", Direction.COMMAND, "")


def test_a_tool_changer_has_its_commands_state_and_fault_text_on_one_faceplate():
    devices = {one.name: one for one in devices_of(Cell.load(CELL).signals)}
    changer = devices["Changer1"]
    assert "Changer1.LockValve" in {one.name for one in changer.commands}
    feedback = {one.name for one in changer.feedback}
    assert {"Changer1.Locked", "Changer1.State", "Changer1.FaultText"} <= feedback
    assert not feedback & {"Changer1.StateCode", "Changer1.Truth.Gap"}
    assert "Changer1.Fault.AirLoss" in {one.name for one in changer.levers}
    assert "Robot1.Moving" in {one.name for one in devices["Robot1"].feedback}
    assert not any("Pose" in one.name for one in devices["Robot1"].feedback)
    assert {one.name for one in devices["Stand1"].feedback} == {"Stand1.Truth.Tool"}


@pytest.mark.parametrize("is_as_pressed", [False, True])
def test_a_switch_does_not_jump_back_while_its_press_is_on_the_way(is_as_pressed):
    presses = Presses()
    assert not presses.hides(SWITCH, False, now_s=1.0)
    presses.begin(SWITCH)
    presses.hides(SWITCH, is_as_pressed, now_s=2.0)
    assert presses.hides(SWITCH, False, now_s=100.0)  # a slow write
    presses.end(SWITCH, now_s=100.0)
    assert presses.hides(SWITCH, False, now_s=100.0 + 0.5 * SETTLE_S)
    assert not presses.hides(SWITCH, False, now_s=100.0 + 1.1 * SETTLE_S)  # forced, or overwritten


def test_a_switch_that_has_moved_waits_for_its_press_but_not_for_ever():
    presses = Presses()
    presses.see(SWITCH, now_s=1.0)
    assert presses.hides(SWITCH, False, now_s=1.01)
    assert not presses.hides(SWITCH, False, now_s=1.1 + SEEN_S)  # it was lost on the way


def test_once_the_cell_has_latched_a_press_the_switch_follows_the_cell_at_once():
    presses = Presses()
    presses.begin(SWITCH)
    presses.end(SWITCH, now_s=1.0)
    assert not presses.hides(SWITCH, True, now_s=1.01)
    assert not presses.hides(SWITCH, False, now_s=1.02)  # somebody else wrote

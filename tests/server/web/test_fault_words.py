"""Faults as the page tells them."""

from pathlib import Path

from twincell.server.web.data.fault_words import in_words
from twincell.sim.cell import Cell

CELL = Path(__file__).parents[3] / "config" / "cells" / "tool_changer_atc.toml"


def test_a_sensor_that_lies_is_told_by_how_it_does():
    active = {
        "Changer1.Fault.Locked": "2",
        "Changer1.Fault.AirLow": "2.5 bar",
        "Changer1.Fault.ToolIdFlip": "2",
        "delay session PLC*": "250 ms",
    }
    told = in_words(active, Cell.load(CELL).signals)
    assert told == {**active, "Changer1.Fault.Locked": "stuck true"}

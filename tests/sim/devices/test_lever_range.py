"""Every lever that is no switch has a range, and what has a range is a lever."""

from tests.sim.devices.changer_cell import bench
from twincell.sim.cell import Cell
from twincell.sim.devices.lever_range import RANGES, lever_range
from twincell.sim.devices.tool_changer.signals import BROKEN_WIRE
from twincell.sim.signals import Kind
from twincell.sim.spec import load_text


def test_all_levers_but_switches_have_a_range_in_which_0_is():
    levers = Cell(load_text(bench())).signals.faults
    ranged = {lever.name.partition(".")[2] for lever in levers if lever.kind is not Kind.BOOLEAN}
    assert ranged == set(RANGES)
    for lever in levers:
        least, most = lever_range(lever.name)
        assert least <= 0.0 < most, lever.name


def test_the_last_code_of_a_signal_is_in_its_range_and_the_next_is_not():
    assert lever_range("Changer1.Fault.Locked") == (0.0, BROKEN_WIRE)

"""Every lever that is no switch has a range, and nothing is broken while it is 0."""

import pytest

from twincell.sim.devices import modules
from twincell.sim.devices.parts.wire_signals import BROKEN_WIRE
from twincell.sim.devices.tool_changer.signals import LEVERS
from twincell.sim.signals import Kind, lever_range


@pytest.mark.parametrize("device", modules("signals"))
def test_all_levers_but_switches_have_a_range_in_which_0_is(device):
    for lever in modules("signals")[device].SIGNALS.levers:
        assert (lever.limits is None) == (lever.kind is Kind.BOOLEAN), lever.quantity
        least, most = lever_range(lever.limits)
        assert least <= 0.0 < most, lever.quantity


def test_the_last_code_of_a_wire_is_in_its_range_and_the_next_is_not():
    assert lever_range(LEVERS[0].limits) == (0.0, BROKEN_WIRE)

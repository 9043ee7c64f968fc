"""What the page is told of faults, as the server lists them."""

import pytest

from twincell.server.security.folder import SecurityFolder
from twincell.server.web.data.event_watcher import Watcher


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Stand1.Fault.Empty", "Stand1.Fault.Empty", "on"),
        ("Changer1.Fault.AirLow = 2.5 bar", "Changer1.Fault.AirLow", "2.5 bar"),
        ("bad Tool1.*", "bad Tool1.*", "on"),
        ("bad A = B", "bad A = B", "on"),
        ("delay session A = B = 250 ms", "delay session A = B", "250 ms"),
        ("force Tool1.Force.Z = 0 N", "force Tool1.Force.Z", "0 N"),
    ],
)
def test_a_fault_is_told_by_its_whole_name(text, name, value, tmp_path):
    watcher = Watcher("", "", SecurityFolder(tmp_path))
    watcher.datachange_notification(None, [text], None)
    assert watcher.faults == {name: value}

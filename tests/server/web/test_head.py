"""Who commands, in words."""

import pytest

from twincell.server.web.page.head import controller_words


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ("session web page of me Session1", "me, on a web page"),
        ("session web page of anna", "anna, on a web page"),
        ("session web page Session1", "a web page"),
        ("session UaExpert@plant Session3", "UaExpert@plant"),
        ("session web page of Mr Session Session2", "Mr Session, on a web page"),
        ("bridge PLC1", "bridge PLC1"),
        ("demo", "demo"),
        ("timeline", "timeline"),
        ("", "nobody"),
    ],
)
def test_who_commands_is_told_as_people_call_him(control, words):
    assert controller_words(control) == words

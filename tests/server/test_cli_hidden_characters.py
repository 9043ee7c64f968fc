"""What a file or a server says does not move the cursor of the terminal that shows it."""

import pytest

from tests.server.test_cli_bad_cell import MISTAKES
from twincell.server.cli import screen

CLEAR_SCREEN = "\x1b[2J"


def test_a_cell_that_is_called_like_a_control_sequence_is_refused(twincell, small_cell):
    text = small_cell.read_text()
    small_cell.write_text(text.replace('"Small cell"', r'"Small\u001b[2Jcell"', 1))
    for command in (["check"], ["signals"], ["simulate", "--until", "0.01"]):
        ended = twincell(command[0], small_cell, *command[1:])
        assert ended.code == 2
        assert "small.toml:1: name: has the character \\u001B" in ended.err
        assert "\x1b" not in ended.out + ended.err


@pytest.mark.parametrize("words", [["check", "no\x1b[2Jcell.toml"], ["info", "a\x1b[2J.mcap"]])
def test_a_refusal_shows_no_control_sequence_of_what_was_typed(twincell, words):
    ended = twincell(*words)
    assert ended.code == 2
    assert "\x1b" not in ended.out + ended.err


def test_a_table_drops_them(capsys):
    listed = screen.table("name", "value")
    listed.add_row(f"Tool1{CLEAR_SCREEN}", "1.0\a")
    screen.print_table(listed)
    assert capsys.readouterr().out.splitlines()[1] == "Tool1[2J  1.0"


def test_ordinary_mistakes_are_told_as_before(twincell, small_cell):
    right, wrong, words = MISTAKES["negative mass"]
    small_cell.write_text(small_cell.read_text().replace(right, wrong, 1))
    ended = twincell("check", small_cell)
    assert all(word in ended.err for word in words)
    assert "\n  hint: " in ended.err

"""A flood of bad clients fills no disk."""

import logging

import pytest

from twincell.server.logging import rate_limit as sparing_log
from twincell.server.logging.rate_limit import MOST_LINES, WITHIN_S, Sparing, message_of


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> "Said":
    return Said(monkeypatch)


class Said(logging.Handler):
    """A log whose clock the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.now_s = 1_000.0
        self.lines: list[str] = []
        self.addFilter(Sparing())
        self.log = logging.Logger("of a test")
        self.log.addHandler(self)
        monkeypatch.setattr(sparing_log.time, "monotonic", lambda: self.now_s)

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(message_of(record))


def test_one_place_says_so_much_and_later_how_much_it_left_out(said: Said):
    def complain(who: str) -> None:
        said.log.warning("refused %s", who)

    for n in range(1_000):
        complain(f"caller {n}")
    assert said.lines == [f"refused caller {n}" for n in range(MOST_LINES)]
    said.now_s += WITHIN_S + 1
    complain("somebody else")
    left_out = 1_000 - MOST_LINES
    assert said.lines[-1] == f"refused somebody else (and {left_out} before that were not logged)"


def test_another_place_is_still_heard(said: Said):
    for _ in range(100):
        said.log.warning("much noise")
    said.log.warning("something else")
    assert said.lines[-1] == "something else"


def test_another_handler_reads_the_words_as_they_were_logged(said: Said):
    records: list[logging.LogRecord] = []
    other = logging.Handler()
    other.emit = records.append
    said.log.addHandler(other)
    for after_s in [0.0] * (MOST_LINES + 5) + [WITHIN_S + 1]:
        said.now_s += after_s
        said.log.warning("much noise")
    assert said.lines[-1] == "much noise (and 5 before that were not logged)"
    assert {record.getMessage() for record in records} == {"much noise"}

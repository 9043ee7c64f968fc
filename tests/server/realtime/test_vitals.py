"""The board on which the processes write how they are."""

import multiprocessing

import pytest

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import TEXT, LoopState


@pytest.fixture
def vitals():
    return Link(1, 300).vitals


def test_everything_begins_at_nothing(vitals):
    assert vitals.state is LoopState.DOWN
    assert (vitals["overruns"], vitals["port"], vitals.speed) == (0, 0, 0.0)
    assert vitals.text("fault") == vitals.text("control") == ""


def test_numbers_states_and_texts_are_read_as_written(vitals):
    vitals["state"] = LoopState.FAULT
    vitals["beat_ns"] = 2**62 + 1
    vitals.speed = 2.5
    vitals.write_text("fault", "Bullet: zu schnell für uns")
    assert vitals.state is LoopState.FAULT
    assert vitals["beat_ns"] == 2**62 + 1
    assert vitals.speed == 2.5
    assert vitals.text("fault") == "Bullet: zu schnell für uns"


def test_a_shorter_text_leaves_nothing_of_the_longer_one(vitals):
    vitals.write_text("control", "session of somebody")
    vitals.write_text("control", "demo")
    assert vitals.text("control") == "demo"


def test_a_text_that_is_too_long_is_cut(vitals):
    vitals.write_text("rights", "x" * (TEXT + 5))
    assert vitals.text("rights") == "x" * TEXT


def test_what_another_process_writes_is_seen(vitals):
    def write():
        vitals["clients"] = 3
        vitals.write_text("control", "demo")

    process = multiprocessing.get_context("fork").Process(target=write)
    process.start()
    process.join()
    assert (vitals["clients"], vitals.text("control")) == (3, "demo")

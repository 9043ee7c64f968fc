"""A controller's cycle is a whole number of ticks, and its loss has an effect that is possible."""

import pytest

from twincell.sim.spec import SpecError, load_text
from twincell.sim.spec.controller import ticks_of_cycle, usual_cycle_ticks

CELL = """\
name = "x"
{head}
[mover.Robot]
[controller]
"""


def cell(keys, head=""):
    return CELL.replace("{head}", head) + keys


def expect(text, line, key, words, hint):
    with pytest.raises(SpecError) as caught:
        load_text(text)
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (line, key)
    assert words in problem.text
    assert hint in problem.hint


def test_without_a_word_nobody_is_watched():
    controller = load_text('name = "x"\n[mover.Robot]').controller
    assert (controller.cycle_ms, controller.silence_s, controller.when_lost) == (None, 0, "nothing")


def test_a_whole_number_of_ticks_is_a_cycle():
    assert load_text(cell("cycle_ms = 4")).controller.cycle_ms == 4
    assert load_text(cell("cycle_ms = 2.5", "step_s = 0.0005")).controller.cycle_ms == 2.5


@pytest.mark.parametrize("cycle_ms", ["0.5", "10.5", "10001", "1e300"])
def test_a_cycle_that_ends_between_two_ticks_or_never_is_refused(cycle_ms):
    text = cell(f"cycle_ms = {cycle_ms}")
    with pytest.raises(SpecError) as caught:
        load_text(text)
    problem = caught.value.problems[-1]
    assert (problem.line, problem.key) == (5, "controller.cycle_ms")
    assert "ticks of 1 ms" in problem.text or "too large" in problem.text


def test_the_cycle_is_held_against_the_step_of_the_cell():
    words = "4 is not a whole number of ticks of 3 ms"
    key, hint = "controller.cycle_ms", "a multiple of 3, at most 10000 ticks"
    expect(cell("cycle_ms = 4", "step_s = 0.003"), 5, key, words, hint)


def test_a_step_that_is_wrong_itself_is_the_only_mistake():
    expect(cell("cycle_ms = 4", "step_s = -1"), 2, "step_s", "greater than 0", "")


def test_robots_that_are_not_there_cannot_be_stopped():
    text = cell('silence_s = 1\nwhen_lost = "stop"')
    expect(text, 6, "controller.when_lost", "the cell has none", '"pause"')


def test_a_reaction_needs_a_time_after_which_it_comes():
    text = cell('when_lost = "pause"')
    expect(text, 4, "controller.silence_s", 'when_lost = "pause" needs it', "silence_s = 2")


@pytest.mark.parametrize(
    ("cycle_ms", "step_s", "ticks"),
    [
        (10.0, 0.001, 10),
        (0.3, 0.0001, 3),  # 0.3 / 0.1 is not 3 in binary
        (10_000.0, 0.001, 10_000),
        (10_001.0, 0.001, None),
        (0.0, 0.001, None),
        (-1.0, 0.001, None),
        (float("nan"), 0.001, None),
        (float("inf"), 0.001, None),
        (1.0001, 0.001, None),
    ],
)
def test_ticks_of_a_cycle(cycle_ms, step_s, ticks):
    assert ticks_of_cycle(cycle_ms, step_s) == ticks


@pytest.mark.parametrize(("step_s", "ticks"), [(0.001, 10), (0.0001, 100), (0.003, 4), (0.1, 1)])
def test_the_usual_cycle_is_ten_milliseconds_or_the_next_whole_tick(step_s, ticks):
    assert usual_cycle_ticks(step_s) == ticks

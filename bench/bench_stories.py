"""The paper's examples from start to end: how much faster than real time."""

from collections.abc import Iterator
from statistics import median

from bench.result import Result
from bench.rounds import Contestant, median_ratio, take_turns
from bench.shipped_cells import cell_file
from twincell.sim.cell import Cell
from twincell.sim.spec import load_cell

ROUNDS = 9
ARM_ROUNDS = 5  # each plans the moves of both arms first, which is not counted


def tool_change() -> Iterator[Result]:
    """Two tool centre points, moved as prescribed, change tools for 25 s."""
    (times,) = take_turns([story("tool_change_multi_prescribed", 25.0)], ROUNDS)
    yield Result("tool_change_rtf", 25.0 / median(times), "s/s")
    yield Result("tool_change_wall_s", median(times), "s")


def arm_tool_change() -> Iterator[Result]:
    """Two arms with servo drives do the same."""
    (times,) = take_turns([story("tool_change_multi", 25.0)], ARM_ROUNDS)
    yield Result("two_arms_25s", median(times), "s")


def spring() -> Iterator[Result]:
    """One spring-borne object for 3 s, and ten of them beside it."""
    one, ten = take_turns(
        [
            story("object_transition_offset", 3.0),
            story("object_transition_offset_10", 3.0),
        ],
        3 * ROUNDS,
    )
    yield Result("spring_1_rtf", 3.0 / median(one), "s/s")
    yield Result("spring_1_wall_s", median(one), "s")
    cost = median_ratio(ten, one)
    yield Result("spring_10_over_1_cost", cost, "x", "object_transition_offset", cost)


def story(name: str, seconds: float) -> Contestant:
    """A shipped cell from its start, with its timeline; a new cell each time."""
    spec = load_cell(cell_file(name))
    cells: list[Cell] = []

    def prepare() -> None:
        cells[:] = [Cell(spec)]
        cells[0].warm_up()

    return Contestant(prepare, lambda: cells[0].run(round(seconds / spec.step_s)))

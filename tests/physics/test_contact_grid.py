"""What users do all day: a sample of the proof of contact (`make proof`), and that it is one."""

import os

import numpy as np
import pytest
from pytest import approx

from bench.proof.batch import Batch
from bench.proof.families import FAMILIES, find_case, run_task, sample, tasks_of
from bench.proof.judge import judge
from bench.proof.report import verdicts
from bench.proof.share import run_all
from bench.proof.watch import follow, later_gain

CASES = {"arm": 16, "heap": 8}  # these take longer
MOST_IN_HEAP = 100  # larger heaps take minutes: `make proof` has them
# one tick of so many may be unsettled in a heap; measured: 10 of 6000. `make proof` asks for one
# of 10 000, which large heaps of glass and steel do not reach yet: see docs/engine/proof.md
HEAP_TICKS = 300
PARTS = 2  # tests a family, for processes that share them


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("family", FAMILIES)
def test_ordinary_contact_is_as_the_law_says_and_stops_no_cell(family, part):
    tasks = sample(family, CASES.get(family, 40))[part::PARTS]
    tasks = [task for task in tasks if getattr(task, "n", 0) <= MOST_IN_HEAP]
    wrong = verdicts([row for task in tasks for row in run_task(task)], HEAP_TICKS)
    assert not wrong, "\n".join(wrong)


def test_the_proof_has_as_many_cases_as_it_says():
    names = [
        case.name
        for family in FAMILIES
        for task in tasks_of(family)
        for case in (task.cases if isinstance(task, Batch) else [task])
    ]
    assert len(names) > 20_000
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("family", ["put_down", "fall", "slope", "moving", "pinched"])
def test_a_case_moves_alone_as_it_does_among_others(family):
    """Cases of a batch share the ground and nothing else."""
    batch = next(task for task in tasks_of(family) if task.pair.name == "rubber-steel")
    batch = batch._replace(cases=batch.cases[:8], seconds=0.5, most_seconds=0.5)
    together = follow(batch)
    assert not together.stopped
    for k, case in enumerate(batch.cases):
        alone = follow(batch.alone(case))
        for name in ("gain_j", "lowest_m", "speed_m_s", "weight"):
            # the motion has the same bits; sums over it are in another order
            assert getattr(alone, name)[0] == approx(getattr(together, name)[k], rel=1e-12)


def test_a_case_is_found_by_its_name():
    case = tasks_of("slope")[7].cases[3]
    assert find_case(case.name).cases == (case,)
    heap = tasks_of("heap")[5]
    assert find_case(heap.name) == heap
    with pytest.raises(KeyError, match="there is no family hop"):
        find_case("hop/1")


@pytest.mark.parametrize(
    ("wrong", "failure"),
    [
        ({"lowest_m": 1.0}, "through"),
        ({"velocity_m_s": 0.1}, "law"),
        ({"acceleration_m_s2": 0.1}, "law"),
    ],
)
def test_what_is_not_as_expected_fails(wrong, failure):
    batch = find_case("put_down/rubber-steel/1kg/box/1")
    (case,) = batch.cases
    assert judge(batch)[0].failures == ()
    doubted = case._replace(expected=case.expected._replace(**wrong))
    assert judge(batch.alone(doubted))[0].failures == (failure,)


def test_what_has_no_time_to_come_to_rest_fails():
    batch = find_case("fall/rubber-steel/1kg/box/1")._replace(seconds=0.5, most_seconds=0.5)
    assert "rest" in judge(batch)[0].failures


def test_a_ground_that_is_not_counted_makes_energy():
    """The judgement of energy sees what a lift does, unless its work is taken off."""
    batch = find_case("moving/rubber-steel/1kg/box/0/lift")
    assert judge(batch)[0].failures == ()
    (case,) = batch.cases
    nearly_none = case._replace(height_m=0.0)
    assert "energy" in judge(batch.alone(nearly_none)._replace(swing=None))[0].failures


def test_energy_that_comes_late_is_seen():
    E = np.concatenate([np.linspace(10, 1, 500), np.full(1000, 1.0)])
    assert later_gain(E) == 0
    E[1300:] += 0.5
    assert later_gain(E) == 0.5


class Dying(str):
    """Something whose arrival ends the process that receives it."""

    def __reduce__(self):
        return os._exit, (1,)


def test_a_process_that_dies_is_a_result():
    well = find_case("ball_on_ball/rubber-steel/1kg/0.3m_s/0")
    ill = well.alone(well.cases[0]._replace(material=Dying("rubber")))
    rows = [row for new in run_all([well, ill, well], 1) for row in new]
    assert [row.result for row in rows] == ["ok", "stopped", "ok"]

"""The families of cases, and samples of them."""

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from bench.proof.batch import Batch
from bench.proof.family_floor import floor_batches
from bench.proof.family_ground import (
    edge_batches,
    moving_batches,
    slope_batches,
    stribeck_batches,
    table_batches,
)
from bench.proof.family_held import arm_batches, pinched_batches
from bench.proof.family_hits import ball_batches, thrown_batches
from bench.proof.heap import Heap, heaps
from bench.proof.judge import Row, judge
from bench.proof.judge_heap import judge_heap

Task = Batch | Heap  # what one process runs at a time

FAMILIES: dict[str, Callable[[], Iterator[Task]]] = {
    "put_down": partial(floor_batches, "put_down"),
    "too_deep": partial(floor_batches, "too_deep"),
    "fall": partial(floor_batches, "fall"),
    "table": table_batches,
    "edge": edge_batches,
    "moving": moving_batches,
    "slope": slope_batches,
    "stribeck": stribeck_batches,
    "ball_on_ball": ball_batches,
    "thrown": thrown_batches,
    "pinched": pinched_batches,
    "arm": arm_batches,
    "heap": heaps,
}


def run_task(task: Task) -> list[Row]:
    """Rows of a batch or of a heap."""
    return [judge_heap(task)] if isinstance(task, Heap) else judge(task)


@cache
def tasks_of(family: str) -> tuple[Task, ...]:
    """All tasks of a family."""
    return tuple(FAMILIES[family]())


def sample(family: str, cases: int, most_heap: int = 100) -> list[Task]:
    """So many cases of a family; heaps of at most so many parts."""
    tasks = tasks_of(family)
    heap_tasks: list[Task] = [
        task for task in tasks if isinstance(task, Heap) and task.n <= most_heap
    ]
    if heap_tasks:
        return [heap_tasks[k] for k in _chosen(len(heap_tasks), cases)]
    batches = [task for task in tasks if isinstance(task, Batch)]
    chosen = _chosen(sum(len(batch.cases) for batch in batches), cases)
    found: list[Task] = []
    first = 0
    for batch in batches:
        here = [k - first for k in chosen if first <= k < first + len(batch.cases)]
        if here:
            found.append(batch._replace(cases=tuple(batch.cases[k] for k in here)))
        first += len(batch.cases)
    return found


def _chosen(n: int, wanted: int) -> list[int]:
    """Some of n, in order: by chance, as any stride would see one side only of some grid."""
    random = np.random.default_rng(n)
    return sorted(int(k) for k in random.choice(n, min(n, wanted), replace=False))


def find_case(name: str) -> Task:
    """The one case of this name, alone."""
    family = name.partition("/")[0]
    if family not in FAMILIES:
        raise KeyError(f"there is no family {family}: {', '.join(FAMILIES)}")
    for task in tasks_of(family):
        if isinstance(task, Heap):
            if task.name == name:
                return task
            continue
        for case in task.cases:
            if case.name == name:
                return task.alone(case)
    raise KeyError(f"there is no case {name}")

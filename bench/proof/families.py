"""The families of cases, and samples of them."""

from collections.abc import Callable, Iterator
from functools import partial

from bench.proof.batch import Batch
from bench.proof.family_floor import floor_batches
from bench.proof.family_ground import (
    edge_batches,
    moving_batches,
    slope_batches,
    stribeck_batches,
    table_batches,
)
from bench.proof.family_hits import ball_batches, thrown_batches
from bench.proof.heap import Heap, heaps, judge_heap
from bench.proof.judge import Row, judge

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
    "heap": heaps,
}


def run_task(task: Task) -> list[Row]:
    """Rows of a batch or of a heap."""
    return [judge_heap(task)] if isinstance(task, Heap) else judge(task)


def sample(family: str, cases: int, most_heap: int = 100) -> list[Task]:
    """About so many cases, spread evenly over a family; heaps of at most so many parts."""
    tasks = list(FAMILIES[family]())
    heap_tasks: list[Task] = [
        task for task in tasks if isinstance(task, Heap) and task.n <= most_heap
    ]
    if heap_tasks:
        stride = max(1, len(heap_tasks) // cases)
        return heap_tasks[stride // 2 :: stride][:cases]
    batches = [task for task in tasks if isinstance(task, Batch)]
    every = max(1, sum(len(batch.cases) for batch in batches) // cases)
    if every % 2 == 0:
        every += 1  # of grids with even sides an even stride would see one side only
    chosen: list[Task] = []
    first = every // 2
    for batch in batches:
        if cases_here := batch.cases[first::every]:
            chosen.append(batch._replace(cases=cases_here))
        first = (first - len(batch.cases)) % every
    return chosen


def find_case(name: str) -> Task:
    """The one case of this name, alone."""
    family = name.partition("/")[0]
    if family not in FAMILIES:
        raise KeyError(f"there is no family {family}: {', '.join(FAMILIES)}")
    for task in FAMILIES[family]():
        if isinstance(task, Heap):
            if task.name == name:
                return task
            continue
        for case in task.cases:
            if case.name == name:
                return task.alone(case)
    raise KeyError(f"there is no case {name}")

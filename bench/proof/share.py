"""Shares tasks among processes. A process that dies is a result too: its cases run alone, again.

Each process has one task at a time, so that it is known what a process had when it died.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from bench.proof.batch import Batch
from bench.proof.families import Task, run_task
from bench.proof.judge import Row

DIED = "its process died"


def run_all(tasks: Sequence[Task], workers: int) -> Iterator[list[Row]]:
    """Rows of task after task, as they come."""
    left = list(reversed(tasks))
    while left:
        running: dict[Future[list[Row]], Task] = {}
        with ProcessPoolExecutor(workers) as pool:
            try:
                while left or running:
                    while left and len(running) < workers:
                        task = left.pop()
                        running[pool.submit(run_task, task)] = task
                    for done in wait(running, return_when=FIRST_COMPLETED).done:
                        rows = done.result()
                        del running[done]
                        yield rows
            except BrokenProcessPool:
                pass
        for task in running.values():
            yield [row for one in _one_by_one(task) for row in _in_own_process(one)]


def _one_by_one(task: Task) -> list[Task]:
    return [task.alone(case) for case in task.cases] if isinstance(task, Batch) else [task]


def _in_own_process(task: Task) -> list[Row]:
    """Rows of a single case; that it died if it dies again."""
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(run_task, task).result()
        except BrokenProcessPool:
            return [_died(task)]


def _died(task: Task) -> Row:
    if isinstance(task, Batch):
        (case,) = task.cases
        material, mass_kg, shape = case.material, case.part.mass_kg, case.part.shape
    else:
        material, mass_kg, shape = task.pair.name, task.mass_kg, task.mix
    return Row(
        task.family, task.name, material, mass_kg, shape, "", ("stopped",), f"stopped: {DIED}",
        gain=0.0, later=0.0, unsettled=0, left_out=0, ticks=0, wall_s=0.0,
    )  # fmt: skip

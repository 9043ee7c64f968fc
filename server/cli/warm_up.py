"""Load the kernels of a cell; the very first time they are compiled, which takes a while.

Each subject is compiled in a process of its own, into the cache, and loaded from there: several at
the same time, and who asks this process to end need not wait for the compiler, which hears no
signal for many seconds.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from twincell.server.realtime.process import become_child

if TYPE_CHECKING:
    from twincell.sim.cell import Cell
    from twincell.sim.jit.object_file import ObjectFile


def warm_up(cell: Cell) -> None:
    """Make a cell ready for its first tick, and say so if that takes long."""
    from twincell.sim.jit.settings import CHOSEN, NUMBA, TRIED

    if CHOSEN == NUMBA:
        tried = ", ".join(f"{version}*" for version in TRIED)
        _tell(f"plain numba compiles, for minutes the first time; tried for more: numba {tried}")
    compile_apart(cell.to_compile())
    cell.warm_up()


def compile_kinematics() -> None:
    """Compile what plans moves of robots, before a cell with robots is built."""
    from twincell.sim.machine_code import kinematics

    compile_apart([file for file in kinematics() if not file.is_ready])


def compile_apart(files: Sequence[ObjectFile]) -> None:
    """Compile object files into the cache, as many at a time as there are processors.

    Without a cache other processes could hand nothing over: then whoever needs a file compiles it.
    """
    from twincell.server.cli import screen
    from twincell.sim.jit.cache import cache_folder

    if not files:
        return
    if cache_folder() is None or not screen.somebody_watches():
        _tell(f"compiling, once: {', '.join(file.name for file in files)} ...")
    if cache_folder() is None:
        return
    compilers = _Compilers(files)
    try:
        if screen.somebody_watches():
            with screen.notes().status("compiling, once") as status:
                for names, done in compilers.progress():
                    status.update(f"compiling, once: {names} ({done} of {len(files)} done)")
        else:
            for _ in compilers.progress():
                pass
    finally:
        compilers.end()


def _tell(text: str) -> None:
    from twincell.server.cli import screen

    screen.notes().print(text)


class _Compilers:
    """Processes that compile files, each the next one that nobody has begun."""

    def __init__(self, files: Sequence[ObjectFile]) -> None:
        self._files = files
        forked = multiprocessing.get_context("fork")
        self._waiting = forked.SimpleQueue()
        for number in range(len(files)):
            self._waiting.put(number)
        self._processes = []
        self._reports: list[Any] = []
        for _ in range(min(len(files), len(os.sched_getaffinity(0)))):
            self._waiting.put(None)
            report, own_end = forked.Pipe(duplex=False)
            process = forked.Process(target=self._compile, args=(own_end, os.getpid()), daemon=True)
            process.start()  # all of them before a message has a thread that lets it move
            own_end.close()  # here: so the pipe ends with its process
            self._processes.append(process)
            self._reports.append(report)

    def progress(self) -> Iterator[tuple[str, int]]:
        """What is being compiled, and how many files are done, until all processes have ended.

        One that was killed is no harm: whoever needs its file compiles it himself.
        """
        at_work: dict[Any, str] = {}
        done = 0
        while self._reports:
            ready: list[Any] = wait(self._reports)
            for report in ready:
                try:
                    number, is_done = report.recv()
                except EOFError:
                    at_work.pop(report, None)
                    self._reports.remove(report)
                    continue
                done += is_done
                at_work[report] = self._files[number].name
            yield ", ".join(at_work.values()), done

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        for process in self._processes:
            process.kill()
            process.join()

    def _compile(self, report: Any, parent_pid: int) -> None:
        become_child(parent_pid)
        while (number := self._waiting.get()) is not None:
            report.send((number, False))
            self._files[number].make()
            report.send((number, True))

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
    """Make a cell ready for its first tick, and say so if that takes long.

    Without a cache other processes could hand nothing over: then this one compiles.
    """
    from twincell.sim.jit.cache import cache_folder

    files = cell.to_compile()
    if files and cache_folder() is None:
        _tell(files)
    else:
        compile_apart(files)
    cell.warm_up()


def compile_apart(files: Sequence[ObjectFile]) -> None:
    """Compile object files into the cache, as many at a time as there are processors."""
    if not files:
        return
    from twincell.server.cli import screen

    forked = multiprocessing.get_context("fork")
    to_do = forked.SimpleQueue()
    for number in range(len(files)):
        to_do.put(number)
    pipes = [forked.Pipe(duplex=False) for _ in range(min(len(files), _processors()))]
    compilers = [
        forked.Process(target=_compile, args=(files, to_do, told, os.getpid()), daemon=True)
        for _, told in pipes
    ]
    for compiler in compilers:
        to_do.put(None)
        compiler.start()  # all of them before the message has a thread that lets it move
    for _, told in pipes:
        told.close()
    try:
        if screen.somebody_watches():
            with screen.notes().status("compiling, once") as status:
                for names, done in _progress(files, [heard for heard, _ in pipes]):
                    status.update(f"compiling, once: {names} ({done} of {len(files)} done)")
        else:
            _tell(files)
            for compiler in compilers:
                compiler.join()
    finally:
        for compiler in compilers:
            compiler.kill()


def _tell(files: Sequence[ObjectFile]) -> None:
    from twincell.server.cli import screen

    screen.notes().print(f"compiling, once: {', '.join(file.name for file in files)} ...")


def _processors() -> int:
    return len(os.sched_getaffinity(0))


def _progress(files: Sequence[ObjectFile], heard: list[Any]) -> Iterator[tuple[str, int]]:
    """What is being compiled, and how many are done, until all compilers have ended.

    One that was killed is no harm: whoever needs its file compiles it himself.
    """
    at_work: dict[Any, str] = {}
    begun = 0
    while heard:
        ready: list[Any] = wait(heard)
        for each in ready:
            at_work.pop(each, None)
            try:
                at_work[each] = files[each.recv()].name
                begun += 1
            except EOFError:
                heard.remove(each)
        yield ", ".join(at_work.values()), begun - len(at_work)


def _compile(files: Sequence[ObjectFile], to_do: Any, told: Any, parent_pid: int) -> None:
    become_child(parent_pid)
    while (number := to_do.get()) is not None:
        told.send(number)
        files[number].make()

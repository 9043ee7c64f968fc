"""How kernels become machine code.

    @kernel   a part of the tick
    @formula  a few lines of arithmetic, compiled into whatever uses them
    @line     a line of the tick that is compiled apart: see sim/subjects.py
    @entry    what Python calls

settings.py has the compiler's settings, lowering.py what a kernel is before it is machine code,
codegen.py how it becomes that, fingerprint.py and cache.py where it is kept and under which
name. Nothing outside this folder knows the compiler, but for pack.py, which says how the tuples of
arrays look to it, and machine_code.py, which lists what a cell needs of it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from twincell.sim.jit.entry import Entry
from twincell.sim.jit.line import Line
from twincell.sim.jit.lowering import KernelDispatcher
from twincell.sim.jit.plain import plain_entry
from twincell.sim.jit.settings import APART, CHOSEN, COMPILER, NUMBA, PYTHON
from twincell.sim.subjects import LINES

__all__ = ["entry", "formula", "kernel", "line"]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a part of the tick."""
    return _compiled(function, COMPILER)


def formula(function: Function) -> Function:
    """Compile a few lines of arithmetic into whatever uses them, so that they cost no call."""
    return _compiled(function, COMPILER | {"forceinline": True})


def line(function: Function) -> Function:
    """Compile a line of the tick apart from it, with the other lines of its subject."""
    if CHOSEN != APART:
        return kernel(function)
    return Line(function, LINES.index(function.__name__))  # type: ignore[return-value]


def entry(function: Function) -> Function:
    """Compile a function that Python calls, and keep its machine code for the next start."""
    if CHOSEN == PYTHON:
        return function
    compiled: Any = plain_entry(function) if CHOSEN == NUMBA else Entry(function)
    return compiled  # type: ignore[no-any-return]


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    if CHOSEN == PYTHON:
        return function
    if CHOSEN == APART:
        return KernelDispatcher(function, options)  # type: ignore[return-value]
    compiled: Function = numba.njit(**options)(function)
    return compiled
